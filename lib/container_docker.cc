// docker run, docker exec into a container that the steps of a job share, and podman run.
#include "container_parts.h"

namespace compute_scale {
namespace {

// docker takes -v apart at ':'. A path that is not there would be made by it, as root: bind_path of
// the job script looks first.
std::vector<std::string> volume_words(const Bind& bind) {
  if ((bind.host + bind.container).find(':') == std::string::npos) {
    return {"-v", bind.host + ":" + bind.container};
  }
  return {"--mount", mount_argument(bind)};
}

// Files must belong to the user who submitted: a rootless daemon's root is that user.
void add_user(std::vector<Arg>& args, Backend backend) {
  if (backend == Backend::kPodman) add_call(args, "keep_submitter");
  if (backend == Backend::kDocker) {
    add_call(args, "as_submitter");
    add(args, {"-e", "HOME=/tmp"});  // that user has no home in the image
  }
}

void add_gpus(std::vector<Arg>& args, Backend backend, const Entry& entry) {
  if (entry.compute.is_zero()) {
    // Where NVIDIA's runtime is the default one, an image may ask for all GPUs.
    add(args, {"-e", "NVIDIA_VISIBLE_DEVICES=void"});
  } else {
    add_call(args, backend == Backend::kPodman ? "podman_gpus" : "docker_gpus");
  }
}

// `ENGINE run …` up to and with the image.
Result<std::vector<Arg>> run_words(Backend backend, const std::vector<std::string>& how,
                                   const Entry& entry, const ContainerContext& context) {
  const std::string engine = backend == Backend::kPodman ? "podman" : "docker";
  const Package& package = *context.package;
  COMPUTE_SCALE_TRY(binds, all_binds(entry, context));
  std::vector<Arg> args;
  add(args, {engine, "run"});
  add(args, how);
  add_call(args, "name_container", {engine});
  add(args, {"--shm-size=16g", "--entrypoint", ""});
  add(args, context.flags);
  add_gpus(args, backend, entry);
  add_call(args, "pass_variables");
  add_user(args, backend);
  for (const Bind& bind : binds) add_bind(args, bind, volume_words(bind));
  add(args, {"-w", workdir_of(entry, package) + "/" + package.name, image_name(package)});
  return args;
}

// The engines number a container's devices from 0.
Program engine_program(const Entry& entry, const Package& package) {
  Program program = program_of(entry, package);
  program.devices = ArgKind::kInnerDevices;
  return program;
}

Result<StepCommand> exec_command(const Entry& entry, const ContainerContext& context) {
  const Package& package = *context.package;
  StepCommand command = start_command(entry, context);
  COMPUTE_SCALE_TRY(session, run_words(Backend::kDockerRootless, {"-d", "--rm"}, entry, context));
  command.session = std::move(session);
  add(command.session, {"sleep", "infinity"});
  add(command.args, {"docker", "exec", "-w", workdir_of(entry, package) + "/" + package.name});
  command.args.push_back({ArgKind::kSession, "", {}});
  Program program = engine_program(entry, package);
  // docker exec passes no signals on: this is how the job script finds the processes.
  program.prelude =
      "echo $$ >\"/dev/shm/$0\"" + (program.prelude.empty() ? "" : "; " + program.prelude);
  program.name = {ArgKind::kStep, "", {}};
  add_program(command.args, program, entry, context);
  return command;
}

}  // namespace

Result<StepCommand> docker_command(Backend backend, const Entry& entry,
                                   const ContainerContext& context) {
  COMPUTE_SCALE_CHECK(check_package(entry, context, to_string(backend)));
  if (backend == Backend::kDockerRootless && context.in_session) {
    return exec_command(entry, context);
  }
  StepCommand command = start_command(entry, context);
  COMPUTE_SCALE_TRY(words, run_words(backend, {"--rm"}, entry, context));
  command.args = std::move(words);
  add_program(command.args, engine_program(entry, *context.package), entry, context);
  return command;
}

}  // namespace compute_scale
