// From a command line to the plan of a run.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_PLANNING_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_PLANNING_H_

#include <map>
#include <string>
#include <vector>

#include "context.h"
#include "package.h"
#include "plan.h"
#include "report.h"
#include "run_settings.h"
#include "task.h"

namespace compute_scale {

struct Planned {
  Plan plan;                                // at the scale of the context
  Plan base;                                // the same steps at scale 1
  std::vector<Task> tasks;                  // without their entries, which are in the plans
  std::map<std::string, Package> packages;  // those of the entries that could be read
};

// Selects, reads packages, lays a baseline over and plans; prints the transform's warnings. A
// package that cannot be read is an error with `packages_required`, else a warning and taken as one
// that uses CUDA.
enum class Packages { kRequired, kIfThere };
Result<Planned> plan_run(const Context& context, Packages packages, const Reporter& reporter);

// The settings of the run's scripts: where it writes and what they start with. Errors: an unknown
// container runtime.
Result<RunSettings> run_settings(const Context& context, const Planned& planned);

// The folder below which runs are put that no option names: absolute.
std::string runs_folder(const RunConfig& config);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_PLANNING_H_
