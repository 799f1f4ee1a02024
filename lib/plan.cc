#include "plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "job_resources.h"
#include "scale.h"

namespace compute_scale {
namespace {

// The group number of each entry; entries without a group get the numbers after the highest one.
std::vector<int> group_numbers(const std::vector<Entry>& entries) {
  int highest = 0;
  for (const Entry& entry : entries) highest = std::max(highest, entry.group.value_or(0));
  std::vector<int> numbers;
  numbers.reserve(entries.size());
  for (const Entry& entry : entries) numbers.push_back(entry.group ? *entry.group : ++highest);
  return numbers;
}

// Builds a plan task by task.
class Planner {
 public:
  explicit Planner(const PlanOptions& options) : options_(options) { plan_.scale = options.scale; }

  void add(const PlanTask& task) {
    const std::size_t first = plan_.entries.size();
    const int stages = add_entries(task);
    // The jobs of the stage before, per seed.
    std::map<std::int64_t, std::vector<std::size_t>> before;
    for (int stage = 0; stage < stages; ++stage) {
      for (const std::int64_t seed : task.seeds) {
        before[seed] = add_stage(first, stage, seed, before[seed]);
      }
    }
  }

  Plan take() { return std::move(plan_); }

 private:
  // Appends the task and its scaled entries; returns its number of stages.
  int add_entries(const PlanTask& task) {
    plan_.tasks.push_back({task.name, task.run_env});
    ScaledEntries scaled = scale_test_cmd_entries(task.entries, options_.scale);
    std::move(scaled.warnings.begin(), scaled.warnings.end(), std::back_inserter(plan_.warnings));
    const std::vector<int> groups = group_numbers(task.entries);
    const std::set<int> stages(groups.begin(), groups.end());
    for (std::size_t i = 0; i < task.entries.size(); ++i) {
      const auto stage = std::distance(stages.begin(), stages.find(groups[i]));
      plan_.entries.push_back({std::move(scaled.entries[i]), task.entries[i].compute,
                               plan_.tasks.size() - 1, groups[i], static_cast<int>(stage)});
    }
    return static_cast<int>(stages.size());
  }

  // Appends the steps and jobs of one stage and seed of the task whose entries start at `first`;
  // returns its jobs.
  std::vector<std::size_t> add_stage(std::size_t first, int stage, std::int64_t seed,
                                     const std::vector<std::size_t>& after) {
    std::vector<PackItem> items;
    int group = 0;
    for (std::size_t i = first; i < plan_.entries.size(); ++i) {
      if (plan_.entries[i].stage != stage) continue;
      group = plan_.entries[i].group;
      items.push_back({plan_.steps.size(), plan_.entries[i].entry.compute});
      plan_.steps.push_back({i, seed});
    }
    const std::string name =
        plan_.tasks.back().name + "-g" + std::to_string(group) + "-s" + std::to_string(seed);
    return add_jobs(name, pack(items, options_.pack, options_.most_devices), after);
  }

  std::vector<std::size_t> add_jobs(const std::string& name, std::vector<Allocation> allocations,
                                    const std::vector<std::size_t>& after) {
    std::vector<std::size_t> added;
    for (Allocation& allocation : allocations) {
      Job job;
      job.name = name;
      if (allocations.size() > 1) job.name += "-" + std::to_string(added.size() + 1);
      job.lanes = std::move(allocation.lanes);
      job.devices = allocation.devices;
      job.after = after;
      set_resources(job, plan_, options_.resources);
      added.push_back(plan_.jobs.size());
      plan_.jobs.push_back(std::move(job));
    }
    return added;
  }

  const PlanOptions& options_;
  Plan plan_;
};

}  // namespace

Plan build_plan(const std::vector<PlanTask>& tasks, const PlanOptions& options) {
  Planner planner(options);
  for (const PlanTask& task : tasks) planner.add(task);
  return planner.take();
}

GpuTime requested_gpu_time(const Job& job) {
  return {GpuAmount::whole(job.devices).micro() * job.time.minutes};
}

GpuTime requested_gpu_time(const Plan& plan) {
  GpuTime sum;
  for (const Job& job : plan.jobs) sum.micro_minutes += requested_gpu_time(job).micro_minutes;
  return sum;
}

GpuTime lower_bound_gpu_time(const Plan& plan) {
  GpuTime sum;
  for (const Step& step : plan.steps) {
    const Entry& entry = plan.entries[step.entry].entry;
    sum.micro_minutes += entry.compute.micro() * entry.time.minutes;
  }
  return sum;
}

}  // namespace compute_scale
