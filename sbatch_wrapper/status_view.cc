#include "status_view.h"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>

#include "report.h"
#include "run_usage.h"
#include "text.h"

namespace compute_scale {
namespace {

using Json = nlohmann::ordered_json;

struct Sums {
  std::array<std::int64_t, kStepPhases> steps = {};  // by phase
  double gpus = 0;
  double gpu_hours = 0;

  std::int64_t all() const {
    std::int64_t sum = 0;
    for (const std::int64_t count : steps) sum += count;
    return sum;
  }
  std::int64_t of(StepPhase phase) const { return steps[static_cast<std::size_t>(phase)]; }
  void add(const Sums& more) {
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] += more.steps[i];
    gpus += more.gpus;
    gpu_hours += more.gpu_hours;
  }
};

// The order of the columns.
constexpr StepPhase kColumns[] = {StepPhase::kWaiting, StepPhase::kBlocked, StepPhase::kRunning,
                                  StepPhase::kDone,    StepPhase::kFailed,  StepPhase::kCancelled};

std::vector<Sums> sums_by_task(const RunRecord& run, const RunStatus& status) {
  std::vector<Sums> out(run.tasks.size());
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    ++out[run.steps[i].task].steps[static_cast<std::size_t>(status.steps[i].phase)];
  }
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    for (const TaskShare& share : task_shares(run, run.jobs[i])) {
      out[share.task].gpus += share.part * static_cast<double>(status.jobs[i].gpus);
      out[share.task].gpu_hours += share.part * status.jobs[i].gpu_seconds / 3600;
    }
  }
  return out;
}

Sums total(const std::vector<Sums>& tasks) {
  Sums out;
  for (const Sums& task : tasks) out.add(task);
  return out;
}

std::vector<std::string> row(const std::string& title, const Sums& sums) {
  std::vector<std::string> cells = {title, std::to_string(sums.all())};
  for (const StepPhase phase : kColumns) cells.push_back(std::to_string(sums.of(phase)));
  cells.push_back(short_number(sums.gpus, 2));
  cells.push_back(short_number(sums.gpu_hours, 2));
  return cells;
}

std::string table(const RunRecord& run, const std::vector<Sums>& tasks) {
  using Align = Table::Align;
  std::vector<Table::Column> columns = {{"TASK", Align::kLeft}, {"STEPS", Align::kRight}};
  for (const char* title :
       {"WAITING", "BLOCKED", "RUNNING", "DONE", "FAILED", "CANCELLED", "GPUS", "GPU-HOURS"}) {
    columns.push_back({title, Align::kRight});
  }
  Table out(std::move(columns));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    out.add(row(printable(run.tasks[i], 200), tasks[i]));
  }
  if (tasks.size() > 1) {
    out.rule();
    out.add(row("total", total(tasks)));
  }
  return out.text();
}

// A titled list of the steps for which `line` says something.
std::string list(const char* title, const RunRecord& run, std::size_t most_lines,
                 const std::function<std::string(std::size_t)>& line) {
  std::string out;
  std::size_t count = 0;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const std::string text = line(i);
    if (text.empty() || ++count > most_lines) continue;
    out += "  " + step_title(run.steps[i]) + ": " + text + "\n";
  }
  if (count > most_lines) out += "  and " + std::to_string(count - most_lines) + " more\n";
  return out.empty() ? "" : "\n" + std::string(title) + ":\n" + out;
}

std::string failure_text(const RunRecord& run, const RunStep& step, const StepStatus& status) {
  std::vector<std::string> parts;
  if (status.state != "failed") parts.push_back(status.state);
  if (!status.reason.empty()) parts.push_back(status.reason);
  if (status.exit_code) parts.push_back("exit code " + std::to_string(*status.exit_code));
  if (status.attempt > 1) parts.push_back("attempt " + std::to_string(status.attempt));
  if (!status.job_id.empty()) parts.push_back("job " + status.job_id);
  if (status.attempt > 0) parts.push_back("log " + printable(run.run_dir + "/" + step.log, 4096));
  return join(parts, ", ");
}

// The state of a step that its column alone does not tell.
std::string other_state(const StepStatus& status) {
  const bool is_open = status.phase == StepPhase::kWaiting || status.phase == StepPhase::kRunning;
  if (!is_open || status.state == to_string(status.phase)) return "";
  return status.state +
         (status.attempt > 0 ? " after attempt " + std::to_string(status.attempt) : "");
}

// Why Slurm keeps a job waiting, where that is more than its turn (squeue(1), JOB REASON CODES):
// somebody may have to act, so that it does not wait for ever.
std::string held_up(const StepStatus& status) {
  static constexpr std::string_view kUsual[] = {"",          "None",       "Priority",
                                                "Resources", "Dependency", "JobArrayTaskLimit",
                                                "Prolog",    "BeginTime",  "Cleaning"};
  const bool is_usual =
      std::find(std::begin(kUsual), std::end(kUsual), status.slurm_reason) != std::end(kUsual);
  if (status.phase != StepPhase::kWaiting || is_usual) return "";
  return status.slurm_reason + ", job " + status.job_id;
}

