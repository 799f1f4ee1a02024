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
inline constexpr char kLocalLockFile[] = "local.lock";  // held while `run` is at it
inline constexpr char kPlanFile[] = "plan.json";

// The scripts of all jobs of the plan, in its order: everything that can fail about them fails
// before anything is written.
Result<std::vector<std::string>> render_scripts(const Plan& plan, const RunSettings& settings);

// Makes the run directory (and the folders of its logs and results) and writes the scripts (none
// for a local run that needs none), and then plan.json: where that is, all is. Errors: it exists
// and holds anything, it or the results' folder cannot be written; then nothing is left in it.
Status write_run_dir(const Plan& plan, const RunSettings& settings,
                     const std::vector<std::string>& scripts);

// With the folders above it.
Status make_folder(const std::string& folder);
// Writes or replaces the file as a whole, never a part of it. Error: it cannot be written.
Status write_file(const std::string& file, const std::string& text);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_RUN_DIR_H_
