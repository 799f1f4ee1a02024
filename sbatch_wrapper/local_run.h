// What a local run consists of: a new one from the command line, or one that its folder records.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_RUN_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "context.h"
#include "local_schedule.h"
#include "plan.h"
#include "report.h"
#include "result.h"
#include "run_settings.h"

namespace compute_scale {

struct LocalRun {
  Plan plan;  // one step per job
  RunSettings settings;
  std::vector<LocalStep> steps;        // in the plan's order; what is done or not chosen is marked
  std::vector<std::int64_t> attempts;  // how often each has been started
};

// The run directory of the context's options if it holds a run already, else "".
Result<std::string> recorded_run_dir(const Context& context);

// The run of the context's options. Where the run directory holds a run, that is continued: at its
// scale, with its commands, and only steps that are not done; a selection, where one is given,
// chooses among its steps. Errors: those of planning; a run that was made for Slurm; another scale
// or runtime than the run's; chosen steps that the run does not have or that have changed since.
Result<LocalRun> load_local_run(const Context& context, const Reporter& reporter);

// Everything that can fail about the steps' commands fails here; the scripts of those that need
// some, one per job of the plan.
Result<std::vector<std::string>> local_scripts(const LocalRun& run);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_RUN_H_
