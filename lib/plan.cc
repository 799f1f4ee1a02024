#include "plan.h"

#include <algorithm>
#include <map>
#include <numeric>
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

// A task and a seed: what must run in the order of its stages.
struct Unit {
  std::size_t task = 0;
  std::int64_t seed = 0;
  std::vector<std::vector<std::size_t>> steps;  // by stage
  std::vector<std::size_t> before;              // its jobs of the stage that was planned last
};

class Planner {
 public:
  explicit Planner(const PlanOptions& options) : options_(options) {
    plan_.scale = options.scale;
    plan_.pack = options.pack;
    pack_.scope = options.pack;
    pack_.most_devices = options.node.devices;
    if (options.node.mem || options.node.cpus) {
      pack_.fits = [this](const Allocation& allocation) { return fits_node(allocation); };
    }
  }

  Plan build(const std::vector<PlanTask>& tasks) {
    std::size_t entries = 0;
    for (const PlanTask& task : tasks) entries += task.entries.size();
    plan_.entries.reserve(entries);
    for (const PlanTask& task : tasks) {
      const std::size_t first = units_.size();
      add_task(task);
      if (options_.pack != PackScope::kAll) add_stages_of(first);
    }
    if (options_.pack == PackScope::kAll) add_all_stages();
    return std::move(plan_);
  }

 private:
  using Units = std::vector<std::size_t>;  // indices into units_

  // Appends the task, its scaled entries, its units and their steps.
  void add_task(const PlanTask& task) {
    const std::size_t first = plan_.entries.size();
    std::vector<std::vector<std::size_t>> entries(add_entries(task));
    for (std::size_t i = first; i < plan_.entries.size(); ++i) {
      entries[static_cast<std::size_t>(plan_.entries[i].stage)].push_back(i);
    }
    const std::size_t first_unit = units_.size();
    for (const std::int64_t seed : task.seeds) {
      units_.push_back({plan_.tasks.size() - 1, seed, {}, {}});
    }
    for (const auto& of_stage : entries) {
      for (std::size_t unit = first_unit; unit < units_.size(); ++unit) add_steps(unit, of_stage);
    }
  }

  // Appends the task and its scaled entries; returns its number of stages.
  std::size_t add_entries(const PlanTask& task) {
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
    return stages.size();
  }

  void add_steps(std::size_t unit, const std::vector<std::size_t>& entries) {
    std::vector<std::size_t>& steps = units_[unit].steps.emplace_back();
    for (const std::size_t entry : entries) {
      steps.push_back(plan_.steps.size());
      plan_.steps.push_back({entry, units_[unit].seed});
      unit_of_step_.push_back(unit);
    }
  }

  // Every unit from `first` on by itself.
  void add_stages_of(std::size_t first) {
    for (std::size_t stage = 0; first < units_.size(); ++stage) {
      if (stage == units_[first].steps.size()) return;
      for (std::size_t unit = first; unit < units_.size(); ++unit) add_jobs({unit}, stage);
    }
  }

  // All units together. Those that wait for the same jobs come next to each other, so that a job
  // waits for few and a failure stops few.
  void add_all_stages() {
    Units units(units_.size());
    std::iota(units.begin(), units.end(), std::size_t{0});
    for (std::size_t stage = 0; !units.empty(); ++stage) {
      units.erase(std::remove_if(units.begin(), units.end(),
                                 [&](std::size_t u) { return units_[u].steps.size() <= stage; }),
                  units.end());
      std::stable_sort(units.begin(), units.end(), [&](std::size_t a, std::size_t b) {
        return units_[a].before < units_[b].before;
      });
      add_jobs(units, stage);
    }
  }

  // Appends the jobs of one stage of `units`.
  void add_jobs(const Units& units, std::size_t stage) {
    std::vector<PackItem> items;
    for (const std::size_t unit : units) {
      for (const std::size_t step : units_[unit].steps[stage]) {
        const Entry& entry = plan_.entries[plan_.steps[step].entry].entry;
        items.push_back({step, entry.compute, entry.time});
      }
    }
    const std::size_t first = plan_.jobs.size();
    std::map<std::size_t, std::vector<std::size_t>> jobs_of;  // by unit
    for (Allocation& allocation : pack(items, pack_)) {
      const Units inside = units_in(allocation);
      for (const std::size_t unit : inside) jobs_of[unit].push_back(plan_.jobs.size());
      plan_.jobs.push_back(job_of(std::move(allocation), inside, stage));
    }
    number_names(first);
    for (auto& [unit, jobs] : jobs_of) units_[unit].before = std::move(jobs);
  }

  Units units_in(const Allocation& allocation) const {
    Units units;
    for (const Lane& lane : allocation.lanes) {
      for (const std::size_t step : lane.steps) units.push_back(unit_of_step_[step]);
    }
    std::sort(units.begin(), units.end());
    units.erase(std::unique(units.begin(), units.end()), units.end());
    return units;
  }

  Job job_of(Allocation allocation, const Units& inside, std::size_t stage) const {
    Job job;
    if (inside.size() == 1) {
      const Unit& unit = units_[inside.front()];
      const int group = plan_.entries[plan_.steps[unit.steps[stage].front()].entry].group;
      job.name = plan_.tasks[unit.task].name + "-g" + std::to_string(group) + "-s" +
                 std::to_string(unit.seed);
    }
    std::set<std::size_t> after;
    for (const std::size_t unit : inside) {
      after.insert(units_[unit].before.begin(), units_[unit].before.end());
    }
    job.after.assign(after.begin(), after.end());
    job.lanes = std::move(allocation.lanes);
    job.devices = allocation.devices;
    set_resources(job, plan_, options_.resources);
    return job;
  }

  // Tells jobs of the same task, seed and group apart, from the job `first` on; those without a
  // name hold several and are numbered through.
  void number_names(std::size_t first) {
    std::map<std::string, int> count;
    for (std::size_t i = first; i < plan_.jobs.size(); ++i) ++count[plan_.jobs[i].name];
    std::map<std::string, int> number;
    for (std::size_t i = first; i < plan_.jobs.size(); ++i) {
      std::string& name = plan_.jobs[i].name;
      const bool is_mixed = name.empty();
      if (!is_mixed && count[name] == 1) continue;
      const std::string suffix = "-" + std::to_string(++number[name]);
      if (is_mixed) name = "all-g" + std::to_string(stage_of(plan_.jobs[i]) + 1);
      name += suffix;
    }
  }

  int stage_of(const Job& job) const {
    return plan_.entries[plan_.steps[job.lanes.front().steps.front()].entry].stage;
  }

  bool fits_node(const Allocation& allocation) const {
    Job job;
    job.lanes = allocation.lanes;
    job.devices = allocation.devices;
    set_resources(job, plan_, options_.resources);
    const NodeLimits& node = options_.node;
    return !(node.mem && *node.mem < job.mem) && !(node.cpus && *node.cpus < job.cpus);
  }

  const PlanOptions& options_;
  PackOptions pack_;
  Plan plan_;
  std::vector<Unit> units_;
  std::vector<std::size_t> unit_of_step_;
};

}  // namespace

Plan build_plan(const std::vector<PlanTask>& tasks, const PlanOptions& options) {
  return Planner(options).build(tasks);
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

GpuTime unpacked_gpu_time(const Plan& plan) {
  GpuTime sum;
  for (const Step& step : plan.steps) {
    const Entry& entry = plan.entries[step.entry].entry;
    sum.micro_minutes += GpuAmount::whole(entry.compute.devices()).micro() * entry.time.minutes;
  }
  return sum;
}

}  // namespace compute_scale
