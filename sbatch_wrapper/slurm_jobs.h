// Finding the jobs of a run among those that Slurm knows.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_SLURM_JOBS_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_SLURM_JOBS_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "queue.h"
#include "run_record.h"
#include "step_record.h"

namespace compute_scale {

// The jobs of one cluster, "" for this one.
struct ClusterQueue {
  std::string cluster;
  std::vector<QueueJob> jobs;
};

// Points into the queues, which must outlive it.
class SlurmJobs {
 public:
  explicit SlurmJobs(const std::vector<ClusterQueue>& queues);

  // By the id of a confirmed submission, else by its unique name (a submission whose answer was
  // lost). Null: there is none.
  const QueueJob* find(const JobSubmission& submission) const;
  // By the name of a job that is in the queue alone (a script that was submitted by hand).
  const QueueJob* find_name(const std::string& name) const;
  // The job that wrote a record.
  const QueueJob* find(const StepRecord& record, const std::string& cluster) const;

 private:
  using Map = std::unordered_map<std::string, const QueueJob*>;
  static const QueueJob* in(const Map& map, const std::string& key);
  Map elements_, job_ids_, names_;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_SLURM_JOBS_H_
