#include "run_status.h"

#include <algorithm>
#include <ctime>
#include <set>

#include "run_usage.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr const char* kPhases[] = {"waiting", "blocked", "running", "done", "failed", "cancelled"};
const std::vector<ClusterQueue> kNoQueue;

// What is known of a job beside the records of its steps.
struct JobView {
  const RunJob* job = nullptr;
  const JobSubmission* submission = nullptr;  // the last one
  const QueueJob* row = nullptr;              // in the queue
  std::string problem;                        // of an earlier step: this job can never start
};

bool wrote(const JobSubmission& submission, const StepRecord& record) {
  if (submission.state != SubmissionState::kSubmitted) return false;
  if (!submission.index) return record.job_id == submission.id;
  return record.array_job_id == submission.id &&
         record.array_task_id == std::to_string(*submission.index);
}

// Whether the record is of the job's last submission, and of its last start where it was requeued.
bool is_of_this_start(const JobView& view, const StepRecord& record) {
  if (view.row != nullptr && view.row->restarts > 0 && view.row->started > 0 &&
      phase_of(view.row->state) == JobPhase::kActive &&
      utc_seconds(record.written) < view.row->started) {
    return false;
  }
  const auto& submissions = view.job->submissions;
  return submissions.empty() ||
         std::none_of(submissions.begin(), submissions.end() - 1,
                      [&](const JobSubmission& earlier) { return wrote(earlier, record); });
}

std::string step_text(const RunStep& step) {
  return printable(step.name, 200) + " seed " + std::to_string(step.seed);
}

void set(StepStatus& status, StepPhase phase, std::string state = "", std::string reason = "") {
  status.phase = phase;
  status.state = state.empty() ? to_string(phase) : std::move(state);
  status.reason = std::move(reason);
}

// A step without an end of its own, in a job that has ended.
void set_ended(StepStatus& status, const std::string& slurm_state, bool started) {
  const std::string how = started ? " while it ran" : " before it started";
  if (slurm_state == "CANCELLED") return set(status, StepPhase::kCancelled);
  if (slurm_state == "COMPLETED") {
    return set(status, StepPhase::kFailed, "lost", "its job ended without a record of its end");
  }
  set(status, StepPhase::kFailed, slurm_state == "TIMEOUT" ? "timeout" : "failed",
      "its job ended as " + slurm_state + how);
}

void describe(const JobView& view, const StepRecord* record, StepStatus& status) {
  if (view.row != nullptr) {
    status.slurm_state = view.row->state;
    status.slurm_reason = view.row->reason;
    status.job_id = view.row->element_id();
  }
  if (view.submission != nullptr && view.submission->state == SubmissionState::kSubmitted) {
    status.job_id = view.submission->element_id();
    status.cluster = view.submission->cluster;
  }
  if (record == nullptr) return;
  status.attempt = record->attempt;
  status.node = record->node;
  status.devices = record->devices;
  if (status.job_id.empty()) {
    status.job_id = record->array_job_id.empty()
                        ? record->job_id
                        : record->array_job_id + "_" + record->array_task_id;
  }
}

// Where Slurm has a job.
void place(const JobView& view, JobStatus& status) {
  if (view.row == nullptr) return;
  status.in_queue = phase_of(view.row->state) != JobPhase::kEnded;
  status.id = view.row->id;
  status.index = view.row->index;
  status.state = view.row->state;
  if (view.submission != nullptr) status.cluster = view.submission->cluster;
}

// Decides job by job, each behind those it depends on.
class Decider {
 public:
  explicit Decider(const RunFacts& facts)
      : facts_(facts),
        run_(facts.run),
        jobs_(facts.queue ? *facts.queue : kNoQueue),
        accounting_(facts.accounting) {}

  RunStatus decide() {
    status_.steps.resize(run_.steps.size());
    status_.jobs.resize(run_.jobs.size());
    problems_.resize(run_.jobs.size());
    for (std::size_t i = 0; i < run_.jobs.size(); ++i) decide_job(i);
    return std::move(status_);
  }

