#include "planning.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <set>

#include "selection.h"
#include "text.h"

namespace compute_scale {
namespace {

namespace fs = std::filesystem;

// Only the first problem is returned; the others are printed.
Error first_of(const std::vector<Error>& errors, const Reporter& reporter) {
  for (std::size_t i = 1; i < errors.size(); ++i) reporter.error(errors[i].text);
  return errors.front();
}

Result<std::map<std::string, Package>> read_packages(const Context& context,
                                                     const std::vector<Task>& tasks, Packages need,
                                                     const Reporter& reporter) {
  std::set<std::string> names;
  for (const Task& task : tasks) {
    for (const Entry& entry : task.entries) names.insert(entry.package);
  }
  names.erase("");
  std::map<std::string, Package> out;
  std::vector<std::string> missing;
  const std::string folder = context.config.packages_dir.value_or("");
  if (need == Packages::kRequired && folder.empty() && !names.empty()) {
    return usage_error(
        "no folder of packages: give --packages-dir, or set packages_dir in a config");
  }
  for (const std::string& name : names) {
    if (folder.empty()) continue;
    Result<Package> package = load_package(folder, name);
    if (package.ok()) {
      out.emplace(name, std::move(*package));
    } else if (need == Packages::kRequired) {
      return package.error();
    } else {
      reporter.detail(package.error().text);
      missing.push_back(name);
    }
  }
  if (!missing.empty()) {
    reporter.warning("packages that cannot be read from " + folder +
                     " count as ones that use CUDA: " + join(missing, ", "));
  }
  return out;
}

// A step without CUDA needs no GPU, whatever its `compute`.
void drop_unused_gpus(std::vector<Entry>& entries, const std::map<std::string, Package>& packages) {
  for (Entry& entry : entries) {
    const auto package = packages.find(entry.package);
    const bool by_package = package == packages.end() || package->second.use_cuda;
    if (entry.use_cuda.value_or(by_package)) continue;
    entry.compute = GpuAmount();
    for (auto& [hardware, profile] : entry.profiles) profile.compute = GpuAmount();
  }
}

Status lay_baseline(const Task& task, const std::string& name, PlanTask& planned) {
  if (name.empty()) return Done{};
  std::vector<std::string> known;
  for (const Baseline& baseline : task.baselines) {
    known.push_back(baseline.name);
    if (baseline.name != name) continue;
    planned.run_env = baseline.env;
    const auto& labels = baseline.labels;
    for (Entry& entry : planned.entries) {
      const bool meant =
          labels.empty() || std::find(labels.begin(), labels.end(), entry.label) != labels.end();
      if (meant && !baseline.cmd.empty()) entry.cmd = baseline.cmd;
    }
    return Done{};
  }
  return usage_error(task.name + ": no baseline " + quoted(name) + did_you_mean(name, known) +
                     (known.empty() ? "" : "; it has " + join(known, ", ")));
}

// A seed that is named twice would write twice to the same place.
std::vector<std::int64_t> distinct(const std::vector<std::int64_t>& seeds) {
  std::vector<std::int64_t> out;
  for (const std::int64_t seed : seeds) {
    if (std::find(out.begin(), out.end(), seed) == out.end()) out.push_back(seed);
  }
  return out;
}

// Option, else task, else config.
std::vector<std::int64_t> seeds_of(const Task& task, const Context& context) {
  if (!context.options.seeds.empty()) return distinct(context.options.seeds);
  if (!task.seeds.empty()) return distinct(task.seeds);
  return distinct(context.config.seeds.value_or(std::vector<std::int64_t>{42}));
}

// Moves the entries out of the tasks: a large suite has many.
Result<std::vector<PlanTask>> plan_tasks(const Context& context, Planned& planned) {
  std::vector<PlanTask> out;
  for (Task& task : planned.tasks) {
    PlanTask plan_task{task.name, std::move(task.entries), seeds_of(task, context), {}};
    COMPUTE_SCALE_CHECK(lay_baseline(task, context.options.baseline, plan_task));
    drop_unused_gpus(plan_task.entries, planned.packages);
    out.push_back(std::move(plan_task));
  }
  return out;
}

// Whether entries may stay as they are for want of a block; `warnings` has one for each that does.
Status check_unprofiled_entries(const Context& context, const std::vector<std::string>& warnings) {
  const Unprofiled policy = context.config.unprofiled.value_or(Unprofiled::kKeep);
  const Status permitted = check_unprofiled(context.limits, policy);
  if (!permitted.ok()) return at("unprofiled of the config", permitted.error());
  for (const std::string& warning : warnings) {
    COMPUTE_SCALE_CHECK(check_unprofiled_entry(warning, policy, "unprofiled: "));
  }
  return Done{};
}

// "20251130-152301", local time.
std::string time_name() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

void set_folders(const Context& context, RunSettings& settings) {
  const Options& options = context.options;
  const RunConfig& config = context.config;
  settings.exp_name = options.exp_name;
  if (settings.exp_name.empty() && !options.run_dir.empty()) {
    settings.exp_name = fs::path(absolute_path(options.run_dir)).filename().string();
  }
  if (settings.exp_name.empty()) settings.exp_name = time_name();
  settings.save_path = absolute_path(config.save_path.value_or("results"));
  if (!options.run_dir.empty()) {
    settings.run_dir = absolute_path(options.run_dir);
  } else {
    settings.run_dir = absolute_path(runs_folder(config) + "/" + settings.exp_name);
  }
  settings.workspace_root = config.workspace_root.value_or("");
  settings.data_root = config.data_root.value_or("");
  settings.project_root = fs::path(context.tasks_dir).parent_path().string();
}

}  // namespace

std::string runs_folder(const RunConfig& config) {
  const std::string under_results = config.save_path ? *config.save_path + "/runs" : "runs";
  return absolute_path(config.slurm.logs_dir.value_or(under_results));
}

Result<Planned> plan_run(const Context& context, Packages packages, const Reporter& reporter) {
  COMPUTE_SCALE_TRY(selection,
                    select_tasks(context.tasks_dir, context.options, WithoutPatterns::kRefuse));
  if (!selection.errors.empty()) return first_of(selection.errors, reporter);
  Planned planned;
  planned.tasks = std::move(selection.tasks);
  COMPUTE_SCALE_TRY(read, read_packages(context, planned.tasks, packages, reporter));
  planned.packages = std::move(read);
  COMPUTE_SCALE_TRY(tasks, plan_tasks(context, planned));
  PlanOptions options;
  options.pack = context.options.neutral
                     ? PackScope::kNone
                     : parse_pack_scope(context.options.pack).value_or(PackScope::kGroup);
  options.node = node_limits(context.config.slurm);
  options.resources = default_resources(context.config.slurm);
  planned.base = build_plan(tasks, options);
  options.scale = context.scale;
  planned.plan = build_plan(tasks, options);
  COMPUTE_SCALE_CHECK(check_unprofiled_entries(context, planned.plan.warnings));
  for (const std::string& warning : planned.plan.warnings) reporter.warning(warning);
  return planned;
}

Result<RunSettings> run_settings(const Context& context, const Planned& planned) {
  RunSettings settings;
  COMPUTE_SCALE_TRY(backend, parse_backend(context.config.container_runtime.value_or("apptainer")));
  settings.backend = backend;
  if (context.config.container_flags) {
    const auto& flags = *context.config.container_flags;
    const auto found = flags.find(to_string(backend));
    if (found != flags.end()) settings.container_flags = found->second;
  }
  const std::string& exp_name = context.options.exp_name;
  if (exp_name.find('/') != std::string::npos || exp_name == "." || exp_name == "..") {
    return usage_error("--exp-name " + quoted(exp_name) + ": a name, not a path (see --run-dir)");
  }
  set_folders(context, settings);
  settings.home = context.home;
  settings.slurm = context.config.slurm;
  settings.neutral = context.options.neutral;
  settings.plugin =
      settings.neutral || (context.config.slurm.plugin.value_or(false) && context.tasks_of_config);
  for (const Task& task : planned.tasks) settings.task_dirs[task.name] = task.dir;
  settings.packages = planned.packages;
  settings.config_file = context.config_file;
  settings.sbatch_args = context.options.sbatch_args;
  return settings;
}

}  // namespace compute_scale
