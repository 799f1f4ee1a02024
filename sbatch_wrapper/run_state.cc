#include "run_state.h"

#include <algorithm>

namespace compute_scale {
namespace {

using Records = std::vector<std::optional<StepRecord>>;

bool all_done(const RunJob& job, const Records& records) {
  const std::vector<std::size_t> steps = job.steps();
  return std::all_of(steps.begin(), steps.end(), [&](std::size_t step) {
    return records[step] && records[step]->state == StepState::kDone;
  });
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

const QueueEntry* queue_entry(const RunJob& job, const std::vector<QueueEntry>& queue) {
  if (job.submissions.empty()) return nullptr;
  const JobSubmission& last = job.submissions.back();
  if (last.state != SubmissionState::kSubmitted) return nullptr;
  for (const QueueEntry& entry : queue) {
    if (entry.id == last.id && entry.index == last.index) return &entry;
  }
  return nullptr;
}

std::vector<JobStanding> job_standings(const RunRecord& run, const Records& records,
                                       const std::vector<QueueEntry>& queue) {
  std::vector<JobStanding> out;
  for (const RunJob& job : run.jobs) {
    const QueueEntry* entry = queue_entry(job, queue);
    const bool waits_in_vain =
        std::any_of(job.after.begin(), job.after.end(), [&](std::size_t before) {
          return out[before] == JobStanding::kMissing || out[before] == JobStanding::kBlocked;
        });
    if (all_done(job, records)) {
      out.push_back(JobStanding::kDone);
    } else if (entry == nullptr || entry->is_over()) {
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