 private:
  void decide_job(std::size_t index) {
    const RunJob& job = run_.jobs[index];
    JobView view;
    view.job = &job;
    if (!job.submissions.empty()) view.submission = &job.submissions.back();
    view.row = row_of(view);
    for (const std::size_t before : job.after) {
      if (view.problem.empty()) view.problem = problems_[before];
    }
    problems_[index] = view.problem;
    for (const std::size_t step : job.steps()) {
      decide_step(view, facts_.records[step] ? &*facts_.records[step] : nullptr,
                  status_.steps[step]);
      if (problems_[index].empty()) problems_[index] = problem_of(step);
    }
    place(view, status_.jobs[index]);
    count_usage(job, view.row, facts_, status_, status_.jobs[index]);
  }

  const QueueJob* row_of(const JobView& view) const {
    if (view.submission == nullptr) return jobs_.find_name(view.job->slurm_name);
    const QueueJob* row = jobs_.find(*view.submission);
    // Slurm shows a request that it has refused as a job that failed, until MinJobAge is over.
    const bool refused = view.submission->state == SubmissionState::kFailed && row != nullptr &&
                         phase_of(row->state) == JobPhase::kEnded;
    return refused ? nullptr : row;
  }

  // Why what builds on this step can never start.
  std::string problem_of(std::size_t step) const {
    const StepPhase phase = status_.steps[step].phase;
    if (phase == StepPhase::kFailed) return step_text(run_.steps[step]) + " failed";
    if (phase == StepPhase::kCancelled) return step_text(run_.steps[step]) + " was cancelled";
    if (phase == StepPhase::kBlocked) return step_text(run_.steps[step]) + " is blocked";
    return "";
  }

  void decide_step(JobView view, const StepRecord* record, StepStatus& status) {
    if (view.submission == nullptr && view.row == nullptr && record != nullptr) {
      view.row = jobs_.find(*record, "");
    }
    describe(view, record, status);
    const bool counts =
        record != nullptr && (record->state == StepState::kDone || is_of_this_start(view, *record));
    if (!counts) return decide_by_job(view, status);
    status.exit_code = record->exit_code;
    status.elapsed_seconds = record->elapsed_seconds;
    if (record->state == StepState::kDone) return set(status, StepPhase::kDone);
    if (view.row != nullptr && phase_of(view.row->state) == JobPhase::kWaiting &&
        (view.row->restarts > 0 || record->state == StepState::kCancelled)) {
      return set(status, StepPhase::kWaiting, "requeued");
    }
    if (record->state == StepState::kRunning) return decide_running(view, *record, status);
    decide_ended(view, *record, status);
  }

  // The record says that the step has ended badly; Slurm may know why. A script that is told to end
  // writes "cancelled" or an exit code for a signal, whoever told it: a user, or a preemption.
  void decide_ended(const JobView& view, const StepRecord& record, StepStatus& status) const {
    if (record.state == StepState::kTimeout) return set(status, StepPhase::kFailed, "timeout");
    const bool told = record.state == StepState::kCancelled;
    if (!told && record.exit_code.value_or(0) <= 128) return set(status, StepPhase::kFailed);
    const QueueJob* end = end_of(view, record);
    const std::string slurm = end == nullptr ? "" : end->state;
    if (slurm == "CANCELLED" || is_cancelled(view)) return set(status, StepPhase::kCancelled);
    if (told && phase_of(slurm) == JobPhase::kActive) {
      return set(status, StepPhase::kRunning, "ending");  // and maybe requeued then
    }
    const bool known = phase_of(slurm) == JobPhase::kEnded && slurm != "FAILED";
    if (known && slurm != "COMPLETED") return set_ended(status, slurm, true);
    set(status, told ? StepPhase::kCancelled : StepPhase::kFailed);
  }

