// A run as its directory records it: plan.json (lib/manifest.h) says what it consists of, the
// journal (journal.h) under which Slurm jobs it was submitted. Following, cancelling and resuming
// start here; what became of each step is in its own record (lib/step_record.h).
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_RUN_RECORD_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_RUN_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace compute_scale {

// Paths are relative to the run directory.
struct RunStep {
  std::string name;      // "task/label"
  std::size_t task = 0;  // index into RunRecord::tasks
  std::int64_t seed = 0;
  int group = 0;
  int stage = 0;
  bool hidden = false;
  std::string base_compute, compute;  // amounts of GPU as decimals
  std::int64_t time_minutes = 0;
  std::string log, result;
};

struct RunLane {
  std::vector<int> devices;
  std::vector<std::size_t> steps;  // indices into RunRecord::steps, one after another
};

enum class SubmissionState {
  kPending,    // begun, and no end is recorded: the job may be there or not
  kSubmitted,  // confirmed, with its id
  kFailed,     // refused
};

// One submission of a job, alone or as an element of an array.
struct JobSubmission {
  SubmissionState state = SubmissionState::kPending;
  int number = 1;                     // 1: the run's submission; 2, 3, …: its resumptions
  std::string slurm_name;             // of the job or array in Slurm; unique
  std::string id, cluster;            // of the job or the whole array; empty unless submitted
  std::optional<std::int64_t> index;  // in the array
  std::int64_t began = 0;             // seconds since the epoch
  std::string reason;                 // why it failed or is unclear
  bool cancelled = false;             // by `sbatch-tasks cancel`

  // "12", or "12_3" for an element of an array: as scontrol, squeue and scancel take it.
  std::string element_id() const { return index ? id + "_" + std::to_string(*index) : id; }
};

struct RunJob {
  std::string name;        // in the plan
  std::string slurm_name;  // as a job of its own
  std::string script, log;
  std::vector<std::string> directives;
  int devices = 0;
  std::int64_t time_minutes = 0;
  std::int64_t mem_mib = 0;
  int cpus = 0;
  std::vector<std::size_t> after;  // jobs that must have succeeded before
  std::vector<RunLane> lanes;
  std::vector<JobSubmission> submissions;  // in order; only the last one counts

  std::vector<std::size_t> steps() const;  // of all lanes
};

struct RunRecord {
  std::string run_dir;  // absolute
  std::string exp_name, save_path, container_runtime;
  std::string compute_scale;  // "0.5"
  std::string hardware;       // empty: none
  bool neutral = false;
  bool plugin = false;
  std::string config_file;  // the run config; empty: none
  std::vector<std::string> sbatch_args;
  std::optional<int> max_running;
  std::vector<std::string> tasks;
  std::vector<RunStep> steps;
  std::vector<RunJob> jobs;  // each behind those it depends on
  int submissions = 0;       // the highest number so far, 0: never submitted
};

// From the texts of plan.json and of the journal ("" where there is none). A last line of the
// journal that ends in its middle (its writer was killed) is passed over. Errors name the file and
// the place: plan.json of another version or with a member missing, an index out of range, a
// journal line that is none.
Result<RunRecord> parse_run_record(std::string_view plan, std::string_view journal,
                                   const std::string& run_dir);

// The same of a folder. Error: it is no run directory (no plan.json).
Result<RunRecord> load_run_record(const std::string& run_dir);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_RUN_RECORD_H_
