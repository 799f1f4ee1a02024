#include "local_executor.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <thread>

#include "orphans.h"
#include "process.h"
#include "read_file.h"
#include "run_layout.h"
#include "step_launch.h"
#include "step_launcher.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr int kCannotStart = 3;  // as the job scripts have it
// A step that is over sooner than this (milliseconds) has no record of running: to write it would
// cost as much as the step.
constexpr std::int64_t kRecordAfter = 100;
// How long a start may go unnoticed (milliseconds): its record and its time limit count from then
// on.
constexpr std::int64_t kNoticeStart = 50;

std::int64_t monotonic_ms() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

LocalOutcome::State state_of(StepState state) {
  switch (state) {
    case StepState::kDone:
      return LocalOutcome::State::kDone;
    case StepState::kTimeout:
      return LocalOutcome::State::kTimeout;
    case StepState::kCancelled:
      return LocalOutcome::State::kCancelled;
    case StepState::kRunning:
    case StepState::kFailed:
      break;
  }
  return LocalOutcome::State::kFailed;
}

// A start occupies a core until its program runs.
std::size_t launcher_threads() {
  return std::max<std::size_t>(1, std::min<std::size_t>(4, std::thread::hardware_concurrency()));
}

}  // namespace

LocalExecutor::LocalExecutor(const Plan& plan, const RunSettings& settings,
                             const LocalLimits& limits, const Reporter& reporter, Guard& guard,
                             std::vector<LocalStep> steps, std::vector<std::int64_t> attempts)
    : plan_(plan),
      limits_(limits),
      reporter_(reporter),
      guard_(guard),
      programs_(plan, settings, present_environment()),
      files_(plan, settings),
      schedule_(steps, static_cast<int>(limits.devices.size()), limits.cpu_jobs),
      attempts_(std::move(attempts)),
      outcomes_(steps.size()) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    outcomes_[i].before = steps[i].before != LocalStep::Before::kToRun;
    if (steps[i].before == LocalStep::Before::kDone)
      outcomes_[i].state = LocalOutcome::State::kDone;
  }
}

std::vector<LocalOutcome> LocalExecutor::run() {
  sigemptyset(&signals_);
  for (const int signal :
       {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, StepLauncher::wake_signal()}) {
    sigaddset(&signals_, signal);
  }
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  const bool no_hangup = hangup.sa_handler == SIG_IGN;  // nohup
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals_, &before);
  if (no_hangup) sigdelset(&signals_, SIGHUP);
  use_default_signals();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  null_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  launcher_ = std::make_unique<StepLauncher>(programs_, guard_, null_, launcher_threads());

  block(schedule_.blocked_at_start(), "an earlier step of its task and seed is left out");
  for (;;) {
    take_started(launcher_->take());
    if (!interrupted_) start_what_fits();
    if (running_.empty() && launching_.empty()) break;
    wait_for_something();
  }
  end_children_but(guard_.pid());
  launcher_.reset();
  close(null_);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return outcomes_;
}

void LocalExecutor::start_what_fits() {
  while (const auto next = schedule_.next(monotonic_ms())) start(*next);
}

void LocalExecutor::start(const LocalSchedule::Start& start) {
  std::string devices;
  for (const int position : start.devices) {
    devices += (devices.empty() ? "" : ",") + limits_.devices[static_cast<std::size_t>(position)];
  }
  Running running;
  running.step = start.step;
  running.began = monotonic_ms();
  running.record = files_.begin(start.step, devices, ++attempts_[start.step]);
  reporter_.note("start " + name_of(start.step) + (devices.empty() ? "" : " on " + devices));
  auto launch = prepare(running);
  if (!launch) return ended(running, kCannotStart << 8);
  guard_.watch(running.step, 0);
  launching_.emplace(running.step, std::move(running));
  launcher_->add(std::move(*launch));
}

