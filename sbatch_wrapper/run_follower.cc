#include "run_follower.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include "run_dir.h"

namespace compute_scale {
namespace {

namespace fs = std::filesystem;

// Which of many files exist, with one look per folder: most records of a fresh run do not, and on a
// network file system listing a folder also renews what is known of it.
class Listing {
 public:
  bool has(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = path.substr(0, slash);
    const auto [known, is_new] = folders_.try_emplace(folder);
    if (is_new) list(folder, known->second);
    return known->second.count(path.substr(slash + 1)) > 0;
  }

 private:
  static void list(const std::string& folder, std::unordered_set<std::string>& names) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      names.insert(it->path().filename().string());
    }
  }
  std::unordered_map<std::string, std::unordered_set<std::string>> folders_;
};

bool is_done(const std::optional<StepRecord>& record) {
  return record && record->state == StepState::kDone;
}

enum class Lock { kAbsent, kFree, kHeld };

// Whether another process holds the lock of a file.
Lock lock_of(const std::string& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Lock::kAbsent;
  const bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return held ? Lock::kHeld : Lock::kFree;
}

bool has_unclear_submissions(const RunRecord& run) {
  for (const RunJob& job : run.jobs) {
    if (job.submissions.empty() || job.submissions.back().state == SubmissionState::kPending) {
      return true;
    }
  }
  return false;
}

}  // namespace

Status RunFollower::look() {
  COMPUTE_SCALE_TRY(run, load_run_record(run_dir_));
  run_ = std::move(run);
  records_.resize(run_.steps.size());
  slurm_problem_.clear();
  // Before the records: a run that ends meanwhile has written them all.
  const LocalRun local = local_run();
  read_records();
  RunFacts facts{run_, records_, std::nullopt, {}, someone_submits(), std::time(nullptr), local};
  status_ = decide_status(facts);
  const std::vector<std::string> clusters = open_clusters(facts, status_);
  if (clusters.empty()) return Done{};
  facts.queue = ask(clusters);
  // What has ended before Slurm answered has its record by now.
  if (facts.queue) read_records();
  status_ = decide_status(facts);
  if (!facts.queue) return Done{};
  for (const ClusterIds& lost : lost_jobs(facts, status_)) {
    facts.accounting.push_back({lost.cluster, ask_sacct(runner_, lost.ids, lost.cluster)});
  }
  if (!facts.accounting.empty()) status_ = decide_status(facts);
  return Done{};
}

// A step that is done stays so.
void RunFollower::read_records() {
  Listing listing;
  warnings_.clear();
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const std::string file = run_dir_ + "/" + run_.steps[i].result;
    if (is_done(records_[i]) || !listing.has(file)) continue;
    auto record = load_step_record(file);
    if (record.ok()) {
      records_[i] = std::move(*record);
    } else {
      warnings_.push_back(record.error().text);
    }
  }
}

// The journal's writer holds its lock.
bool RunFollower::someone_submits() const {
  return has_unclear_submissions(run_) && lock_of(run_dir_ + "/" + kJournalFile) == Lock::kHeld;
}

LocalRun RunFollower::local_run() const {
  switch (lock_of(run_dir_ + "/" + kLocalLockFile)) {
    case Lock::kHeld:
      return LocalRun::kGoesOn;
    case Lock::kFree:
      return LocalRun::kGone;
    case Lock::kAbsent:
      break;
  }
  return LocalRun::kNone;
}

std::optional<std::vector<ClusterQueue>> RunFollower::ask(
    const std::vector<std::string>& clusters) {
  std::vector<ClusterQueue> out;
  for (const std::string& cluster : clusters) {
    auto jobs = ask_squeue(runner_, owner(), cluster);
    if (!jobs.ok()) {
      slurm_problem_ = jobs.error().text;
      return std::nullopt;
    }
    out.push_back({cluster, std::move(*jobs)});
  }
  return out;
}

// Of the jobs: whoever wrote the journal.
std::string RunFollower::owner() const {
  struct stat status = {};
  if (stat((run_dir_ + "/" + kJournalFile).c_str(), &status) != 0) status.st_uid = getuid();
  return std::to_string(status.st_uid);
}

}  // namespace compute_scale
