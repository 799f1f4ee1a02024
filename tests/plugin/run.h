// Runs the built plugin in a fake command or a fake job step, each in a process of its own, and
// tells what came of it.
#ifndef COMPUTE_SCALE_TESTS_PLUGIN_RUN_H_
#define COMPUTE_SCALE_TESTS_PLUGIN_RUN_H_

#include <map>
#include <string>
#include <vector>

extern "C" {
#include <slurm/spank.h>
}

namespace compute_scale_test {

using Variables = std::map<std::string, std::string>;

// One component of a request: `directives` and `command_line` hold our options, by name.
struct Component {
  std::vector<std::pair<std::string, std::string>> directives;
  std::vector<std::pair<std::string, std::string>> command_line;
  Variables request;
  std::vector<std::string> derived;  // request options that Slurm does not call set
};

struct CommandRun {
  std::string command = "sbatch";  // salloc, srun, or another program's name
  std::vector<Component> components = {Component()};
  Variables environment;
  std::string decision;  // what the fake library answers (fake/library.cc)
  std::string fault;     // throw, abort or crash: what the fake library does instead
  std::vector<std::string> plugstack_arguments;  // besides library=
  std::string library;                           // "" is the fake library
  int plugstack_lines = 1;                       // that name the plugin
  bool copies = false;                           // each line names a copy of the file
  std::string request_api = "fake-request";      // what exports the request; "" is nothing
  std::vector<std::string> unsettable;
};

struct StepRun {
  Variables environment;
  unsigned step_id = 0;
  unsigned job_id = 7;
  int task_id = 0;
  std::string task_devices;  // CUDA_VISIBLE_DEVICES that the task's own binding sets, if any
  int plugstack_lines = 1;
};

struct Outcome {
  int status = -1;                      // exit status; 128 + signal if it was killed
  std::vector<std::string> log;         // what was written through Slurm's log
  std::string error_output;             // what went to stderr past Slurm's log
  std::vector<std::string> calls;       // what each call of the fake library was given
  std::vector<Variables> environments;  // after each component; of a step: one
  std::vector<Variables> requests;      // after each component
  Variables job_control;

  // Of the first component.
  std::string variable(const std::string& name) const;
  std::string option(const std::string& name) const;
};

// What stands for a variable or option that is not there.
inline constexpr char kUnset[] = "(unset)";

Outcome run_command(const CommandRun& run);
Outcome run_step(const StepRun& run);

// Calls all hooks in the given context, in a program that is no command of Slurm's; the options
// that the plugin registered are the outcome's `requests`.
Outcome run_daemon(spank_context_t context);

// The path of something that was built.
std::string built(const std::string& name);

// The variable by which Slurm passes an option on.
std::string passed_on(const std::string& option);

}  // namespace compute_scale_test

#endif  // COMPUTE_SCALE_TESTS_PLUGIN_RUN_H_
