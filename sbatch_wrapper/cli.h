// The command line of sbatch-tasks.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_CLI_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_CLI_H_

#include <string>
#include <vector>

#include "options.h"
#include "result.h"

namespace compute_scale {

// What to do: a verb with its options, or a text to print (`--help`, `--version`) and nothing else.
struct ParsedCommandLine {
  Options options;
  std::string print;
};

// Reads the arguments behind the program's name, and the variables that stand behind options.
// Errors name the argument, and the nearest verb or option where one is close.
Result<ParsedCommandLine> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_CLI_H_
