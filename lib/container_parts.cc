#include "container_parts.h"

#include "package_env.h"
#include "shell_quote.h"
#include "text.h"

namespace compute_scale {

EnvList run_variables(const ContainerContext& context) {
  return overlay(context.run_env, {{"SAVE_PATH", context.save_path},
                                   {"OUTPUT_DIR", context.output_dir},
                                   {"SEED", std::to_string(context.seed)}});
}

namespace {

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

// One field of a comma-separated list.
std::string mount_field(const std::string& key, const std::string& value) {
  std::string out = "\"" + key + "=";
  for (const char c : value) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace

void add(std::vector<Arg>& args, const std::vector<std::string>& words) {
  for (const std::string& word : words) args.push_back({ArgKind::kText, word, {}});
}

void add_call(std::vector<Arg>& args, const std::string& function,
              const std::vector<std::string>& words) {
  args.push_back({ArgKind::kCall, function, words});
}

void add_bind(std::vector<Arg>& args, const Bind& bind, std::vector<std::string> words) {
  args.push_back({ArgKind::kBind, bind.host, std::move(words), bind.optional});
}

StepCommand start_command(const Entry& entry, const ContainerContext& context) {
  StepCommand command;
  command.entry_env = entry.env;
  command.output_dir = context.output_dir;
  return command;
}

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

// Variables go through the arguments of env and not through the runtime's own options: apptainer's
// --env splits values at commas and quotes, and it evaluates $(…) in APPTAINERENV_ variables and
// drops empty ones; pyxis lets the image's values win.
Program program_of(const Entry& entry, const Package& package) {
  const PackageEnv env = split_env(package.env);
  Program program;
  program.prelude = env.shell;
  program.env = env.plain;
  program.task_dir = workdir_of(entry, package) + "/_task";
  return program;
}

void add_program(std::vector<Arg>& args, const Program& program, const Entry& entry,
                 const ContainerContext& context) {
  if (!program.prelude.empty()) {
    add(args, {program.shell, "-c", program.prelude + "; exec \"$@\""});
    if (program.name.kind == ArgKind::kText) {
      add(args, {program.shell});
    } else {
      args.push_back(program.name);
    }
  }
  add(args, {"env"});
  add(args, program.env_options);
  add(args, assignments(overlay(program.env, run_variables(context))));
  if (entry.compute.is_zero()) {
    add(args, {"CUDA_VISIBLE_DEVICES="});
  } else {
    args.push_back({program.devices, "CUDA_VISIBLE_DEVICES=", {}});
  }
  add(args, {"ENV=" + entry.label});
  args.push_back({ArgKind::kEntryEnv, "", {}});
  add_command(args, entry, program.task_dir);
}

const std::string& workdir_of(const Entry& entry, const Package& package) {
  return entry.workdir.empty() ? package.workdir : entry.workdir;
}

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

Result<std::vector<Bind>> all_binds(const Entry& entry, const ContainerContext& context) {
  std::vector<Bind> binds = own_binds(entry, context);
  COMPUTE_SCALE_TRY(data, data_binds(context));
  for (Bind& bind : data) binds.push_back(std::move(bind));
  binds.push_back({context.save_path, context.save_path, false});
  return binds;
}

Result<Done> check_package(const Entry& entry, const ContainerContext& context,
                           const std::string& runtime) {
  const std::string place = entry.task + "/" + entry.label;
  if (context.package == nullptr) {
    return site_error(place + ": names no package, so " + runtime +
                      " has no image for it (or use container_runtime: local)");
  }
  if (context.working_copy.empty()) {
    return site_error(place + ": no working copy of package " + context.package->name +
                      ": set workspace_root in the config");
  }
  return Done{};
}

std::string image_name(const Package& package) {
  return "mlsbench/" + to_lower(package.name) + ":latest";
}

std::string mount_argument(const Bind& bind) {
  return "type=bind," + mount_field("source", bind.host) + "," +
         mount_field("destination", bind.container);
}

}  // namespace compute_scale