// Nothing, with a line in the log, where the step cannot be started.
std::optional<StepStart> LocalExecutor::prepare(const Running& running) {
  auto program = programs_.make(running.step, running.record.devices);
  StepStart start;
  start.step = running.step;
  start.name = name_of(running.step);
  start.close_log = !programs_.by_script();
  if (programs_.by_script()) {
    start.log = null_;
  } else if (const auto log = files_.open_log(running.step, running.record); !log.ok()) {
    written(log.error());
    return std::nullopt;
  } else {
    start.log = *log;
  }
  Status possible = program.ok() ? Status(Done{}) : Status(program.error());
  if (program.ok() && !programs_.by_script()) possible = files_.make_folder(program->output_dir);
  if (possible.ok()) {
    start.program = std::move(*program);
    return start;
  }
  if (start.close_log) {
    write_log_line(start.log, possible.error().text);
    close(start.log);
  }
  return std::nullopt;
}

void LocalExecutor::take_started(const std::vector<StartedStep>& started) {
  for (const StartedStep& one : started) {
    const auto found = launching_.find(one.step);
    Running running = std::move(found->second);
    launching_.erase(found);
    if (one.pid < 0) {
      ended(running, kCannotStart << 8);
      continue;
    }
    const std::int64_t limit =
        plan_.entries[plan_.steps[one.step].entry].entry.time.minutes * 60000;
    Running& kept = running_[one.pid] = std::move(running);
    kept.recorded = programs_.by_script();
    if (!kept.recorded) to_record_.emplace_back(kept.began, one.pid);
    set_deadline(one.pid, kept, kept.began + limit);
  }
}

// When something is to be done even if no signal comes; 0: never.
std::int64_t LocalExecutor::next_wake() const {
  std::int64_t when = deadlines_.empty() ? 0 : deadlines_.begin()->first;
  if (!to_record_.empty()) {
    const std::int64_t record = to_record_.front().first + kRecordAfter;
    when = when == 0 ? record : std::min(when, record);
  }
  if (!launching_.empty()) {
    const std::int64_t notice = monotonic_ms() + kNoticeStart;
    when = when == 0 ? notice : std::min(when, notice);
  }
  return when;
}

void LocalExecutor::wait_for_something() {
  int signal = 0;
  if (const std::int64_t when = next_wake(); when == 0) {
    signal = sigwaitinfo(&signals_, nullptr);
  } else {
    const std::int64_t ms = std::max<std::int64_t>(0, when - monotonic_ms());
    const timespec left = {ms / 1000, ms % 1000 * 1000000};
    signal = sigtimedwait(&signals_, nullptr, &left);
  }
  take_started(launcher_->take());
  if (signal > 0) handle(signal);
  const std::int64_t now = monotonic_ms();
  record_running(now);
  keep_deadlines(now);
}

void LocalExecutor::record_running(std::int64_t now) {
  while (!to_record_.empty() && to_record_.front().first + kRecordAfter <= now) {
    const auto [began, pid] = to_record_.front();
    to_record_.pop_front();
    const auto found = running_.find(pid);
    if (found == running_.end() || found->second.began != began || found->second.recorded) continue;
    found->second.recorded = true;
    written(files_.write(found->second.step, found->second.record));
  }
}

void LocalExecutor::handle(int signal) {
  if (signal == StepLauncher::wake_signal()) return;
  if (signal == SIGCHLD) return reap();
  if (!interrupted_) return interrupt();
  reporter_.error("interrupted again: killing " +
                  counted(static_cast<std::int64_t>(running_.size()), "step"));
  for (auto& [pid, running] : running_) {
    send(pid, SIGKILL);
    set_deadline(pid, running, 0);
  }
}

void LocalExecutor::interrupt() {
  interrupted_ = true;
  while (!launching_.empty()) take_started(launcher_->wait());
  reporter_.error("interrupted: ending " +
                  counted(static_cast<std::int64_t>(running_.size()), "step") +
                  "; once more to kill at once");
  for (auto& [pid, running] : running_) {
    // A step that is being ended for its time stays one that took too long.
    if (running.end_state == StepState::kDone) running.end_state = StepState::kCancelled;
    send(pid, SIGTERM);
    running.termed = true;
    set_deadline(pid, running, monotonic_ms() + limits_.kill_wait * 1000);
  }
}

void LocalExecutor::keep_deadlines(std::int64_t now) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const pid_t pid = deadlines_.begin()->second;
    Running& running = running_.at(pid);
    if (running.termed) {
      send(pid, SIGKILL);
      set_deadline(pid, running, 0);
      continue;
    }
    running.end_state = StepState::kTimeout;
    running.termed = true;
    send(pid, SIGTERM);
    set_deadline(pid, running, now + limits_.kill_wait * 1000);
  }
}

