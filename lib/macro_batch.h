// Checks that an entry gives the same result at its profile's GPU count as at its own.
#ifndef COMPUTE_SCALE_LIB_MACRO_BATCH_H_
#define COMPUTE_SCALE_LIB_MACRO_BATCH_H_

#include <string>
#include <string_view>
#include <vector>

#include "entry.h"

namespace compute_scale {

// The defaults that a script states as ${NAME:-value} or ${NAME:=value} with a plain value, first
// mention wins. Comment lines are skipped.
EnvList script_defaults(std::string_view script);

// One line per violation, over the entry itself and each of its profiles (environment = script
// defaults, then entry env, then block env):
//   BATCH_SIZE x GRAD_ACCUM differs between base and profile,
//   GRAD_ACCUM is not a multiple of the GPU count,
//   TP_SIZE is more than the GPU count, or does not divide it,
//   one of the three is not a whole number >= 1.
// Entries whose environment has none of these names have nothing to violate.
std::vector<std::string> check_macro_batch(const Entry& entry, const EnvList& script_defaults);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_MACRO_BATCH_H_
