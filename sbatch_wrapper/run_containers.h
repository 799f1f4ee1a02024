// The containers of a run on this machine, found by the labels that its job scripts give them.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_RUN_CONTAINERS_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_RUN_CONTAINERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "process.h"
#include "result.h"
#include "run_record.h"
#include "run_status.h"

namespace compute_scale {

struct RunContainer {
  std::string name;
  std::string job;   // SLURM_JOB_ID; empty: none
  std::string step;  // "task/label seed 42"
};

// Lines "name|job|step"; others are passed over.
std::vector<RunContainer> parse_containers(std::string_view text);

// Those that are there although their step does not run: they hold GPUs that Slurm gives to others.
// Empty where the run's runtime has no containers that could outlive a job. Error: the engine
// (docker, podman) cannot be asked here.
Result<std::vector<RunContainer>> orphaned_containers(const RunRecord& run, const RunStatus& status,
                                                      ProcessRunner& runner);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_RUN_CONTAINERS_H_
