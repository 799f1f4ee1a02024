// What the steps of a local run have left behind.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_ORPHANS_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_ORPHANS_H_

#include <sys/types.h>

namespace compute_scale {

// Kills the children of this thread but one, and those that come to it as their parents end: in a
// process that is a subreaper (prctl(2)), also those that have left their step's process group.
void end_children_but(pid_t kept);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_ORPHANS_H_
