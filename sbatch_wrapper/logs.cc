#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <set>

#include "interrupt.h"
#include "run_choice.h"
#include "run_follower.h"
#include "run_layout.h"
#include "status_view.h"
#include "verbs.h"
#include "watch.h"

namespace compute_scale {
namespace {

constexpr int kPollMilliseconds = 200;

// A log that grows: each call shows what has come since the last one.
class GrowingFile {
 public:
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  GrowingFile(GrowingFile&& other) noexcept : path_(std::move(other.path_)), fd_(other.fd_) {
    other.fd_ = -1;
  }
  ~GrowingFile() {
    if (fd_ >= 0) close(fd_);
  }

  bool is_there() {
    if (fd_ < 0) fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    return fd_ >= 0;
  }
  const std::string& path() const { return path_; }

  // The next part; empty: nothing for now.
  std::string next() {
    std::array<char, 65536> part;
    if (!is_there()) return "";
    for (;;) {
      const ssize_t size = read(fd_, part.data(), part.size());
      if (size < 0 && errno == EINTR) continue;
      return size <= 0 ? "" : std::string(part.data(), static_cast<std::size_t>(size));
    }
  }

 private:
  std::string path_;
  int fd_ = -1;
};

// One log to show, and the steps that it belongs to.
struct Source {
  std::string title;
  GrowingFile file;
  std::vector<std::size_t> steps;
};

std::vector<Source> step_logs(const RunRecord& run, const std::vector<std::size_t>& steps) {
  std::vector<Source> out;
  out.reserve(steps.size());
  for (const std::size_t step : steps) {
    out.push_back({step_title(run.steps[step]),
                   GrowingFile(run.run_dir + "/" + run.steps[step].log),
                   {step}});
  }
  return out;
}

// Of the job's submissions, alone or as an element of an array, each file once.
std::vector<std::string> slurm_logs(const RunJob& job) {
  std::vector<std::string> out;
  for (const JobSubmission& submission : job.submissions) {
    const std::string log =
        submission.index ? array_log_path(submission.slurm_name, std::to_string(*submission.index))
                         : job.log;
    if (std::find(out.begin(), out.end(), log) == out.end()) out.push_back(log);
  }
  if (out.empty()) out.push_back(job.log);
  return out;
}

// What Slurm itself and the job script wrote, once for each job that holds one of the steps.
std::vector<Source> job_logs(const RunRecord& run, const std::vector<std::size_t>& steps) {
  const std::set<std::size_t> chosen(steps.begin(), steps.end());
  std::vector<Source> out;
  for (const RunJob& job : run.jobs) {
    std::vector<std::size_t> held;
    for (const std::size_t step : job.steps()) {
      if (chosen.count(step) > 0) held.push_back(step);
    }
    if (held.empty()) continue;
    for (const std::string& log : slurm_logs(job)) {
      out.push_back({"job " + job.name, GrowingFile(run.run_dir + "/" + log), held});
    }
  }
  return out;
}

// Shows logs on stdout, each under its title where there are several.
class Logs {
 public:
  Logs(RunFollower& follower, std::vector<Source> sources, const Reporter& reporter)
      : follower_(follower), sources_(std::move(sources)), reporter_(reporter) {}

  Result<int> show() {
    for (Source& source : sources_) {
      if (!show_new(source)) return 1;
    }
    COMPUTE_SCALE_CHECK(explain_missing());
    return 0;
  }

  Result<int> follow(int interval) {
    const Interrupt interrupt;
    std::int64_t next_look = 0;
    do {
      for (Source& source : sources_) {
        if (!show_new(source)) return 1;
      }
      if (std::time(nullptr) < next_look && !has_new_record()) continue;
      COMPUTE_SCALE_CHECK(follower_.look());
      next_look = std::time(nullptr) + interval;
      if (!drop_ended()) return 1;
      if (sources_.empty()) return 0;
    } while (!interrupt.wait(kPollMilliseconds));
    return kInterruptedExit;
  }

 private:
  bool show_new(Source& source) {
    for (std::string part = source.file.next(); !part.empty(); part = source.file.next()) {
      if (several_ && shown_ != source.title) {
        const std::string head = (shown_.empty() ? "" : "\n") + std::string("==> ") + source.title;
        if (!print(head + " <==\n")) return false;
        shown_ = source.title;
      }
      if (!print(part)) return false;
    }
    return true;
  }

  // In which state a step is that has no log yet.
  Status explain_missing() {
    bool looked = false;
    for (Source& source : sources_) {
      if (source.file.is_there()) continue;
      if (!looked) COMPUTE_SCALE_CHECK(follower_.look());
      looked = true;
      const StepStatus& status = follower_.status().steps[source.steps.front()];
      reporter_.note(source.title + ": no log: " + status.state +
                     (status.reason.empty() ? "" : ", " + status.reason));
    }
    return Done{};
  }

  // Whether the record of a followed step was written since the last time: it may have ended.
  bool has_new_record() {
    bool any = false;
    for (const Source& source : sources_) {
      for (const std::size_t step : source.steps) {
        const std::string file = follower_.run().run_dir + "/" + follower_.run().steps[step].result;
        struct stat status = {};
        if (stat(file.c_str(), &status) != 0) continue;
        any = inodes_.insert({step, status.st_ino}).second || any;
      }
    }
    return any;
  }

  // Takes out the logs whose steps have all ended, with what they wrote last.
  bool drop_ended() {
    std::vector<Source> open;
    for (Source& source : sources_) {
      bool is_open = false;
      for (const std::size_t step : source.steps) {
        const StepPhase phase = follower_.status().steps[step].phase;
        is_open = is_open || phase == StepPhase::kWaiting || phase == StepPhase::kRunning;
      }
      if (is_open) {
        open.push_back(std::move(source));
        continue;
      }
      if (!show_new(source)) return false;
      const StepStatus& status = follower_.status().steps[source.steps.front()];
      reporter_.note(source.title + ": " + status.state +
                     (status.reason.empty() ? "" : ", " + status.reason));
    }
    sources_ = std::move(open);
    return true;
  }

  RunFollower& follower_;
  std::vector<Source> sources_;
  const Reporter& reporter_;
  const bool several_ = sources_.size() > 1;
  std::string shown_;                               // the title that was printed last
  std::set<std::pair<std::size_t, ino_t>> inodes_;  // a record is replaced as a whole
};

}  // namespace

Result<int> run_logs(const Options& options, const Reporter& reporter, ProcessRunner& runner) {
  COMPUTE_SCALE_TRY(choice, choose_run(options));
  if (choice.patterns.empty()) return usage_error("name steps: TASK or TASK/LABEL");
  if (!choice.named) reporter.note("run directory " + choice.run_dir);
  COMPUTE_SCALE_TRY(run, load_run_record(choice.run_dir));
  COMPUTE_SCALE_TRY(steps, choose_steps(run, choice.patterns, options.seeds));
  RunFollower follower(choice.run_dir, runner);
  Logs logs(follower, options.job_log ? job_logs(run, steps) : step_logs(run, steps), reporter);
  return options.follow ? logs.follow(options.interval) : logs.show();
}

}  // namespace compute_scale
