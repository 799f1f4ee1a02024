// What the local executor writes about a step: its log and its record, as a job script does.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_FILES_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_FILES_H_

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <unordered_set>

#include "plan.h"
#include "result.h"
#include "run_settings.h"
#include "step_record.h"

namespace compute_scale {

class LocalFiles {
 public:
  LocalFiles(const Plan& plan, const RunSettings& settings);
  LocalFiles(const LocalFiles&) = delete;
  LocalFiles& operator=(const LocalFiles&) = delete;
  ~LocalFiles();

  // The record of step number `step` as it is on the disk; nothing before its first start.
  Result<std::optional<StepRecord>> load(std::size_t step) const;

  // A record of that step that begins now.
  StepRecord begin(std::size_t step, const std::string& devices, std::int64_t attempt);

  // Replaces the step's record as a whole, never a part of it.
  Status write(std::size_t step, StepRecord& record);

  // Opens the step's log behind what it holds and writes the line that begins an attempt. The
  // caller closes it.
  Result<int> open_log(std::size_t step, const StepRecord& record) const;

  // Makes a folder with those above it.
  Status make_folder(const std::string& folder);

  std::string log_path(std::size_t step) const;

 private:
  std::string path_of(const std::string& relative) const { return base_ + relative; }
  const std::string& utc_now();

  const Plan& plan_;
  const std::string base_;
  std::string node_, job_id_;
  bool wrote_ = false;
  std::time_t utc_time_ = 0;
  std::string utc_text_;
  std::unordered_set<std::string> made_;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_FILES_H_
