// Runs the steps of a plan on this machine, without Slurm.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_EXECUTOR_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_EXECUTOR_H_

#include <signal.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "device_list.h"
#include "guard.h"
#include "local_files.h"
#include "local_schedule.h"
#include "report.h"
#include "step_launcher.h"
#include "step_program.h"

namespace compute_scale {

struct LocalLimits {
  DeviceList devices;
  int cpu_jobs = 1;             // steps without GPU at once
  std::int64_t kill_wait = 10;  // seconds between TERM and KILL
};

// What became of a step in this run.
struct LocalOutcome {
  enum class State { kWaiting, kDone, kFailed, kTimeout, kCancelled, kBlocked };
  State state = State::kWaiting;
  bool before = false;  // done by an earlier run, or left out of this one
  int exit_code = 0;
  std::int64_t seconds = 0;
};

class LocalExecutor {
 public:
  // All arguments must live as long as this. `steps` says which ones are to run, `attempts` how
  // often each has been started before.
  LocalExecutor(const Plan& plan, const RunSettings& settings, const LocalLimits& limits,
                const Reporter& reporter, Guard& guard, std::vector<LocalStep> steps,
                std::vector<std::int64_t> attempts);

  // Runs the steps to the end of each, or until a signal (SIGINT, SIGTERM, SIGHUP, SIGQUIT): then
  // those that run are sent TERM, and KILL after `kill_wait` or at a second signal, and no other
  // one starts. No process of any step is left. Returns the state of every step, in the plan's
  // order.
  std::vector<LocalOutcome> run();

  bool interrupted() const { return interrupted_; }
  // Whether something could not be written, so that the files do not tell all.
  bool lost_writes() const { return lost_writes_; }

 private:
  struct Running {
    std::size_t step = 0;
    std::int64_t began = 0;                  // milliseconds, monotonic
    std::int64_t deadline = 0;               // for the next signal; 0: none
    bool termed = false;                     // TERM is sent
    bool recorded = false;                   // its record says that it runs
    StepState end_state = StepState::kDone;  // why, where it was: kTimeout or kCancelled
    StepRecord record;
  };
  using Processes = std::unordered_map<pid_t, Running>;

  void start_what_fits();
  void start(const LocalSchedule::Start& start);
  std::optional<StepStart> prepare(const Running& running);
  void take_started(const std::vector<StartedStep>& started);
  void wait_for_something();
  void handle(int signal);
  void reap();
  void ended(Running& running, int wait_status);
  void take_record(Running& running, LocalOutcome& outcome);
  std::int64_t next_wake() const;
  void record_running(std::int64_t now);
  void keep_deadlines(std::int64_t now);
  void set_deadline(pid_t pid, Running& running, std::int64_t when);
  void send(pid_t pid, int signal) const;
  void interrupt();
  void block(const std::vector<std::size_t>& steps, const std::string& reason);
  void written(const Status& status);
  std::string name_of(std::size_t step) const;
  void say_end(const Running& running, const LocalOutcome& outcome);

  const Plan& plan_;
  const LocalLimits& limits_;
  const Reporter& reporter_;
  Guard& guard_;
  StepPrograms programs_;
  LocalFiles files_;
  LocalSchedule schedule_;
  std::vector<std::int64_t> attempts_;
  std::vector<LocalOutcome> outcomes_;
  std::unique_ptr<StepLauncher> launcher_;
  std::unordered_map<std::size_t, Running> launching_;  // by step
  Processes running_;
  std::set<std::pair<std::int64_t, pid_t>> deadlines_;
  std::deque<std::pair<std::int64_t, pid_t>> to_record_;  // when began; ended ones among them
  sigset_t signals_ = {};
  int null_ = -1;
  bool interrupted_ = false;
  bool lost_writes_ = false;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_EXECUTOR_H_
