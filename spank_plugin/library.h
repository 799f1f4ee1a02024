// libcompute-scale.so: opened when the first decision is due, and no earlier.
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_LIBRARY_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_LIBRARY_H_

#include "client_api.h"

namespace compute_scale {

// Opens the library, once. Returns null, or why it cannot be used.
const char* open_library(const char* path);

// Asks the library, which open_library has opened. It catches its own exceptions; should one come
// out nevertheless, or should it crash, the command ends with an error line and status 1.
const compute_scale_client_decision* decide(const compute_scale_client_input& input);

void free_decision(const compute_scale_client_decision* decision);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_LIBRARY_H_
