// Slurm's SPANK interface, seen from C++: its header declares the hooks outside its own extern "C".
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_SPANK_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_SPANK_H_

extern "C" {
#include <slurm/spank.h>
}

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_SPANK_H_
