// Calls of Slurm's commands.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_SLURM_CLIENT_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_SLURM_CLIENT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster_nodes.h"
#include "process.h"
#include "queue.h"
#include "result.h"

namespace compute_scale {

struct JobId {
  std::string id;
  std::string cluster;  // empty unless sbatch names one (a federation)
};

// The answer of `sbatch --parsable`: its last line of the form "id" or "id;cluster"; what a login
// banner or a plugin printed around it is passed over. Error: there is none.
Result<JobId> parse_sbatch_answer(std::string_view output);

// `environment` without what a surrounding job or its submission left: the variables that the
// plugin set for its entry, SLURM_* but for SLURM_CONF, SBATCH_*, SALLOC_* and SRUN_*.
std::vector<std::string> submission_environment(std::vector<std::string> environment);

// What came of a call of sbatch. `text`: what it said, on one line.
struct SbatchAnswer {
  enum class Kind {
    kTaken,
    kRefused,
    kUnclear,  // it lost the controller on the way, or was killed: the job may be there
  };
  Kind kind = Kind::kRefused;
  JobId job;  // of a job that was taken
  std::string text;
};

// The job or array of this name that was not submitted long before `since` (seconds since the
// epoch): no two of a run have one name, but an earlier run in the same folder had the same.
std::optional<JobId> find_by_name(const std::vector<QueueJob>& queue, const std::string& name,
                                  std::int64_t since);

class SlurmClient {
 public:
  SlurmClient(ProcessRunner& runner, std::vector<std::string> environment)
      : runner_(runner), environment_(std::move(environment)) {}

  // Runs `argv` (sbatch with --parsable).
  SbatchAnswer submit(const std::vector<std::string>& argv);

  // This user's jobs of all states. Error: squeue cannot tell.
  Result<std::vector<QueueJob>> queue();

  // The ids by name of this user's jobs and arrays since then (seconds since the epoch), from the
  // accounting; nothing where there is none.
  std::map<std::string, std::string> history(std::int64_t since);

  // scancel of jobs and elements.
  Status cancel(const std::vector<std::string>& ids);

  // Whether sbatch shows this option ("--compute-entry"), which a plugin adds. Asks no controller.
  // Error: sbatch cannot tell.
  Result<bool> has_option(const std::string& name);

  // The release of sbatch: "22.05.8". Asks no controller. Error: it cannot be used.
  Result<std::string> version();

  // All nodes. Error: sinfo cannot tell.
  Result<std::vector<ClusterNode>> nodes();

  // All partitions, also hidden ones. Error: sinfo cannot tell.
  Result<std::vector<ClusterPartition>> partitions();

  // What `scontrol show config` shows, by name. Error: the controller cannot be asked.
  Result<std::map<std::string, std::string>> configuration();

  // MaxArraySize of the controller's configuration. Error: it cannot be read.
  Result<std::int64_t> max_array_size();

 private:
  // The output of a command that succeeds; the error has its words.
  Result<std::string> output_of(const std::vector<std::string>& argv);

  ProcessRunner& runner_;
  std::vector<std::string> environment_;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_SLURM_CLIENT_H_
