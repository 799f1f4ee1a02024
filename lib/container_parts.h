// What the commands of all container runtimes have in common.
#ifndef COMPUTE_SCALE_LIB_CONTAINER_PARTS_H_
#define COMPUTE_SCALE_LIB_CONTAINER_PARTS_H_

#include <string>
#include <vector>

#include "container.h"

namespace compute_scale {

// One per family of runtimes; build_container_cmd chooses.
Result<StepCommand> local_command(const Entry& entry, const ContainerContext& context);
Result<StepCommand> apptainer_command(Backend backend, const Entry& entry,
                                      const ContainerContext& context);
Result<StepCommand> docker_command(Backend backend, const Entry& entry,
                                   const ContainerContext& context);
Result<StepCommand> pyxis_command(const Entry& entry, const ContainerContext& context);

void add(std::vector<Arg>& args, const std::vector<std::string>& words);
void add_call(std::vector<Arg>& args, const std::string& function,
              const std::vector<std::string>& words = {});
void add_bind(std::vector<Arg>& args, const Bind& bind, std::vector<std::string> words);

// A command without arguments yet, with what it has in every runtime.
StepCommand start_command(const Entry& entry, const ContainerContext& context);

// The package's environment as values for `env`, and the part of it that only a shell at the place
// of execution can make (references to what is set there).
struct PackageEnv {
  EnvList plain;
  std::string shell;  // "export A=… B=…", or empty
};
PackageEnv split_env(const EnvList& env);

// `[SHELL -c PRELUDE NAME] env [OPTIONS] NAME=VALUE…` and the entry's command.
struct Program {
  std::string shell = "sh";  // what reads the prelude; an image may have no bash
  std::string prelude;       // shell commands before the program; empty: no shell
  Arg name;                  // what the prelude sees as $0; default: the shell's name
  std::vector<std::string> env_options;
  EnvList env;  // the package's
  ArgKind devices = ArgKind::kDevices;
  std::string task_dir;  // where entry.cmd is relative to
};
void add_program(std::vector<Arg>& args, const Program& program, const Entry& entry,
                 const ContainerContext& context);

// The program of an entry in a container of `package`: its environment and where its task is.
Program program_of(const Entry& entry, const Package& package);

// Where the package's folder and _task are in the container.
const std::string& workdir_of(const Entry& entry, const Package& package);

// The working copy and the task folder.
std::vector<Bind> own_binds(const Entry& entry, const ContainerContext& context);
// Those, the package's data and the folder of results.
Result<std::vector<Bind>> all_binds(const Entry& entry, const ContainerContext& context);

// Whether the context has what a container of `runtime` needs: a package and its working copy.
Result<Done> check_package(const Entry& entry, const ContainerContext& context,
                           const std::string& runtime);

// The image that docker and podman have of a package: "mlsbench/nanogpt:latest".
std::string image_name(const Package& package);

// "type=bind,source=…,destination=…": fields of CSV, so that paths may have commas and colons.
std::string mount_argument(const Bind& bind);

// Everything between the package's and the entry's environment. Device variables are not in it.
EnvList run_variables(const ContainerContext& context);

// What a step without a container has besides those and the entry's variables.
struct LocalVariables {
  EnvList defaults;  // set only where the caller has none
  EnvList package;   // with host paths
};
Result<LocalVariables> local_variables(const Entry& entry, const ContainerContext& context);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_CONTAINER_PARTS_H_
