#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>

#include "guard.h"
#include "local_devices.h"
#include "local_executor.h"
#include "local_run.h"
#include "run_dir.h"
#include "run_layout.h"
#include "shell_quote.h"
#include "text.h"
#include "verbs.h"

namespace compute_scale {
namespace {

constexpr int kInterrupted = 130;

int cpu_count() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 1;
  return std::max(1, CPU_COUNT(&cpus));
}

// Held while the run goes on; it names the process, for those who want to end the run.
class Lock {
 public:
  Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (fd_ >= 0) close(fd_);
  }

  Status take(const std::string& run_dir) {
    const std::string file = run_dir + "/" + kLocalLockFile;
    fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd_ < 0) return usage_error(file + ": cannot be opened: " + std::strerror(errno));
    if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      return usage_error(run_dir + ": another sbatch-tasks run is at work in it" + owner());
    }
    const std::string pid = std::to_string(getpid()) + "\n";
    if (ftruncate(fd_, 0) != 0 || write(fd_, pid.data(), pid.size()) < 0) {
      return usage_error(file + ": cannot be written: " + std::strerror(errno));
    }
    return Done{};
  }

 private:
  std::string owner() const {
    std::array<char, 32> text = {};
    if (read(fd_, text.data(), text.size() - 1) <= 0) return "";
    return " (process " + std::string(trim(text.data())) + ")";
  }
  int fd_ = -1;
};

bool is_to_run(const LocalStep& step) {
  return step.before == LocalStep::Before::kToRun;
}

Result<LocalLimits> limits_of(const Context& context, const LocalRun& run, const Reporter& reporter,
                              ProcessRunner& runner) {
  LocalLimits limits;
  limits.cpu_jobs = context.options.cpu_jobs.value_or(cpu_count());
  limits.kill_wait = context.options.kill_wait;
  const auto needs_gpu = [](const LocalStep& step) {
    return is_to_run(step) && !step.compute.is_zero();
  };
  const bool any = std::any_of(run.steps.begin(), run.steps.end(), needs_gpu);
  if (!any && !context.options.gpus) return limits;
  COMPUTE_SCALE_TRY(found, local_devices(context.options.gpus, present_environment(), runner));
  if (!found.notice.empty()) reporter.warning(found.notice);
  limits.devices = std::move(found.devices);
  const auto there = static_cast<std::int64_t>(limits.devices.size());
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const std::int64_t needed = run.steps[i].compute.devices();
    if (!is_to_run(run.steps[i]) || needed <= there) continue;
    return site_error(entry_name(run.plan, run.plan.steps[i]) + ": needs " +
                      counted(needed, "GPU") + ", but there " + (there == 1 ? "is " : "are ") +
                      std::to_string(there) + " (" + found.source + ")");
  }
  return limits;
}

int print_steps(const LocalRun& run) {
  std::string out;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    if (!is_to_run(run.steps[i])) continue;
    const Step& step = run.plan.steps[i];
    const PlanEntry& entry = run.plan.entries[step.entry];
    out += printable(entry_name(run.plan, step), 1000) + " seed " + std::to_string(step.seed) +
           ": group " + std::to_string(entry.group) + ", " + entry.entry.compute.to_string() +
           " GPU, " + to_string(entry.entry.time) + ": " + shell_quote(entry.entry.cmd) + "\n";
  }
  return print(out) ? 0 : 1;
}

using State = LocalOutcome::State;
using Counts = std::map<State, int>;

