#include "planning.h"
#include "run_dir.h"
#include "verbs.h"

namespace compute_scale {

Result<int> run_render(const Context& context, const Reporter& reporter) {
  COMPUTE_SCALE_TRY(planned, plan_run(context, Packages::kRequired, reporter));
  COMPUTE_SCALE_TRY(settings, run_settings(context, planned));
  COMPUTE_SCALE_TRY(scripts, render_scripts(planned.plan, settings));
  if (context.options.dry_run) {
    for (const std::string& script : scripts) {
      if (!print(script)) return 1;
    }
    return 0;
  }
  COMPUTE_SCALE_CHECK(write_run_dir(planned.plan, settings, scripts));
  reporter.note("wrote " + std::to_string(scripts.size()) + " job scripts");
  return print(settings.run_dir + "\n") ? 0 : 1;
}

}  // namespace compute_scale