Json sums_json(const Sums& sums) {
  Json out;
  out["steps"] = sums.all();
  for (const StepPhase phase : kColumns) out[to_string(phase)] = sums.of(phase);
  out["gpus"] = sums.gpus;
  out["gpu_hours"] = sums.gpu_hours;
  return out;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json step_json(const RunRecord& run, const RunStep& step, const StepStatus& status) {
  Json out;
  out["step"] = step.name;
  out["task"] = run.tasks[step.task];
  out["seed"] = step.seed;
  out["group"] = step.group;
  out["phase"] = to_string(status.phase);
  out["state"] = status.state;
  out["reason"] = text_or_null(status.reason);
  out["exit_code"] = status.exit_code ? Json(*status.exit_code) : Json(nullptr);
  out["elapsed_seconds"] = status.elapsed_seconds ? Json(*status.elapsed_seconds) : Json(nullptr);
  out["attempt"] = status.attempt;
  out["job_id"] = text_or_null(status.job_id);
  out["cluster"] = text_or_null(status.cluster);
  out["slurm_state"] = text_or_null(status.slurm_state);
  out["slurm_reason"] = text_or_null(status.slurm_reason);
  out["node"] = text_or_null(status.node);
  out["devices"] = status.devices;
  out["compute"] = step.compute;
  out["log"] = run.run_dir + "/" + step.log;
  return out;
}

}  // namespace

std::string step_title(const RunStep& step) {
  return printable(step.name, 200) + " seed " + std::to_string(step.seed);
}

std::string summary_line(const RunStatus& status) {
  Sums sums;
  for (const StepStatus& step : status.steps) ++sums.steps[static_cast<std::size_t>(step.phase)];
  std::string out =
      std::to_string(sums.of(StepPhase::kDone)) + " of " + counted(sums.all(), "step") + " done";
  for (const StepPhase phase : {StepPhase::kFailed, StepPhase::kBlocked, StepPhase::kCancelled,
                                StepPhase::kRunning, StepPhase::kWaiting}) {
    if (sums.of(phase) == 0) continue;
    out += ", " + std::to_string(sums.of(phase)) + " " + to_string(phase);
  }
  return out;
}

std::string status_text(const RunRecord& run, const RunStatus& status, std::size_t most_lines) {
  const auto of = [&](StepPhase phase, std::size_t i) { return status.steps[i].phase == phase; };
  return table(run, sums_by_task(run, status)) +
         list("in another state", run, most_lines,
              [&](std::size_t i) { return other_state(status.steps[i]); }) +
         list("held up by Slurm", run, most_lines,
              [&](std::size_t i) { return held_up(status.steps[i]); }) +
         list("blocked", run, most_lines,
              [&](std::size_t i) {
                return of(StepPhase::kBlocked, i) ? status.steps[i].reason : std::string();
              }) +
         list("failed", run, most_lines, [&](std::size_t i) {
           return of(StepPhase::kFailed, i) ? failure_text(run, run.steps[i], status.steps[i])
                                            : std::string();
         });
}

std::string status_json(const RunRecord& run, const RunStatus& status,
                        const std::string& slurm_problem) {
  const std::vector<Sums> tasks = sums_by_task(run, status);
  Json out;
  out["run_dir"] = run.run_dir;
  out["exp_name"] = run.exp_name;
  out["compute_scale"] = run.compute_scale;
  out["hardware"] = text_or_null(run.hardware);
  out["over"] = status.is_over();
  out["slurm_problem"] = text_or_null(slurm_problem);
  out["total"] = sums_json(total(tasks));
  out["tasks"] = Json::array();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Json task;
    task["task"] = run.tasks[i];
    task.update(sums_json(tasks[i]));
    out["tasks"].push_back(std::move(task));
  }
  out["steps"] = Json::array();
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    out["steps"].push_back(step_json(run, run.steps[i], status.steps[i]));
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string progress_bar(const RunStatus& status, std::size_t width) {
  std::size_t ended = 0;
  for (const StepStatus& step : status.steps) {
    if (step.phase != StepPhase::kWaiting && step.phase != StepPhase::kRunning) ++ended;
  }
  const std::size_t all = status.steps.size();
  const std::size_t full = all == 0 ? width : width * ended / all;
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

std::vector<std::string> changes(const RunRecord& run, const RunStatus& before,
                                 const RunStatus& after) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < after.steps.size() && i < before.steps.size(); ++i) {
    const StepStatus& now = after.steps[i];
    if (now.state == before.steps[i].state) continue;
    std::string line = step_title(run.steps[i]) + ": " + before.steps[i].state + " -> " + now.state;
    if (now.phase == StepPhase::kFailed && now.exit_code) {
      line += ", exit code " + std::to_string(*now.exit_code);
    }
    if (!now.reason.empty()) line += ", " + now.reason;
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace compute_scale
