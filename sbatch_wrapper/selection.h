// The tasks and entries that a command line names.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_SELECTION_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_SELECTION_H_

#include <string>
#include <vector>

#include "options.h"
#include "result.h"
#include "task.h"

namespace compute_scale {

// What to take where the command line names nothing.
enum class WithoutPatterns { kRefuse, kAll };

struct Selection {
  std::vector<Task> tasks;    // sorted by name; with the chosen entries only
  std::vector<Error> errors;  // of tasks that cannot be read; one line each
};

// Reads the tasks of `tasks_dir` that the patterns, --all, --label and --group choose. An error (as
// the result) where nothing is named, a pattern matches nothing, or no entry is left.
Result<Selection> select_tasks(const std::string& tasks_dir, const Options& options,
                               WithoutPatterns without);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_SELECTION_H_
