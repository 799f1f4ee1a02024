#include "container.h"

#include <algorithm>

#include "package_env.h"
#include "shell_quote.h"
#include "text.h"

namespace compute_scale {
namespace {

struct BackendName {
  Backend backend;
  const char* name;
};
constexpr BackendName kBackends[] = {{Backend::kLocal, "local"},
                                     {Backend::kApptainer, "apptainer"},
                                     {Backend::kSingularity, "singularity"}};

constexpr const char* kThreadVariables[] = {"OMP_NUM_THREADS", "MKL_NUM_THREADS",
                                            "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"};

void add(std::vector<Arg>& args, const std::vector<std::string>& words) {
  for (const std::string& word : words) args.push_back({ArgKind::kText, word, {}});
}

// The package's environment as values for `env`, and the part of it that only a shell at the place
// of execution can make (references, defaults of what is unset).
struct PackageEnv {
  EnvList plain;
  std::string shell;  // "export A=… B=…", or empty
};

PackageEnv split_env(const EnvList& env) {
  PackageEnv out;
  for (const auto& [name, value] : env) {
    if (has_reference(value)) {
      out.shell += (out.shell.empty() ? "export " : " ") + name + "=" + expandable(value);
    } else {
      out.plain.emplace_back(name, value);
    }
  }
  return out;
}

// Everything between the package's and the entry's environment. Device variables are not in it.
EnvList run_variables(const ContainerContext& context) {
  return overlay(context.run_env, {{"SAVE_PATH", context.save_path},
                                   {"OUTPUT_DIR", context.output_dir},
                                   {"SEED", std::to_string(context.seed)}});
}

// The words that run `entry.cmd` with `task_dir` as the folder that it is relative to.
void add_command(std::vector<Arg>& args, const Entry& entry, const std::string& task_dir) {
  const CommandLine line = split_command(entry.cmd);
  if (line.script.empty()) {
    add(args, {"bash", "-c", line.rest});
    return;
  }
  const std::string script = task_dir + "/" + line.script;
  if (line.rest.empty()) {
    add(args, {"bash", script});
  } else {
    add(args, {"bash", "-c", "bash " + shell_quote(script) + " " + line.rest});
  }
}

// `[bash -c SHELL bash] env [OPTIONS] NAME=VALUE… ` and the entry's command. Variables go through
// the arguments of env and not through the runtime's own options: apptainer's --env splits values
// at commas and quotes, and it evaluates $(…) in APPTAINERENV_ variables and drops empty ones.
void add_program(std::vector<Arg>& args, std::string shell, const EnvList& plain,
                 const Entry& entry, const ContainerContext& context, const std::string& task_dir,
                 const std::vector<std::string>& env_options) {
  if (!shell.empty()) {
    shell += "; exec \"$@\"";
    add(args, {"bash", "-c", shell, "bash"});
  }
  add(args, {"env"});
  add(args, env_options);
  add(args, assignments(overlay(plain, run_variables(context))));
  if (entry.compute.is_zero()) {
    add(args, {"CUDA_VISIBLE_DEVICES="});
  } else {
    args.push_back({ArgKind::kDevices, "CUDA_VISIBLE_DEVICES=", {}});
  }
  add(args, {"ENV=" + entry.label});
  args.push_back({ArgKind::kEntryEnv, "", {}});
  add_command(args, entry, task_dir);
}

StepCommand start_command(const Entry& entry, const ContainerContext& context) {
  StepCommand command;
  command.entry_env = entry.env;
  command.output_dir = context.output_dir;
  return command;
}

const std::string& workdir_of(const Entry& entry, const Package& package) {
  return entry.workdir.empty() ? package.workdir : entry.workdir;
}

// Binds that every container has: the working copy and the task folder.
std::vector<Bind> own_binds(const Entry& entry, const ContainerContext& context) {
  if (context.package == nullptr) return {};
  const std::string& workdir = workdir_of(entry, *context.package);
  std::vector<Bind> binds;
  if (!context.working_copy.empty()) {
    binds.push_back({context.working_copy, workdir + "/" + context.package->name, false});
  }
  binds.push_back({context.task_dir, workdir + "/_task", false});
  return binds;
}

// -- local ---------------------------------------------------------------------------------------

std::string thread_defaults(int threads) {
  std::string out = "export";
  for (const char* name : kThreadVariables) {
    out += std::string(" ") + name + "=\"${" + name + "-" + std::to_string(threads) + "}\"";
  }
  return out;
}

Result<StepCommand> local_command(const Entry& entry, const ContainerContext& context) {
  StepCommand command = start_command(entry, context);
  COMPUTE_SCALE_TRY(binds, data_binds(context));
  for (Bind& bind : own_binds(entry, context)) binds.push_back(std::move(bind));
  EnvList package_env;
  if (context.package != nullptr) package_env = context.package->env;
  for (auto& [name, value] : package_env) value = to_host_paths(value, binds);
  PackageEnv env = split_env(package_env);
  std::string shell = thread_defaults(context.threads);
  if (!env.shell.empty()) shell += "; " + env.shell;
  add_program(command.args, shell, env.plain, entry, context, context.task_dir, {"-u", "LC_ALL"});
  command.working_dir = context.working_copy.empty() ? context.task_dir : context.working_copy;
  command.fallback_dir = context.task_dir;
  return command;
}

// -- apptainer, singularity ----------------------------------------------------------------------

bool isolates_tmp(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return flag == "--contain" || flag == "-c" || flag == "--containall" || flag == "-C";
  });
}

