// The GPUs that the jobs of a run hold and have held.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_RUN_USAGE_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_RUN_USAGE_H_

#include <vector>

#include "run_status.h"

namespace compute_scale {

// Fills `gpus` and `gpu_seconds` of a job whose steps are decided already. `row` is null where
// Slurm does not know it.
void count_usage(const RunJob& job, const QueueJob* row, const RunFacts& facts,
                 const RunStatus& status, JobStatus& out);

// A job's shares by task (indices into RunRecord::tasks, with their part of 1): by what its steps
// ask for, compute x time.
struct TaskShare {
  std::size_t task = 0;
  double part = 0;
};
std::vector<TaskShare> task_shares(const RunRecord& run, const RunJob& job);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_RUN_USAGE_H_
