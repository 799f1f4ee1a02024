#include "step_launcher.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "step_launch.h"

namespace compute_scale {

void write_log_line(int fd, const std::string& text) {
  const std::string line = "compute-scale: " + text + "\n";
  if (write(fd, line.data(), line.size()) < 0) return;  // the record tells of it, too
}

StepLauncher::StepLauncher(const StepPrograms& programs, Guard& guard, int input,
                           std::size_t threads)
    : programs_(programs), guard_(guard), input_(input) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

StepLauncher::~StepLauncher() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  added_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void StepLauncher::add(StepStart start) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(std::move(start));
    ++under_way_;
  }
  added_.notify_one();
}

std::vector<StartedStep> StepLauncher::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(started_, {});
}

std::vector<StartedStep> StepLauncher::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  started_one_.wait(lock, [this] { return !started_.empty() || under_way_ == 0; });
  return std::exchange(started_, {});
}

void StepLauncher::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    StepStart next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const pid_t pid = start(next);
    if (pid >= 0) guard_.watch(next.step, pid);
    if (next.close_log) close(next.log);
    lock.lock();
    started_.push_back({next.step, pid});
    --under_way_;
    started_one_.notify_one();
    if (pid < 0) pthread_kill(maker_, wake_signal());
  }
}

// Returns -1, with a line in the log, where nothing could be started.
pid_t StepLauncher::start(StepStart& start) const {
  StepProgram& program = start.program;
  Launch request;
  request.environment = programs_.environment(program);
  request.input = input_;
  request.output = start.log;
  if (!program.working_dir.empty()) {
    request.working_dir = program.working_dir.c_str();
    request.fallback_dir = program.fallback_dir.c_str();
    request.fallback_pwd = "PWD=" + program.fallback_dir;
    request.fallback_notice = "compute-scale: there is no folder " + program.working_dir +
                              ": starting in " + program.fallback_dir + "\n";
  }
  const auto try_words = [&](std::vector<std::string>& words, const std::string& path) {
    request.program = path.c_str();
    request.argv.clear();
    for (std::string& word : words) request.argv.push_back(word.data());
    request.argv.push_back(nullptr);
    return launch(request);
  };
  Launched launched = try_words(program.argv, program.path);
  // What the kernel cannot execute a shell may: a script without #!.
  if (launched.error == ENOEXEC && program.direct)
    launched = try_words(program.in_shell, "/bin/bash");
  if (launched.error == 0) return launched.pid;
  write_log_line(start.log,
                 start.name + ": " + launched.failed + ": " + std::strerror(launched.error));
  return -1;
}

}  // namespace compute_scale
