// A task's config.json, through the transform and the plan to the job scripts.
#include "task.h"

#include <algorithm>

#include "fuzz.h"
#include "plan.h"
#include "scale.h"
#include "script.h"

namespace compute_scale::fuzz {
namespace {

// What costs only time: large plans have tests of their own.
constexpr std::size_t kMostEntries = 24;
constexpr std::int64_t kMostDevices = 256;

bool small(const std::vector<Entry>& entries) {
  std::int64_t devices = 0;
  for (const Entry& entry : entries) {
    devices += entry.compute.devices();
    for (const auto& [name, profile] : entry.profiles) {
      devices += profile.compute.value_or(GpuAmount()).devices();
    }
  }
  return entries.size() <= kMostEntries && devices <= kMostDevices;
}

void check_scaled(const std::vector<Entry>& entries) {
  const ScaledEntries base = scale_test_cmd_entries(entries, {ScaleFactor(), "h100"});
  const ScaledEntries half = scale_test_cmd_entries(entries, {*ScaleFactor::parse("0.5"), "h200"});
  require(base.warnings.empty(), "a scale of one warns of nothing");
  require(base.entries.size() == entries.size() && half.entries.size() == entries.size(),
          "no entry is lost");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    require(base.entries[i].compute == entries[i].compute && base.entries[i].env == entries[i].env,
            "a scale of one changes nothing", entries[i].label);
    require(base.entries[i].profiles.empty() && half.entries[i].profiles.empty(),
            "no block is left", entries[i].label);
  }
  for (const std::string& warning : half.warnings) require_line(warning);
}

void check_jobs(const Plan& plan) {
  std::vector<int> times(plan.steps.size(), 0);
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    for (const Lane& lane : plan.jobs[i].lanes) {
      for (const std::size_t step : lane.steps) ++times.at(step);
      for (const int device : lane.devices) {
        require(device >= 0 && device < plan.jobs[i].devices, "a lane's devices are its job's");
      }
    }
    for (const std::size_t before : plan.jobs[i].after) {
      require(before < i, "a job comes after what it waits for", plan.jobs[i].name);
    }
  }
  require(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }),
          "each step is in one job");
  require(requested_gpu_time(plan).micro_minutes >= lower_bound_gpu_time(plan).micro_minutes,
          "no plan uses more than it requests");
}

RunSettings settings_of(const Plan& plan, Backend backend) {
  RunSettings settings;
  settings.backend = backend;
  settings.exp_name = "r1";
  settings.run_dir = "/runs/r1";
  settings.save_path = "/results";
  settings.task_dirs["t"] = "/tasks/t";
  for (const PlanEntry& planned : plan.entries) {
    Package package;
    package.name = planned.entry.package;
    package.image = "/images/x.sif";
    settings.packages[package.name] = package;
  }
  return settings;
}

void check_plan(const Task& task, PackScope scope, Backend backend) {
  PlanOptions options;
  options.scale = {*ScaleFactor::parse("0.5"), "h200"};
  options.pack = scope;
  const EnvList run_env = task.baselines.empty() ? EnvList() : task.baselines.front().env;
  const Plan plan = build_plan({{"t", task.entries, {1, 2}, run_env}}, options);
  check_jobs(plan);
  const RunSettings settings = settings_of(plan, backend);
  for (const Job& job : plan.jobs) {
    const auto script = job_script(plan, job, settings);
    if (!good(script)) continue;
    require(starts_with(*script, "#!/bin/bash\n"), "a script is for bash", job.name);
    require(script->find('\0') == std::string::npos, "a script holds no NUL", job.name);
  }
}

}  // namespace
}  // namespace compute_scale::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace compute_scale;
  const auto task = parse_task(fuzz::text_of(data, size), "t", "/tasks/t", "tasks/t/config.json");
  if (!fuzz::good(task)) {
    fuzz::require(starts_with(task.error().text, "tasks/t/config.json:"), "an error names the file",
                  task.error().text);
    return 0;
  }
  fuzz::check_scaled(task->entries);
  if (!fuzz::small(task->entries)) return 0;
  fuzz::check_plan(*task, PackScope::kGroup, Backend::kApptainer);
  fuzz::check_plan(*task, PackScope::kAll, Backend::kDocker);
  fuzz::check_plan(*task, PackScope::kNone, Backend::kPyxis);
  return 0;
}
