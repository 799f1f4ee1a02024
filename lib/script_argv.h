// The lines of a job script that fill a step's argument list.
#ifndef COMPUTE_SCALE_LIB_SCRIPT_ARGV_H_
#define COMPUTE_SCALE_LIB_SCRIPT_ARGV_H_

#include <string>
#include <vector>

#include "container.h"

namespace compute_scale {

// Lines `argv+=(…)` and calls of the script's functions (script_functions.h), for the body of a
// function. `srun`: the words for ArgKind::kSrun, as text for bash.
std::string argv_lines(const std::vector<Arg>& args, const std::vector<std::string>& srun);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_SCRIPT_ARGV_H_
