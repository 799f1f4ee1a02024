// Where each job of a run stands, from its steps' records and Slurm's queue: what is to be
// submitted again.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_RUN_STATE_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_RUN_STATE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "run_record.h"
#include "slurm_client.h"
#include "step_record.h"

namespace compute_scale {

enum class JobStanding {
  kDone,     // every step is done
  kQueued,   // Slurm has it, waiting or running
  kEnding,   // Slurm has not quite ended it (COMPLETING): nobody knows yet
  kBlocked,  // it waits for a job that has failed or is submitted again: in vain
  kMissing,  // it has steps that are not done, and Slurm has no job that would do them
};

// The records of all steps, in the order of the run; nothing for those that have not started.
// Error: one that cannot be read.
Result<std::vector<std::optional<StepRecord>>> load_step_records(const RunRecord& run);

// The standing of each job of the run. The queue must have been read before the records: then a job
// that has ended there has written what it had to write. Only a job's last submission counts, and
// only a confirmed one.
std::vector<JobStanding> job_standings(const RunRecord& run,
                                       const std::vector<std::optional<StepRecord>>& records,
                                       const std::vector<QueueJob>& queue);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_RUN_STATE_H_
