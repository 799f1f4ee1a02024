// Runs a step without a container, on the package's working copy.
#include "container_parts.h"
#include "package_env.h"

namespace compute_scale {
namespace {

constexpr const char* kThreadVariables[] = {"OMP_NUM_THREADS", "MKL_NUM_THREADS",
                                            "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"};

std::string thread_defaults(const EnvList& defaults) {
  std::string out = "export";
  for (const auto& [name, value] : defaults) {
    out.append(" ").append(name).append("=\"${").append(name).append("-").append(value).append(
        "}\"");
  }
  return out;
}

}  // namespace

Result<LocalVariables> local_variables(const Entry& entry, const ContainerContext& context) {
  LocalVariables variables;
  for (const char* name : kThreadVariables) {
    variables.defaults.emplace_back(name, std::to_string(context.threads));
  }
  COMPUTE_SCALE_TRY(binds, data_binds(context));
  for (Bind& bind : own_binds(entry, context)) binds.push_back(std::move(bind));
  if (context.package != nullptr) variables.package = context.package->env;
  for (auto& [name, value] : variables.package) value = to_host_paths(value, binds);
  return variables;
}

Result<StepCommand> local_command(const Entry& entry, const ContainerContext& context) {
  StepCommand command = start_command(entry, context);
  COMPUTE_SCALE_TRY(variables, local_variables(entry, context));
  const PackageEnv env = split_env(variables.package);
  Program program;
  program.shell = "bash";  // another shell would drop the functions that the caller has exported
  program.prelude = thread_defaults(variables.defaults);
  if (!env.shell.empty()) program.prelude += "; " + env.shell;
  program.env_options = {"-u", "LC_ALL"};
  program.env = env.plain;
  program.task_dir = context.task_dir;
  add_program(command.args, program, entry, context);
  command.working_dir = context.working_copy.empty() ? context.task_dir : context.working_copy;
  command.fallback_dir = context.task_dir;
  return command;
}

}  // namespace compute_scale