  void decide_running(const JobView& view, const StepRecord& record, StepStatus& status) const {
    status.elapsed_seconds = std::max<std::int64_t>(0, facts_.now - utc_seconds(record.started));
    if (record.job_id.empty() && facts_.local == LocalRun::kGone) {
      status.elapsed_seconds.reset();
      return set(status, StepPhase::kFailed, "lost", "the run ended and left no record of its end");
    }
    // Outside of Slurm, or Slurm does not say.
    if (record.job_id.empty() || !facts_.queue) return set(status, StepPhase::kRunning);
    if (view.row != nullptr && phase_of(view.row->state) == JobPhase::kUnknown) {
      return set(status, StepPhase::kRunning, view.row->state);
    }
    if (view.row != nullptr && phase_of(view.row->state) != JobPhase::kEnded) {
      return set(status, StepPhase::kRunning);
    }
    const QueueJob* end = end_of(view, record);
    status.elapsed_seconds.reset();
    if (end != nullptr && phase_of(end->state) == JobPhase::kEnded) {
      status.slurm_state = end->state;
      return set_ended(status, end->state, true);
    }
    if (is_cancelled(view)) return set(status, StepPhase::kCancelled);
    set(status, StepPhase::kFailed, "lost", "its job is gone and left no record of its end");
  }

  // No record of this start of the job.
  void decide_by_job(const JobView& view, StepStatus& status) const {
    const bool in_queue = view.row != nullptr && phase_of(view.row->state) != JobPhase::kEnded;
    if (is_cancelled(view) && !in_queue) return set(status, StepPhase::kCancelled);
    if (view.row != nullptr) return decide_by_row(view, *view.row, status);
    if (!view.problem.empty()) return set(status, StepPhase::kBlocked, "", view.problem);
    if (view.submission == nullptr && facts_.local == LocalRun::kGone) {
      return set(status, StepPhase::kBlocked, "",
                 "the run ended before it started: sbatch-tasks run --run-dir goes on");
    }
    if (view.submission == nullptr) {
      const bool missing = run_.submissions > 0 && !facts_.submitting;
      if (!missing) return set(status, StepPhase::kWaiting);
      return set(status, StepPhase::kBlocked, "",
                 "its job was never submitted: sbatch-tasks resume");
    }
    switch (view.submission->state) {
      case SubmissionState::kFailed:
        return set(status, StepPhase::kBlocked, "",
                   "its job was not submitted: " + view.submission->reason);
      case SubmissionState::kPending:
        if (facts_.submitting || !facts_.queue) return set(status, StepPhase::kWaiting);
        return set(status, StepPhase::kBlocked, "",
                   "nobody knows whether its job was submitted: sbatch-tasks resume");
      case SubmissionState::kSubmitted:
        break;
    }
    decide_gone(view, status);
  }

  void decide_by_row(const JobView& view, const QueueJob& row, StepStatus& status) const {
    switch (phase_of(row.state)) {
      case JobPhase::kUnknown:
        return set(status, StepPhase::kWaiting, row.state);
      case JobPhase::kActive:
        return set(status, StepPhase::kWaiting, row.restarts > 0 ? "requeued" : "");
      case JobPhase::kEnded:
        if (!view.problem.empty()) return set(status, StepPhase::kBlocked, "", view.problem);
        return set_ended(status, row.state, false);
      case JobPhase::kWaiting:
        break;
    }
    if (!view.problem.empty()) return set(status, StepPhase::kBlocked, "", view.problem);
    if (row.reason == "DependencyNeverSatisfied") {
      return set(status, StepPhase::kBlocked, "", "its dependency can never be met");
    }
    set(status, StepPhase::kWaiting, row.restarts > 0 ? "requeued" : "");
  }

  // Submitted, not in the queue, and no record.
  void decide_gone(const JobView& view, StepStatus& status) const {
    if (!facts_.queue) return set(status, StepPhase::kWaiting);
    const QueueJob* end = accounting_.find(*view.submission);
    if (end == nullptr) {
      return set(status, StepPhase::kFailed, "lost",
                 "its job has left the queue without a trace of its end");
    }
    status.slurm_state = end->state;
    if (phase_of(end->state) == JobPhase::kEnded) return set_ended(status, end->state, false);
    set(status, StepPhase::kWaiting, phase_of(end->state) == JobPhase::kUnknown ? end->state : "");
  }

