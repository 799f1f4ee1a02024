// The plugin in slurmstepd, for the batch script and for every other step.
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_NODE_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_NODE_H_

#include "spank.h"

namespace compute_scale {

// Puts the payload, if there is one, into the environment of the step. A failure is kept for
// node_task_init: reported here it would lose the job without a word, or drain the node.
void node_user_init(spank_t spank);

// Runs in each task just before its program: tells it how many devices it sees, or ends it with a
// message and status 1.
void node_task_init(spank_t spank);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_NODE_H_
