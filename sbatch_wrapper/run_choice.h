// Which run, and which of its steps, a command line names.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_RUN_CHOICE_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_RUN_CHOICE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "options.h"
#include "result.h"
#include "run_record.h"

namespace compute_scale {

struct RunChoice {
  std::string run_dir;                // absolute
  bool named = false;                 // false: it is the newest one
  std::vector<std::string> patterns;  // the words that name steps
};

// --run-dir, else the first word if it is a run directory, else the newest run below the folder
// where submit puts runs. Errors: there is none; a config that cannot be used.
Result<RunChoice> choose_run(const Options& options);

// Indices of the steps that match one of the patterns "TASK" or "TASK/LABEL" (globs) and, where
// some are given, one of the seeds. Without patterns: all. Error: a pattern matches no step.
Result<std::vector<std::size_t>> choose_steps(const RunRecord& run,
                                              const std::vector<std::string>& patterns,
                                              const std::vector<std::int64_t>& seeds);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_RUN_CHOICE_H_
