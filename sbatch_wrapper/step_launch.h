// Starting the program of a step: one clone and one exec, nothing between.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_STEP_LAUNCH_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_STEP_LAUNCH_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace compute_scale {

// What is to be started, with pointers that stay valid until launch() returns.
struct Launch {
  const char* program = nullptr;         // path
  std::vector<char*> argv, environment;  // each ends in a null pointer
  const char* working_dir = nullptr;     // null: stay
  const char* fallback_dir = nullptr;    // where `working_dir` cannot be entered
  std::string fallback_pwd;              // the variable PWD for it
  std::string fallback_notice;           // goes to the output then
  int input = -1;                        // the program's stdin
  int output = -1;                       // its stdout and stderr
};

struct Launched {
  pid_t pid = -1;
  int error = 0;            // an errno: nothing runs
  const char* failed = "";  // what failed: "clone", "chdir", "exec"
};

// Starts the program in a session, and so a process group, of its own, with no signal blocked and
// no open file but the three. It is killed when the caller's thread ends, however that happens.
// Signals that the caller ignores are ignored in it, too: see use_default_signals().
Launched launch(Launch& launch);

// Gives every signal that this process ignores its default action again.
void use_default_signals();

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_STEP_LAUNCH_H_
