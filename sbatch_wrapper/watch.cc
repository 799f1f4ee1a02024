#include "watch.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <set>

#include "interrupt.h"
#include "shell_quote.h"
#include "status_view.h"

namespace compute_scale {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// "15:23:01", local time.
std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  localtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  return text;
}

// Lines of each list that fit on the terminal below the table.
std::size_t lines_that_fit(const RunRecord& run) {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return 10;
  const std::size_t used = run.tasks.size() + 12;
  return size.ws_row > used ? (size.ws_row - used) / 3 + 1 : 1;
}

class Watcher {
 public:
  Watcher(RunFollower& follower, const Reporter& reporter)
      : follower_(follower), reporter_(reporter), terminal_(isatty(STDOUT_FILENO) == 1) {}

  Result<int> run(int interval) {
    const Interrupt interrupt;
    do {
      const RunStatus before = follower_.status();
      COMPUTE_SCALE_CHECK(follower_.look());
      if (interrupt.interrupted()) break;
      tell_problems();
      if (!show(before)) return static_cast<int>(ErrorKind::kUsage);
      if (follower_.status().is_over()) return 0;
    } while (!interrupt.wait(interval * 1000));
    return kInterruptedExit;
  }

 private:
  // Each once, not at every look.
  void tell_problems() {
    if (follower_.slurm_problem() != problem_) {
      problem_ = follower_.slurm_problem();
      reporter_.warning(problem_.empty() ? "Slurm answers again"
                                         : "Slurm cannot be asked: " + problem_);
    }
    for (const std::string& warning : follower_.warnings()) {
      if (told_.insert(warning).second) reporter_.warning(warning);
    }
  }

  bool show(const RunStatus& before) const {
    const RunRecord& run = follower_.run();
    const RunStatus& status = follower_.status();
    const bool over = status.is_over();
    const std::string table = status_text(run, status, over ? kAll : lines_that_fit(run));
    if (terminal_) {
      constexpr char kClear[] = "\x1b[H\x1b[2J";
      return print(kClear + table + "\n" + progress_bar(status, 40) + " " + summary_line(status) +
                   "\n");
    }
    std::string out;
    if (before.steps.empty()) out += clock_text() + " " + summary_line(status) + "\n";
    for (const std::string& line : changes(run, before, status)) {
      out += clock_text() + " " + line + "\n";
    }
    return print(out + (over ? table : ""));
  }

  RunFollower& follower_;
  const Reporter& reporter_;
  const bool terminal_;
  std::string problem_;
  std::set<std::string> told_;
};

}  // namespace

Result<int> watch(RunFollower& follower, int interval, const Reporter& reporter) {
  return Watcher(follower, reporter).run(interval);
}

int exit_status(const RunFollower& follower) {
  const bool bad = follower.status().has_bad() || !follower.slurm_problem().empty();
  return bad ? static_cast<int>(ErrorKind::kSubmit) : 0;
}

Result<int> wait_for_run(const std::string& run_dir, int interval, const Reporter& reporter,
                         ProcessRunner& runner) {
  RunFollower follower(run_dir, runner);
  COMPUTE_SCALE_TRY(ended, watch(follower, interval, reporter));
  if (ended == kInterruptedExit) {
    reporter.note("interrupted; the jobs go on: sbatch-tasks status --watch " +
                  shell_quote(run_dir));
  }
  if (ended != 0) return ended;
  return follower.status().all_done() ? 0 : static_cast<int>(ErrorKind::kSubmit);
}

}  // namespace compute_scale
