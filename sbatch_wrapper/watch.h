// Following a run until nothing of it waits or runs.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_WATCH_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_WATCH_H_

#include "report.h"
#include "result.h"
#include "run_follower.h"

namespace compute_scale {

// Looks every `interval` seconds. On a terminal it shows the table anew each time, with a progress
// bar; elsewhere it prints one line for each step that changes. The table at the end stays. Returns
// 130 where Ctrl-C ended it, else 0: what became of the run is in `follower.status()`.
Result<int> watch(RunFollower& follower, int interval, const Reporter& reporter);

// What a status says to the shell: 0, or 4 where a step failed or is blocked, or Slurm could not be
// asked about those that are open.
int exit_status(const RunFollower& follower);

// Watches a run that was just submitted. Returns 0 only if every step is done, 4 otherwise, and 130
// where Ctrl-C ended it: the jobs go on, and it says so.
Result<int> wait_for_run(const std::string& run_dir, int interval, const Reporter& reporter,
                         ProcessRunner& runner);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_WATCH_H_
