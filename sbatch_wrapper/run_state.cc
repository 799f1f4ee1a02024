#include "run_state.h"

#include <algorithm>
#include <unordered_map>

namespace compute_scale {
namespace {

using Records = std::vector<std::optional<StepRecord>>;

bool all_done(const RunJob& job, const Records& records) {
  const std::vector<std::size_t> steps = job.steps();
  return std::all_of(steps.begin(), steps.end(), [&](std::size_t step) {
    return records[step] && records[step]->state == StepState::kDone;
  });
}

// The job's last submission in the queue; null: it is not there.
const QueueJob* last_in_queue(const RunJob& job,
                              const std::unordered_map<std::string, const QueueJob*>& by_id) {
  if (job.submissions.empty()) return nullptr;
  const JobSubmission& last = job.submissions.back();
  if (last.state != SubmissionState::kSubmitted) return nullptr;
  const auto found = by_id.find(last.element_id());
  return found == by_id.end() ? nullptr : found->second;
}

}  // namespace

Result<Records> load_step_records(const RunRecord& run) {
  Records out;
  for (const RunStep& step : run.steps) {
    COMPUTE_SCALE_TRY(record, load_step_record(run.run_dir + "/" + step.result));
    out.push_back(std::move(record));
  }
  return out;
}

std::vector<JobStanding> job_standings(const RunRecord& run, const Records& records,
                                       const std::vector<QueueJob>& queue) {
  std::unordered_map<std::string, const QueueJob*> by_id;
  for (const QueueJob& job : queue) by_id[job.element_id()] = &job;
  std::vector<JobStanding> out;
  for (const RunJob& job : run.jobs) {
    const QueueJob* entry = last_in_queue(job, by_id);
    const bool waits_in_vain =
        std::any_of(job.after.begin(), job.after.end(), [&](std::size_t before) {
          return out[before] == JobStanding::kMissing || out[before] == JobStanding::kBlocked;
        });
    if (all_done(job, records)) {
      out.push_back(JobStanding::kDone);
    } else if (entry == nullptr || phase_of(entry->state) == JobPhase::kEnded) {
      out.push_back(JobStanding::kMissing);
    } else if (entry->state == "COMPLETING") {
      out.push_back(JobStanding::kEnding);
    } else if (entry->state == "PENDING" &&
               (waits_in_vain || entry->reason == "DependencyNeverSatisfied")) {
      out.push_back(JobStanding::kBlocked);
    } else {
      out.push_back(JobStanding::kQueued);
    }
  }
  return out;
}

}  // namespace compute_scale
