// How the status of a run is shown.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_STATUS_VIEW_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_STATUS_VIEW_H_

#include <cstddef>
#include <string>
#include <vector>

#include "run_status.h"

namespace compute_scale {

// "task/label seed 42", fit for a line.
std::string step_title(const RunStep& step);

// "12 of 20 steps done, 3 running, 5 waiting": phases that no step is in are left out.
std::string summary_line(const RunStatus& status);

// The table by task and, below, the steps that are blocked (why), failed (exit code, log) or in a
// state that no column names; of each list at most `most_lines`, then how many more there are.
std::string status_text(const RunRecord& run, const RunStatus& status, std::size_t most_lines);

// Everything, typed, as one JSON object. `slurm_problem` is why Slurm could not be asked, or empty.
std::string status_json(const RunRecord& run, const RunStatus& status,
                        const std::string& slurm_problem);

// "[######....]" of so many characters inside: what has an end.
std::string progress_bar(const RunStatus& status, std::size_t width);

// One line for each step whose state has changed: "t/a seed 42: waiting -> running".
std::vector<std::string> changes(const RunRecord& run, const RunStatus& before,
                                 const RunStatus& after);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_STATUS_VIEW_H_
