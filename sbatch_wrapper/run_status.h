// What became of each step of a run: decided from its records, the journal and what Slurm says.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_RUN_STATUS_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_RUN_STATUS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run_record.h"
#include "slurm_jobs.h"
#include "step_record.h"

namespace compute_scale {

// The columns of a status.
enum class StepPhase { kWaiting, kBlocked, kRunning, kDone, kFailed, kCancelled };
constexpr std::size_t kStepPhases = 6;
std::string to_string(StepPhase phase);  // "waiting", …

struct StepStatus {
  StepPhase phase = StepPhase::kWaiting;
  // The phase, or more exactly: "requeued" (waiting), "timeout", "lost" (failed); or Slurm's own
  // word where it is not known here ("XYZ").
  std::string state;
  std::string reason;  // why it is blocked, failed or not known; empty: nothing to say
  std::string slurm_state, slurm_reason;  // of its job, where Slurm was asked and knows it
  std::string job_id;                     // "12" or "12_3"; empty: none
  std::string cluster;
  std::string node, devices;  // of its last start
  std::optional<int> exit_code;
  std::optional<std::int64_t> elapsed_seconds;  // while it runs: so far
  std::int64_t attempt = 0;                     // 0: never started
};

struct JobStatus {
  std::int64_t gpus = 0;    // held now
  double gpu_seconds = 0;   // held so far: GPUs x time of the job; of a local run, of its steps
  bool in_queue = false;    // Slurm was asked, and it has not ended
  std::string id, cluster;  // there; of the whole array
  std::optional<std::int64_t> index;  // in the array
  std::string state;                  // Slurm's
};

struct RunStatus {
  std::vector<StepStatus> steps;  // as RunRecord::steps
  std::vector<JobStatus> jobs;    // as RunRecord::jobs

  bool is_over() const;   // nothing waits or runs
  bool has_bad() const;   // a step failed or is blocked
  bool all_done() const;  // every step
};

// A run on one machine: whether its `sbatch-tasks run` is there.
enum class LocalRun { kNone, kGoesOn, kGone };

struct RunFacts {
  const RunRecord& run;
  const std::vector<std::optional<StepRecord>>& records;  // as RunRecord::steps
  // All jobs of the user; nothing: Slurm was not asked, or did not answer.
  std::optional<std::vector<ClusterQueue>> queue;
  std::vector<ClusterQueue> accounting;  // of jobs that the queue no longer has
  bool submitting = false;               // an sbatch-tasks is at it
  std::int64_t now = 0;                  // seconds since the epoch
  LocalRun local = LocalRun::kNone;
};

RunStatus decide_status(const RunFacts& facts);

// The clusters ("" is this one) whose queues have to be seen, as the records alone leave steps
// open.
std::vector<std::string> open_clusters(const RunFacts& facts, const RunStatus& status);

// The jobs whose end neither the records nor the queue tell: for the accounting.
struct ClusterIds {
  std::string cluster;
  std::vector<std::string> ids;  // of jobs or whole arrays
};
std::vector<ClusterIds> lost_jobs(const RunFacts& facts, const RunStatus& status);

// "2025-11-30T15:23:01Z" in seconds since the epoch; 0 where it is none.
std::int64_t utc_seconds(const std::string& text);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_RUN_STATUS_H_
