#include <limits>

#include "run_choice.h"
#include "run_containers.h"
#include "run_follower.h"
#include "status_view.h"
#include "text.h"
#include "verbs.h"
#include "watch.h"

namespace compute_scale {
namespace {

Result<int> show_once(RunFollower& follower, const Options& options, const Reporter& reporter) {
  COMPUTE_SCALE_CHECK(follower.look());
  for (const std::string& warning : follower.warnings()) reporter.warning(warning);
  if (!follower.slurm_problem().empty()) {
    reporter.error("Slurm cannot be asked, this is what the records tell: " +
                   follower.slurm_problem());
  }
  const std::string text =
      options.json
          ? status_json(follower.run(), follower.status(), follower.slurm_problem())
          : status_text(follower.run(), follower.status(), std::numeric_limits<std::size_t>::max());
  return print(text) ? exit_status(follower) : 1;
}

// Only this machine's engine can be asked: on a compute node it lists what is left there.
Status show_orphans(const RunFollower& follower, ProcessRunner& runner) {
  COMPUTE_SCALE_TRY(orphans, orphaned_containers(follower.run(), follower.status(), runner));
  if (orphans.empty()) return Done{};
  std::string text = "\ncontainers on this machine without a step that runs:\n";
  for (const RunContainer& orphan : orphans) {
    text += "  " + printable(orphan.name, 200) + ": " + printable(orphan.step, 300) +
            (orphan.job.empty() ? "" : ", job " + printable(orphan.job)) + "\n";
  }
  print(text);
  return Done{};
}

}  // namespace

Result<int> run_status(const Options& options, const Reporter& reporter, ProcessRunner& runner) {
  COMPUTE_SCALE_TRY(choice, choose_run(options));
  if (!choice.patterns.empty()) {
    return usage_error(choice.patterns.front() + ": is no run directory: it has no plan.json");
  }
  if (!choice.named) reporter.note("run directory " + choice.run_dir);
  RunFollower follower(choice.run_dir, runner);
  if (!options.watch) {
    COMPUTE_SCALE_TRY(shown, show_once(follower, options, reporter));
    if (options.containers && !options.json) COMPUTE_SCALE_CHECK(show_orphans(follower, runner));
    return shown;
  }
  COMPUTE_SCALE_TRY(ended, watch(follower, options.interval, reporter));
  return ended != 0 ? ended : exit_status(follower);
}

}  // namespace compute_scale
