// The plugin in slurmstepd, for the batch script and for every other step.
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_NODE_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_NODE_H_

#include "spank.h"

namespace compute_scale {

// Runs in each task, just before its program: puts what the payload says into its environment, or
// ends the task with a message and status 1. The work is done here and not in user_init, because a
// failure there loses the job without a word or drains the node, and because a variable that
// slurmstepd itself sets costs it a buffer of 256 KiB (ENV_BUFSIZE, Slurm's src/common/env.c) that
// it keeps as long as the step runs.
void node_task_init(spank_t spank);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_NODE_H_
