// Looking at a run again and again: its directory, and Slurm where the records leave things open.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_RUN_FOLLOWER_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_RUN_FOLLOWER_H_

#include <optional>
#include <string>
#include <vector>

#include "process.h"
#include "result.h"
#include "run_record.h"
#include "run_status.h"

namespace compute_scale {

class RunFollower {
 public:
  RunFollower(std::string run_dir, ProcessRunner& runner)
      : run_dir_(std::move(run_dir)), runner_(runner) {}

  // Reads what has changed. At most one call of squeue per cluster that holds open jobs, none where
  // the records tell all. Errors: no run directory, or one that cannot be read.
  Status look();

  const RunRecord& run() const { return run_; }
  const RunStatus& status() const { return status_; }
  // One line each: records that cannot be read and count as none.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Why Slurm could not be asked; empty: it has answered, or did not have to be asked.
  const std::string& slurm_problem() const { return slurm_problem_; }

 private:
  void read_records();
  bool someone_submits() const;
  LocalRun local_run() const;
  std::optional<std::vector<ClusterQueue>> ask(const std::vector<std::string>& clusters);
  std::string owner() const;

  std::string run_dir_;
  ProcessRunner& runner_;
  RunRecord run_;
  std::vector<std::optional<StepRecord>> records_;
  RunStatus status_;
  std::vector<std::string> warnings_;
  std::string slurm_problem_;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_RUN_FOLLOWER_H_
