// The `#SBATCH` part of a job's script.
#ifndef COMPUTE_SCALE_LIB_DIRECTIVES_H_
#define COMPUTE_SCALE_LIB_DIRECTIVES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "plan.h"
#include "result.h"
#include "run_settings.h"

namespace compute_scale {

// The options of `job`, one per line and without "#SBATCH ", quoted for sbatch. Exactly one of them
// is about memory; none is about GPUs for a job without; a job without GPU goes to cpu_partition
// and needs neither `constraint` nor, there, `nodelist`. Errors: a newline in a value, an extra
// directive that is no option, a backslash in the run directory (sbatch's --output cannot hold it).
Result<std::vector<std::string>> directives(const Plan& plan, const Job& job,
                                            const RunSettings& settings);

// The first two of them for any job: --job-name, and --output as a path relative to the run
// directory in which `%a` alone keeps its meaning.
Result<std::vector<std::string>> name_and_output(const std::string& name,
                                                 const std::string& run_dir,
                                                 const std::string& output);

// `directives` without the job's name and output and without what it says to the plugin: what an
// array of such jobs has.
std::vector<std::string> shared_directives(const std::vector<std::string>& directives);

// Error where an option of sbatch would take from a run what it finds its jobs by, or what it runs:
// --job-name, --array, --wrap.
Status refuse_reserved(const std::string& option);

// Slurm's default max_script_size.
inline constexpr std::size_t kLargestScript = std::size_t{4} << 20;

// Whether the script of `job` names its entry to the plugin: only where it has one step, which then
// has all the job's devices.
bool carries_plugin_options(const Job& job, const RunSettings& settings);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_DIRECTIVES_H_
