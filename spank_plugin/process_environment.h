// The environment of this process behind the functions of environment.h.
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_PROCESS_ENVIRONMENT_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_PROCESS_ENVIRONMENT_H_

#include "environment.h"

namespace compute_scale {

Environment process_environment();

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_PROCESS_ENVIRONMENT_H_
