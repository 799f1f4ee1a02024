// A step without a container, as a program with its environment: what local_command() says as words
// for a shell, for a caller that starts the program itself.
#ifndef COMPUTE_SCALE_LIB_LOCAL_PROGRAM_H_
#define COMPUTE_SCALE_LIB_LOCAL_PROGRAM_H_

#include <string>
#include <string_view>
#include <vector>

#include "container.h"
#include "entry.h"
#include "result.h"

namespace compute_scale {

struct LocalProgram {
  std::vector<std::string> argv;  // bash and what it is given
  // The same without a shell in between, where the command's words are plain and the first one is
  // none that bash takes for itself; empty: `argv` only.
  std::vector<std::string> direct;
  // Set where the caller's environment has no such variable.
  EnvList defaults;
  // Set over the caller's environment, from which LC_ALL is left out; complete but for `package`.
  EnvList env;
  EnvList package;  // the package's values with ${NAME} in them, which no other source sets
  std::string output_dir;
  std::string working_dir;   // to start in where it exists,
  std::string fallback_dir;  // else here
};

// The program of `entry` on `devices` ("0,1"; not looked at where it needs none). Order of the
// environment and errors as in build_container_cmd().
Result<LocalProgram> local_program(const Entry& entry, const ContainerContext& context,
                                   const std::string& devices);

// The words of a line that bash would run as one plain program: nothing in it that a shell expands
// or has a meaning of its own for. Empty: it needs a shell.
std::vector<std::string> plain_words(std::string_view line);

// Whether `name` changes what a bash does that finds it in its environment (BASH_ENV, exported
// functions, …), so that a program must not be started without one.
bool concerns_bash(std::string_view name);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_LOCAL_PROGRAM_H_
