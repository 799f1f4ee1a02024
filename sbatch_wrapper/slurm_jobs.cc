#include "slurm_jobs.h"

namespace compute_scale {
namespace {

std::string key(const std::string& id, const std::string& cluster) {
  return cluster.empty() ? id : id + ";" + cluster;
}

std::string with_index(const std::string& name, const std::optional<std::int64_t>& index) {
  return index ? name + "\n" + std::to_string(*index) : name;
}

}  // namespace

SlurmJobs::SlurmJobs(const std::vector<ClusterQueue>& queues) {
  for (const ClusterQueue& queue : queues) {
    for (const QueueJob& job : queue.jobs) {
      elements_[key(job.element_id(), queue.cluster)] = &job;
      if (!job.job_id.empty()) job_ids_[key(job.job_id, queue.cluster)] = &job;
      if (!job.name.empty()) names_[with_index(job.name, job.index)] = &job;
    }
  }
}

const QueueJob* SlurmJobs::find(const JobSubmission& submission) const {
  if (submission.state == SubmissionState::kSubmitted) {
    return in(elements_, key(submission.element_id(), submission.cluster));
  }
  return in(names_, with_index(submission.slurm_name, submission.index));
}

const QueueJob* SlurmJobs::find_name(const std::string& name) const {
  return in(names_, name);
}

const QueueJob* SlurmJobs::find(const StepRecord& record, const std::string& cluster) const {
  if (!record.array_job_id.empty()) {
    return in(elements_, key(record.array_job_id + "_" + record.array_task_id, cluster));
  }
  return record.job_id.empty() ? nullptr : in(job_ids_, key(record.job_id, cluster));
}

const QueueJob* SlurmJobs::in(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second;
}

}  // namespace compute_scale