std::string summary(const Plan& plan, const std::vector<LocalOutcome>& outcomes) {
  using Align = Table::Align;
  constexpr State kStates[] = {State::kDone,      State::kFailed,  State::kTimeout,
                               State::kCancelled, State::kBlocked, State::kWaiting};
  Table table({{"TASK", Align::kLeft},
               {"STEPS", Align::kRight},
               {"DONE", Align::kRight},
               {"FAILED", Align::kRight},
               {"TIMEOUT", Align::kRight},
               {"CANCELLED", Align::kRight},
               {"BLOCKED", Align::kRight},
               {"OPEN", Align::kRight}});
  std::vector<Counts> tasks(plan.tasks.size() + 1);  // the last one: all
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    ++tasks[plan.entries[plan.steps[i].entry].task][outcomes[i].state];
    ++tasks.back()[outcomes[i].state];
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    int sum = 0;
    for (const auto& [state, count] : tasks[i]) sum += count;
    std::vector<std::string> row = {
        i < plan.tasks.size() ? plan.tasks[i].name
                              : counted(static_cast<std::int64_t>(plan.tasks.size()), "task"),
        std::to_string(sum)};
    for (const State state : kStates) row.push_back(std::to_string(tasks[i][state]));
    if (i == plan.tasks.size()) table.rule();
    table.add(std::move(row));
  }
  return table.text();
}

// A container whose client was killed goes on. Only those of this run carry its label.
void remove_containers(const RunSettings& settings, const Reporter& reporter,
                       ProcessRunner& runner) {
  std::string engine;
  if (settings.backend == Backend::kDocker || settings.backend == Backend::kDockerRootless) {
    engine = "docker";
  } else if (settings.backend == Backend::kPodman) {
    engine = "podman";
  } else {
    return;
  }
  const auto environment = present_environment();
  const std::string label = "label=compute-scale.run=" + settings.run_dir;
  const auto listed = runner.run({engine, "ps", "-aq", "--filter", label}, environment);
  std::vector<std::string> argv = {engine, "rm", "-f"};
  if (listed.ok()) {
    for (const std::string_view id : split(listed->output, '\n')) {
      if (!id.empty()) argv.emplace_back(id);
    }
  }
  if (argv.size() == 3) return;
  reporter.note("removing " + counted(static_cast<std::int64_t>(argv.size() - 3), "container"));
  const auto removed = runner.run(argv, environment);
  if (!removed.ok() || removed->exit_code != 0) {
    reporter.error("containers may be left: " + engine + " ps --filter " + shell_quote(label));
  }
}

bool is_bad(const LocalOutcome& outcome) {
  return outcome.state != State::kDone && outcome.state != State::kWaiting;
}

}  // namespace

Result<int> run_local(const Context& context, const Reporter& reporter, ProcessRunner& runner) {
  const bool dry_run = context.options.dry_run;
  Guard guard;
  if (!dry_run) COMPUTE_SCALE_CHECK(guard.start());
  COMPUTE_SCALE_TRY(recorded, recorded_run_dir(context));
  Lock lock;
  if (!recorded.empty() && !dry_run) COMPUTE_SCALE_CHECK(lock.take(recorded));
  COMPUTE_SCALE_TRY(run, load_local_run(context, reporter));
  COMPUTE_SCALE_TRY(scripts, local_scripts(run));
  COMPUTE_SCALE_TRY(limits, limits_of(context, run, reporter, runner));
  if (dry_run) return print_steps(run);
  if (recorded.empty()) {
    COMPUTE_SCALE_CHECK(write_run_dir(run.plan, run.settings, scripts));
    COMPUTE_SCALE_CHECK(lock.take(run.settings.run_dir));
  }
  reporter.note("run directory " + run.settings.run_dir);
  LocalExecutor executor(run.plan, run.settings, limits, reporter, guard, run.steps, run.attempts);
  const std::vector<LocalOutcome> outcomes = executor.run();
  const bool printed = print(summary(run.plan, outcomes));
  const bool bad = std::any_of(outcomes.begin(), outcomes.end(), is_bad);
  if (bad || executor.interrupted()) {
    remove_containers(run.settings, reporter, runner);
    reporter.note("to go on: sbatch-tasks run --run-dir " + shell_quote(run.settings.run_dir));
  }
  if (executor.interrupted()) return kInterrupted;
  if (bad || executor.lost_writes()) return static_cast<int>(ErrorKind::kSubmit);
  return printed ? 0 : 1;
}

}  // namespace compute_scale
