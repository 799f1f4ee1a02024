// The record of a step that a job script or the local executor writes: what became of it.
#ifndef COMPUTE_SCALE_LIB_STEP_RECORD_H_
#define COMPUTE_SCALE_LIB_STEP_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "result.h"

namespace compute_scale {

enum class StepState {
  kRunning,
  kDone,
  kFailed,
  kTimeout,    // its own time limit ended it
  kCancelled,  // the user did
};
// "running", "done", "failed", "timeout", "cancelled".
std::string to_string(StepState state);

// Texts are empty where the record has none (ids outside of Slurm, `compute` of a neutral script).
struct StepRecord {
  std::string step;  // "task/label"
  std::int64_t seed = 0;
  std::string base_compute, compute;  // amounts of GPU as decimals
  std::string compute_scale;
  std::string devices;  // as CUDA_VISIBLE_DEVICES, empty: none
  StepState state = StepState::kRunning;
  std::optional<int> exit_code;  // as a shell tells it; none while it runs
  std::optional<std::int64_t> elapsed_seconds;
  std::int64_t attempt = 1;
  std::string job_id;         // SLURM_JOB_ID
  std::string array_job_id;   // and, of an element of an array, the array's
  std::string array_task_id;  // and its index
  std::string node;
  std::string started, written;  // UTC, "2025-11-30T15:23:01Z"
};

// The record in `text`, a JSON object; members that it has besides are passed over. Errors name
// `file` and the place: no JSON, a member of a wrong type, a state that is none of the five.
Result<StepRecord> parse_step_record(std::string_view text, const std::string& file);

// The record in a file; nothing where there is no such file (the step has not started). Errors: as
// above, and a file that cannot be read.
Result<std::optional<StepRecord>> load_step_record(const std::string& file);

// One line of JSON with its newline, as the job scripts write it.
std::string step_record_json(const StepRecord& record);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_STEP_RECORD_H_
