#include "plan_figures.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace compute_scale {

std::vector<TaskFigures> figures_by_task(const Plan& plan) {
  std::vector<TaskFigures> figures(plan.tasks.size());
  for (const PlanEntry& entry : plan.entries) ++figures[entry.task].entries;
  std::map<std::tuple<std::size_t, int, std::int64_t>, int> at_once;  // task, stage, seed
  for (const Job& job : plan.jobs) {
    const Step& step = plan.steps[job.lanes.front().steps.front()];
    const PlanEntry& entry = plan.entries[step.entry];
    TaskFigures& task = figures[entry.task];
    ++task.jobs;
    task.requested.micro_minutes += requested_gpu_time(job).micro_minutes;
    int& gpus = at_once[{entry.task, entry.stage, step.seed}];
    gpus += job.devices;
    task.gpus = std::max(task.gpus, gpus);
  }
  return figures;
}

}  // namespace compute_scale
