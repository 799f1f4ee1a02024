// A step's command as text that tests compare.
#ifndef COMPUTE_SCALE_TESTS_UNIT_SHOW_COMMAND_H_
#define COMPUTE_SCALE_TESTS_UNIT_SHOW_COMMAND_H_

#include <string>

#include "container.h"

namespace compute_scale {

// One line per argument; parts that only the node knows in <>.
enum class ArgsOf { kStep, kSession };
std::string show_args(const StepCommand& command, ArgsOf which);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_TESTS_UNIT_SHOW_COMMAND_H_
