// The plugin in sbatch, salloc and srun.
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_CLIENT_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_CLIENT_H_

#include "spank.h"

namespace compute_scale {

// Registers the options and looks at the environment, before Slurm does. Touches no file.
void client_init(spank_t spank, int count, char** arguments);

// All options of one component are final: decides and rewrites the request. Does not return where
// an option of ours is used and the request must not go on.
void client_post_opt(spank_t spank);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_CLIENT_H_
