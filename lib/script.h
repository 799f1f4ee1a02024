// The text of a job's script.
#ifndef COMPUTE_SCALE_LIB_SCRIPT_H_
#define COMPUTE_SCALE_LIB_SCRIPT_H_

#include <string>

#include "plan.h"
#include "result.h"
#include "run_settings.h"

namespace compute_scale {

// A bash script that is complete by itself: all directives first, then the site's prologue, then
// the job's lanes side by side. Every step runs to its end, writes its output, exit code and
// seconds into its own files of the run directory, and the job fails if one of them fails. Its
// argument, if any, is the number of the submission that starts it (script_submission.h). A pure
// function of its arguments: equal plans give equal bytes. Errors: those of directives() and
// step_command(); a script larger than Slurm takes (4 MiB).
Result<std::string> job_script(const Plan& plan, const Job& job, const RunSettings& settings);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_SCRIPT_H_
