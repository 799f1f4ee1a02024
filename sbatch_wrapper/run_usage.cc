#include "run_usage.h"

#include <algorithm>

#include "gpu_amount.h"

namespace compute_scale {
namespace {

double compute_of(const RunStep& step) {
  const auto amount = GpuAmount::parse(step.compute);
  return amount.ok() ? static_cast<double>(amount->micro()) / 1e6 : 0;
}

// From the first start to the last sign of life of the steps that Slurm ran.
double seconds_by_records(const RunJob& job, const RunFacts& facts, const RunStatus& status) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  for (const std::size_t step : job.steps()) {
    const auto& record = facts.records[step];
    if (!record || record->job_id.empty()) continue;
    const std::int64_t started = utc_seconds(record->started);
    const bool running = status.steps[step].phase == StepPhase::kRunning;
    first = first == 0 ? started : std::min(first, started);
    last = std::max(last, running ? facts.now : utc_seconds(record->written));
  }
  return static_cast<double>(std::max<std::int64_t>(0, last - first));
}

// Outside of Slurm nothing holds a device beside the step itself.
double gpu_seconds_of_local_steps(const RunJob& job, const RunFacts& facts,
                                  const RunStatus& status) {
  double sum = 0;
  for (const std::size_t step : job.steps()) {
    const auto& record = facts.records[step];
    if (!record || !record->job_id.empty()) continue;
    sum += compute_of(facts.run.steps[step]) *
           static_cast<double>(status.steps[step].elapsed_seconds.value_or(0));
  }
  return sum;
}

}  // namespace

void count_usage(const RunJob& job, const QueueJob* row, const RunFacts& facts,
                 const RunStatus& status, JobStatus& out) {
  const std::int64_t gpus = row != nullptr && row->gpus > 0 ? row->gpus : job.devices;
  const bool runs = row != nullptr && phase_of(row->state) == JobPhase::kActive;
  const auto steps = job.steps();
  const bool seems_to_run =
      row == nullptr && std::any_of(steps.begin(), steps.end(), [&](std::size_t step) {
        return status.steps[step].phase == StepPhase::kRunning;
      });
  if (runs || seems_to_run) out.gpus = gpus;
  const double seconds = row != nullptr && row->elapsed_seconds > 0
                             ? static_cast<double>(row->elapsed_seconds)
                             : seconds_by_records(job, facts, status);
  out.gpu_seconds =
      static_cast<double>(gpus) * seconds + gpu_seconds_of_local_steps(job, facts, status);
}

std::vector<TaskShare> task_shares(const RunRecord& run, const RunJob& job) {
  std::vector<TaskShare> out;
  double sum = 0;
  for (const std::size_t index : job.steps()) {
    const RunStep& step = run.steps[index];
    const double weight = compute_of(step) * static_cast<double>(step.time_minutes);
    const auto known = std::find_if(
        out.begin(), out.end(), [&](const TaskShare& share) { return share.task == step.task; });
    sum += weight;
    if (known == out.end()) {
      out.push_back({step.task, weight});
    } else {
      known->part += weight;
    }
  }
  for (TaskShare& share : out) {
    share.part = sum > 0 ? share.part / sum : 1.0 / static_cast<double>(out.size());
  }
  return out;
}

}  // namespace compute_scale
