// Writing a run directory.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_RUN_DIR_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_RUN_DIR_H_

#include <string>
#include <vector>

#include "plan.h"
#include "result.h"
#include "run_settings.h"

namespace compute_scale {

inline constexpr char kJournalFile[] = "journal.jsonl";
inline constexpr char kPlanFile[] = "plan.json";

// Writes or replaces `file`. Errors: it cannot be written.
Status write_file(const std::string& file, const std::string& text);

// The scripts of all jobs of the plan, in its order: everything that can fail about them fails
// before anything is written.
Result<std::vector<std::string>> render_scripts(const Plan& plan, const RunSettings& settings);

// Makes the run directory (and the folders of its logs and results) and writes plan.json and the
// scripts (none for a local run that needs none). Errors: it exists and holds anything, it or the results' folder cannot be written.
Status write_run_dir(const Plan& plan, const RunSettings& settings,
                     const std::vector<std::string>& scripts);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_RUN_DIR_H_