void add_bind(std::vector<Arg>& args, Bind bind) {
  args.push_back({ArgKind::kBind, "", std::move(bind)});
}

void add_apptainer_options(std::vector<Arg>& args, const Entry& entry, const Package& package) {
  const bool cuda = !entry.compute.is_zero();
  if (cuda) add(args, {"--nv"});
  if (package.fakeroot) add(args, {"--fakeroot"});
  if (package.writable_tmpfs) add(args, {"--writable-tmpfs"});
  if (package.no_home) add(args, {"--no-home"});
  for (const std::string& flag : package.apptainer_flags) add(args, {flag});
  if (isolates_tmp(package.apptainer_flags)) args.push_back({ArgKind::kScratch, "", {}});
  if (cuda) add_bind(args, {"/dev/shm", "/dev/shm", false});
}

Result<Done> check_image(const Entry& entry, const ContainerContext& context,
                         const std::string& runtime) {
  const std::string place = entry.task + "/" + entry.label;
  const std::string instead = " (or use container_runtime: local)";
  if (context.package == nullptr) {
    return site_error(place + ": names no package, so " + runtime + " has no image for it" +
                      instead);
  }
  if (context.package->image.empty()) {
    return site_error(place + ": package " + context.package->name + " has no image for " +
                      runtime + instead);
  }
  if (context.working_copy.empty()) {
    return site_error(place + ": no working copy of package " + context.package->name +
                      ": set workspace_root in the config");
  }
  return Done{};
}

Result<StepCommand> apptainer_command(const std::string& runtime, const Entry& entry,
                                      const ContainerContext& context) {
  COMPUTE_SCALE_CHECK(check_image(entry, context, runtime));
  const Package& package = *context.package;
  const std::string& workdir = workdir_of(entry, package);
  COMPUTE_SCALE_TRY(image, fill_in(package.image, context, "package " + package.name));
  COMPUTE_SCALE_TRY(data, data_binds(context));

  StepCommand command = start_command(entry, context);
  std::vector<Arg>& args = command.args;
  add(args, {runtime, "exec"});
  add_apptainer_options(args, entry, package);
  for (Bind& bind : own_binds(entry, context)) add_bind(args, std::move(bind));
  for (Bind& bind : data) add_bind(args, std::move(bind));
  add_bind(args, {context.save_path, context.save_path, false});
  add(args, {"--pwd", workdir + "/" + package.name, image});
  PackageEnv env = split_env(package.env);
  add_program(args, env.shell, env.plain, entry, context, workdir + "/_task", {});
  return command;
}

}  // namespace

Result<Backend> parse_backend(std::string_view text) {
  for (const BackendName& known : kBackends) {
    if (text == known.name) return known.backend;
  }
  return usage_error("container_runtime: " + quoted(text) +
                     " cannot be used yet: local, apptainer or singularity");
}

std::string to_string(Backend backend) {
  for (const BackendName& known : kBackends) {
    if (backend == known.backend) return known.name;
  }
  return "";
}

Result<StepCommand> build_container_cmd(Backend backend, const Entry& entry,
                                        const ContainerContext& context) {
  if (backend == Backend::kLocal) return local_command(entry, context);
  return apptainer_command(to_string(backend), entry, context);
}

CommandLine split_command(std::string_view cmd) {
  cmd = trim(cmd);
  const std::size_t end = cmd.find_first_of(" \t\r\n");
  const std::string_view word = cmd.substr(0, end);
  const bool is_script = word.find('/') != std::string_view::npos ||
                         (word.size() > 3 && word.substr(word.size() - 3) == ".sh");
  // A word that bash would have to expand is no file name.
  if (!is_script || word.find_first_of("$`'\"\\;&|<>()*?[") != std::string_view::npos) {
    return {"", std::string(cmd)};
  }
  const std::string_view rest = end == std::string_view::npos ? "" : trim(cmd.substr(end));
  return {std::string(word), std::string(rest)};
}

}  // namespace compute_scale