  // What Slurm says of the end of the record's job: the queue, then the accounting.
  const QueueJob* end_of(const JobView& view, const StepRecord& record) const {
    if (view.row != nullptr) return view.row;
    if (view.submission != nullptr) return accounting_.find(*view.submission);
    return accounting_.find(record, "");
  }

  static bool is_cancelled(const JobView& view) {
    return view.submission != nullptr && view.submission->cancelled;
  }

  const RunFacts& facts_;
  const RunRecord& run_;
  SlurmJobs jobs_;
  SlurmJobs accounting_;
  std::vector<std::string> problems_;  // by job: why what builds on it can never start
  RunStatus status_;
};

// A job that Slurm takes back writes the same record as one that is cancelled.
bool may_be_requeued(const RunJob& job, const std::optional<StepRecord>& record) {
  return record && record->state == StepState::kCancelled && !record->job_id.empty() &&
         (job.submissions.empty() || !job.submissions.back().cancelled);
}

bool is_open(StepPhase phase) {
  return phase == StepPhase::kWaiting || phase == StepPhase::kRunning;
}

}  // namespace

std::string to_string(StepPhase phase) {
  return kPhases[static_cast<std::size_t>(phase)];
}

bool RunStatus::is_over() const {
  return std::none_of(steps.begin(), steps.end(),
                      [](const StepStatus& step) { return is_open(step.phase); });
}

bool RunStatus::has_bad() const {
  return std::any_of(steps.begin(), steps.end(), [](const StepStatus& step) {
    return step.phase == StepPhase::kFailed || step.phase == StepPhase::kBlocked;
  });
}

bool RunStatus::all_done() const {
  return std::all_of(steps.begin(), steps.end(),
                     [](const StepStatus& step) { return step.phase == StepPhase::kDone; });
}

RunStatus decide_status(const RunFacts& facts) {
  return Decider(facts).decide();
}

std::vector<std::string> open_clusters(const RunFacts& facts, const RunStatus& status) {
  std::set<std::string> clusters;
  for (const RunJob& job : facts.run.jobs) {
    for (const std::size_t step : job.steps()) {
      const auto& record = facts.records[step];
      if (!is_open(status.steps[step].phase) && !may_be_requeued(job, record)) continue;
      const bool submitted =
          !job.submissions.empty() && job.submissions.back().state != SubmissionState::kFailed;
      if (submitted || (record && !record->job_id.empty())) {
        clusters.insert(submitted ? job.submissions.back().cluster : "");
      }
    }
  }
  return {clusters.begin(), clusters.end()};
}

std::vector<ClusterIds> lost_jobs(const RunFacts& facts, const RunStatus& status) {
  std::vector<ClusterIds> out;
  std::set<std::string> seen;
  for (const RunJob& job : facts.run.jobs) {
    if (job.submissions.empty() || job.submissions.back().id.empty()) continue;
    const JobSubmission& last = job.submissions.back();
    const auto steps = job.steps();
    const bool lost = std::any_of(steps.begin(), steps.end(), [&](std::size_t step) {
      return status.steps[step].state == "lost" && status.steps[step].slurm_state.empty();
    });
    if (!lost || !seen.insert(last.id + ";" + last.cluster).second) continue;
    const auto of_cluster = std::find_if(
        out.begin(), out.end(), [&](const ClusterIds& ids) { return ids.cluster == last.cluster; });
    if (of_cluster == out.end()) {
      out.push_back({last.cluster, {last.id}});
    } else {
      of_cluster->ids.push_back(last.id);
    }
  }
  return out;
}

std::int64_t utc_seconds(const std::string& text) {
  std::tm parts = {};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end == nullptr || *end != '\0' ? 0 : static_cast<std::int64_t>(timegm(&parts));
}

}  // namespace compute_scale
