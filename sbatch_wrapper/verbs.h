// What sbatch-tasks can do, one file per verb. Each prints its result and returns the exit status;
// an error is printed by the caller.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_VERBS_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_VERBS_H_

#include "context.h"
#include "process.h"
#include "report.h"
#include "result.h"

namespace compute_scale {

Result<int> run_list(const Context& context, const Reporter& reporter);
Result<int> run_check(const Context& context, const Reporter& reporter, ProcessRunner& runner);
Result<int> run_plan(const Context& context, const Reporter& reporter);
Result<int> run_render(const Context& context, const Reporter& reporter);
Result<int> run_submit(const Context& context, const Reporter& reporter, ProcessRunner& runner);
Result<int> run_local(const Context& context, const Reporter& reporter, ProcessRunner& runner);
Result<int> run_resume(const Context& context, const Reporter& reporter, ProcessRunner& runner);
Result<int> run_status(const Options& options, const Reporter& reporter, ProcessRunner& runner);
Result<int> run_logs(const Options& options, const Reporter& reporter, ProcessRunner& runner);
Result<int> run_cancel(const Options& options, const Reporter& reporter, ProcessRunner& runner);
Result<int> run_doctor(const Options& options, ProcessRunner& runner);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_VERBS_H_
