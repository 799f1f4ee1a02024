// Starts the programs of steps from threads of their own. A start takes until the program is
// executed (launch() waits for that), in which other steps can end and be started.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_STEP_LAUNCHER_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_STEP_LAUNCHER_H_

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "guard.h"
#include "step_program.h"

namespace compute_scale {

struct StepStart {
  std::size_t step = 0;
  std::string name;  // of the step, for a line in the log
  StepProgram program;
  int log = -1;           // its stdout and stderr
  bool close_log = true;  // once it is started
};

struct StartedStep {
  std::size_t step = 0;
  pid_t pid = -1;  // -1: nothing runs, and the log says why
};

class StepLauncher {
 public:
  // Sent to the thread that made this, which has blocked it, when a step could not be started. (Of
  // one that was, SIGCHLD tells in time.)
  static int wake_signal() { return SIGRTMIN; }

  // `programs` and `guard` must live as long as this; `input` is every program's stdin. What is
  // started dies with this: it must be over before.
  StepLauncher(const StepPrograms& programs, Guard& guard, int input, std::size_t threads);
  StepLauncher(const StepLauncher&) = delete;
  StepLauncher& operator=(const StepLauncher&) = delete;
  ~StepLauncher();

  void add(StepStart start);
  // What became of those added, each once. Does not wait.
  std::vector<StartedStep> take();
  // The same; waits for one if none is there and some are under way.
  std::vector<StartedStep> wait();

 private:
  void work();
  pid_t start(StepStart& start) const;

  const StepPrograms& programs_;
  Guard& guard_;
  const int input_;
  const pthread_t maker_ = pthread_self();
  std::mutex mutex_;  // of all below
  std::condition_variable added_, started_one_;
  std::deque<StepStart> waiting_;
  std::vector<StartedStep> started_;
  std::size_t under_way_ = 0;  // added and not yet in `started_`
  bool over_ = false;
  std::vector<std::thread> threads_;
};

// A line of ours in a step's log.
void write_log_line(int fd, const std::string& text);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_STEP_LAUNCHER_H_
