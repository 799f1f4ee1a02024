// apptainer exec, singularity exec.
#include <algorithm>

#include "container_parts.h"
#include "package_env.h"

namespace compute_scale {
namespace {

bool isolates_tmp(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return flag == "--contain" || flag == "-c" || flag == "--containall" || flag == "-C";
  });
}

// Apptainer splits --bind at ',' and ':'; --mount can carry both.
std::vector<std::string> bind_words(const Bind& bind) {
  const std::string both = bind.host + bind.container;
  if (both.find_first_of(",:") == std::string::npos) {
    return {"--bind", bind.host + ":" + bind.container};
  }
  return {"--mount", mount_argument(bind)};
}

void add_options(std::vector<Arg>& args, const Entry& entry, const ContainerContext& context) {
  const Package& package = *context.package;
  const bool cuda = !entry.compute.is_zero();
  std::vector<std::string> flags = package.apptainer_flags;
  flags.insert(flags.end(), context.flags.begin(), context.flags.end());
  if (cuda) add(args, {"--nv"});
  if (package.fakeroot) add(args, {"--fakeroot"});
  if (package.writable_tmpfs) add(args, {"--writable-tmpfs"});
  if (package.no_home) add(args, {"--no-home"});
  add(args, flags);
  if (isolates_tmp(flags)) args.push_back({ArgKind::kScratch, "", {}});
  if (cuda) add_bind(args, {"/dev/shm", "/dev/shm"}, {"--bind", "/dev/shm:/dev/shm"});
}

Result<std::string> find_image(const Entry& entry, const ContainerContext& context,
                               const std::string& runtime) {
  const Package& package = *context.package;
  if (!package.image.empty()) return fill_in(package.image, context, "package " + package.name);
  return site_error(entry.task + "/" + entry.label + ": package " + package.name +
                    " has no image for " + runtime + " (or use container_runtime: local)");
}

}  // namespace

Result<StepCommand> apptainer_command(Backend backend, const Entry& entry,
                                      const ContainerContext& context) {
  const std::string runtime = to_string(backend);
  COMPUTE_SCALE_CHECK(check_package(entry, context, runtime));
  COMPUTE_SCALE_TRY(image, find_image(entry, context, runtime));
  COMPUTE_SCALE_TRY(binds, all_binds(entry, context));
  const Package& package = *context.package;
  const std::string& workdir = workdir_of(entry, package);

  StepCommand command = start_command(entry, context);
  std::vector<Arg>& args = command.args;
  add(args, {runtime, "exec"});
  add_options(args, entry, context);
  for (const Bind& bind : binds) add_bind(args, bind, bind_words(bind));
  add(args, {"--pwd", workdir + "/" + package.name, image});
  add_program(args, program_of(entry, package), entry, context);
  return command;
}

}  // namespace compute_scale