void LocalExecutor::set_deadline(pid_t pid, Running& running, std::int64_t when) {
  if (running.deadline > 0) deadlines_.erase({running.deadline, pid});
  running.deadline = when;
  if (when > 0) deadlines_.insert({when, pid});
}

// To the step's whole process group; a stopped one must wake up to be ended.
void LocalExecutor::send(pid_t pid, int signal) const {
  kill(-pid, signal);
  if (signal == SIGTERM) kill(-pid, SIGCONT);
}

void LocalExecutor::reap() {
  for (;;) {
    siginfo_t info = {};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    const pid_t pid = info.si_pid;
    auto found = running_.find(pid);
    // It may have ended before its start was told of.
    while (found == running_.end() && !launching_.empty()) {
      take_started(launcher_->wait());
      found = running_.find(pid);
    }
    // What the step left running in its group must not outlive it. As long as the step's own
    // process is not taken off, no other group can have its number.
    if (found != running_.end()) kill(-pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    if (found == running_.end()) continue;  // an orphan that a step left behind
    Running running = std::move(found->second);
    set_deadline(pid, running, 0);
    guard_.watch(running.step, 0);
    running_.erase(found);
    ended(running, status);
  }
}

void LocalExecutor::ended(Running& running, int wait_status) {
  LocalOutcome& outcome = outcomes_[running.step];
  outcome.exit_code = exit_code_of(wait_status);
  outcome.seconds = (monotonic_ms() - running.began) / 1000;
  StepState state = running.end_state;
  if (state == StepState::kDone && outcome.exit_code != 0) state = StepState::kFailed;
  running.record.state = state;
  running.record.exit_code = outcome.exit_code;
  running.record.elapsed_seconds = outcome.seconds;
  if (programs_.by_script()) {
    take_record(running, outcome);
  } else {
    written(files_.write(running.step, running.record));
  }
  outcome.state = state_of(running.record.state);
  say_end(running, outcome);
  block(schedule_.ended(running.step, outcome.state == LocalOutcome::State::kDone),
        "a step before it did not succeed");
}

// Takes over what the step's script has recorded of its end; where it could not (it was killed, or
// never ran), or was ended from here, the record is completed.
void LocalExecutor::take_record(Running& running, LocalOutcome& outcome) {
  const auto found = files_.load(running.step);
  const bool is_own = found.ok() && *found && (*found)->attempt >= running.record.attempt;
  if (is_own) {
    const StepState state = running.record.state;
    StepRecord record = **found;
    if (record.state != StepState::kRunning && running.end_state == StepState::kDone) {
      outcome.exit_code = record.exit_code.value_or(outcome.exit_code);
      running.record = std::move(record);
      return;
    }
    record.exit_code = record.exit_code ? record.exit_code : running.record.exit_code;
    record.elapsed_seconds = outcome.seconds;
    record.state = state;
    running.record = std::move(record);
  }
  written(files_.write(running.step, running.record));
}

void LocalExecutor::block(const std::vector<std::size_t>& steps, const std::string& reason) {
  if (interrupted_) return;  // nothing starts any more, and all of it can go on later
  for (const std::size_t step : steps) {
    outcomes_[step].state = LocalOutcome::State::kBlocked;
    reporter_.error("blocked " + name_of(step) + ": " + reason);
  }
}

void LocalExecutor::say_end(const Running& running, const LocalOutcome& outcome) {
  const std::string name = name_of(running.step);
  const std::string behind = " after " + std::to_string(outcome.seconds) + " s";
  if (outcome.state == LocalOutcome::State::kDone) return reporter_.note("done " + name + behind);
  reporter_.error(to_string(running.record.state) + " " + name + ": exit code " +
                  std::to_string(outcome.exit_code) + behind + ", see " +
                  files_.log_path(running.step));
}

std::string LocalExecutor::name_of(std::size_t step) const {
  const std::string name = entry_name(plan_, plan_.steps[step]);
  return printable(name, name.size()) + " seed " + std::to_string(plan_.steps[step].seed);
}

void LocalExecutor::written(const Status& status) {
  if (status.ok()) return;
  lost_writes_ = true;
  reporter_.error(status.error().text);
}

}  // namespace compute_scale
