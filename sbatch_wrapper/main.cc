// sbatch-tasks: plans, renders and submits the tasks of a benchmark.
#include <exception>

#include "cli.h"
#include "context.h"
#include "process.h"
#include "report.h"
#include "verbs.h"

namespace compute_scale {
namespace {

Result<int> run_verb(const Context& context, const Reporter& reporter) {
  RealProcessRunner runner;
  switch (context.options.verb) {
    case Verb::kList:
      return run_list(context, reporter);
    case Verb::kCheck:
      return run_check(context, reporter, runner);
    case Verb::kPlan:
      return run_plan(context, reporter);
    case Verb::kRender:
      return run_render(context, reporter);
    case Verb::kSubmit:
      return run_submit(context, reporter, runner);
    case Verb::kRun:
      return run_local(context, reporter, runner);
    case Verb::kResume:
      return run_resume(context, reporter, runner);
    case Verb::kStatus:
    case Verb::kLogs:
    case Verb::kCancel:
    case Verb::kDoctor:
    case Verb::kNone:
      break;
  }
  return 0;
}

// Verbs that look at a run that is there need neither tasks nor a scale.
Result<int> run(const std::vector<std::string>& arguments) {
  COMPUTE_SCALE_TRY(parsed, parse_command_line(arguments));
  if (!parsed.print.empty()) return print(parsed.print) ? 0 : 1;
  const Reporter reporter(parsed.options);
  RealProcessRunner runner;
  if (parsed.options.verb == Verb::kStatus) return run_status(parsed.options, reporter, runner);
  if (parsed.options.verb == Verb::kLogs) return run_logs(parsed.options, reporter, runner);
  if (parsed.options.verb == Verb::kCancel) return run_cancel(parsed.options, reporter, runner);
  if (parsed.options.verb == Verb::kDoctor) return run_doctor(parsed.options, runner);
  COMPUTE_SCALE_TRY(context, load_context(parsed.options));
  return run_verb(context, reporter);
}

}  // namespace
}  // namespace compute_scale

int main(int argc, char** argv) {
  using compute_scale::Reporter;
  const Reporter reporter{compute_scale::Options()};
  try {
    const auto result = compute_scale::run({argv + 1, argv + argc});
    return result.ok() ? *result : compute_scale::report_errors(reporter, {result.error()});
  } catch (const std::exception& failure) {
    reporter.error(std::string("unexpected: ") + failure.what());
    return 1;
  }
}
