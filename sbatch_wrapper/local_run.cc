#include "local_run.h"

#include <sys/stat.h>

#include <map>
#include <set>

#include "local_files.h"
#include "local_program.h"
#include "plan_record.h"
#include "planning.h"
#include "read_file.h"
#include "run_dir.h"
#include "run_layout.h"
#include "text.h"

namespace compute_scale {
namespace {

bool exists(const std::string& path) {
  struct stat unused = {};
  return stat(path.c_str(), &unused) == 0;
}

// One step per job: what runs when is decided as the steps end.
Context unpacked(Context context) {
  context.options.pack = "none";
  return context;
}

std::string text_of(const Scale& scale) {
  const std::string factor = scale.factor.to_string();
  return scale.hardware.empty() ? factor : factor + " (" + scale.hardware + ")";
}

Status check_options(const Context& context, const PlanRecord& record, const std::string& run_dir) {
  const Scale& scale = record.plan.scale;
  if (!record.settings.local) {
    return usage_error(run_dir + ": holds a run for Slurm: continue it with sbatch-tasks resume");
  }
  const bool same_scale =
      context.scale.factor == scale.factor && context.scale.hardware == scale.hardware;
  if (context.options.compute_scale && !same_scale) {
    return usage_error(run_dir + ": was made at compute_scale " + text_of(scale) +
                       " and continues at it, not at " + text_of(context.scale) +
                       ": leave --compute-scale out, or name another --run-dir");
  }
  const std::string runtime = to_string(record.settings.backend);
  const auto& named = context.options.container_runtime;
  if (named && *named != runtime) {
    return usage_error(run_dir + ": was made with container_runtime " + runtime + ", not " +
                       quoted(*named) + ": name another --run-dir");
  }
  return Done{};
}

Status load_packages(const Context& context, LocalRun& run) {
  for (const PlanEntry& planned : run.plan.entries) {
    const std::string& name = planned.entry.package;
    if (name.empty() || run.settings.packages.count(name) > 0) continue;
    COMPUTE_SCALE_TRY(package, load_package(context.config.packages_dir.value_or(""), name));
    run.settings.packages.emplace(name, std::move(package));
  }
  return Done{};
}

bool is_selective(const Options& options) {
  return options.all || !options.patterns.empty() || !options.labels.empty() ||
         !options.groups.empty() || !options.seeds.empty() || !options.baseline.empty();
}

std::string key_of(const Plan& plan, const Step& step) {
  return entry_name(plan, step) + " seed " + std::to_string(step.seed);
}

bool is_same(const Plan& a, const PlanEntry& x, const Plan& b, const PlanEntry& y) {
  return x.entry.cmd == y.entry.cmd && x.entry.env == y.entry.env &&
         x.entry.compute == y.entry.compute && x.entry.time == y.entry.time &&
         a.tasks[x.task].run_env == b.tasks[y.task].run_env;
}

// Leaves out the steps that the command line does not choose.
Status choose(const Context& context, const Reporter& reporter, LocalRun& run) {
  Context like_the_run = unpacked(context);
  like_the_run.scale = run.plan.scale;
  COMPUTE_SCALE_TRY(chosen, plan_run(like_the_run, Packages::kRequired, reporter));
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < run.plan.steps.size(); ++i) {
    known[key_of(run.plan, run.plan.steps[i])] = i;
  }
  std::set<std::size_t> wanted;
  for (const Step& step : chosen.plan.steps) {
    const std::string key = key_of(chosen.plan, step);
    const auto found = known.find(key);
    if (found == known.end()) {
      return usage_error(run.settings.run_dir + ": the run has no step " + key);
    }
    const PlanEntry& recorded = run.plan.entries[run.plan.steps[found->second].entry];
    if (!is_same(run.plan, recorded, chosen.plan, chosen.plan.entries[step.entry])) {
      return usage_error(key + " is not what it was when the run " + run.settings.run_dir +
                         " was made: name another --run-dir, or no task to continue as it was");
    }
    wanted.insert(found->second);
  }
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    if (wanted.count(i) == 0) run.steps[i].before = LocalStep::Before::kLeftOut;
  }
  return Done{};
}

void take_records(LocalRun& run, const Reporter& reporter) {
  const LocalFiles files(run.plan, run.settings);
  for (std::size_t i = 0; i < run.plan.steps.size(); ++i) {
    const auto record = files.load(i);
    if (!record.ok()) reporter.warning(record.error().text + ": the step runs again");
    if (!record.ok() || !*record) continue;
    run.attempts[i] = (*record)->attempt;
    if ((*record)->state == StepState::kDone) run.steps[i].before = LocalStep::Before::kDone;
  }
}

Result<LocalRun> recorded_run(const Context& context, const std::string& run_dir,
                              const Reporter& reporter) {
  const std::string file = run_dir + "/" + kPlanFile;
  COMPUTE_SCALE_TRY(text, read_text_file(file, kMostRecorded));
  COMPUTE_SCALE_TRY(record, parse_plan_record(text, file));
  COMPUTE_SCALE_CHECK(check_options(context, record, run_dir));
  LocalRun run;
  run.plan = std::move(record.plan);
  run.settings = std::move(record.settings);
  run.settings.run_dir = run_dir;
  run.settings.home = context.home;
  run.settings.slurm = context.config.slurm;
  COMPUTE_SCALE_CHECK(load_packages(context, run));
  run.steps = local_steps(run.plan);
  run.attempts.resize(run.steps.size());
  if (is_selective(context.options)) COMPUTE_SCALE_CHECK(choose(context, reporter, run));
  take_records(run, reporter);
  return run;
}

Result<LocalRun> new_run(const Context& context, const Reporter& reporter) {
  COMPUTE_SCALE_TRY(planned, plan_run(context, Packages::kRequired, reporter));
  COMPUTE_SCALE_TRY(settings, run_settings(context, planned));
  LocalRun run;
  run.plan = std::move(planned.plan);
  run.settings = std::move(settings);
  run.settings.local = true;
  run.settings.plugin = false;
  run.steps = local_steps(run.plan);
  run.attempts.resize(run.steps.size());
  return run;
}

}  // namespace

Result<std::string> recorded_run_dir(const Context& context) {
  COMPUTE_SCALE_TRY(folders, run_settings(context, {}));
  return exists(folders.run_dir + "/" + kPlanFile) ? folders.run_dir : std::string();
}

Result<LocalRun> load_local_run(const Context& context, const Reporter& reporter) {
  COMPUTE_SCALE_TRY(run_dir, recorded_run_dir(context));
  if (!run_dir.empty()) return recorded_run(context, run_dir, reporter);
  return new_run(unpacked(context), reporter);
}

Result<std::vector<std::string>> local_scripts(const LocalRun& run) {
  if (run.settings.backend == Backend::kPyxis) {
    return site_error("container_runtime pyxis is a part of srun: there is none without Slurm");
  }
  if (run.settings.backend != Backend::kLocal) return render_scripts(run.plan, run.settings);
  // What can be wrong with such a command is a matter of its package.
  std::set<std::string> seen;
  for (const Step& step : run.plan.steps) {
    const Entry& entry = run.plan.entries[step.entry].entry;
    if (!seen.insert(entry.package).second) continue;
    COMPUTE_SCALE_TRY(context, step_context(run.plan, step, run.settings));
    COMPUTE_SCALE_CHECK(local_program(entry, context, ""));
  }
  return std::vector<std::string>();
}

}  // namespace compute_scale
