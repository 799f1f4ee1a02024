// srun with the options of NVIDIA's pyxis plugin, which has enroot run the container.
#include "container_parts.h"
#include "package_env.h"
#include "text.h"

namespace compute_scale {
namespace {

// A squashfs file, or the name of an image as for docker.
Result<std::string> find_image(const ContainerContext& context) {
  const Package& package = *context.package;
  const std::string_view ending = ".sqsh";
  const std::string& file = package.image;
  const bool squashed = file.size() > ending.size() &&
                        file.compare(file.size() - ending.size(), ending.size(), ending) == 0;
  if (!squashed) return image_name(package);
  return fill_in(file, context, "package " + package.name);
}

// pyxis splits at ',' and ':' and hands the rest to enroot as a line of fstab.
Result<std::string> mount_word(const Bind& bind, const Package& package) {
  for (const std::string& path : {bind.host, bind.container}) {
    if (path.find_first_of(",: ") == std::string::npos) continue;
    return site_error("package " + package.name + ": pyxis cannot mount " + quoted(path) +
                      ": its mounts hold no blank, ',' or ':'");
  }
  return "--container-mounts=" + bind.host + ":" + bind.container;
}

}  // namespace

Result<StepCommand> pyxis_command(const Entry& entry, const ContainerContext& context) {
  COMPUTE_SCALE_CHECK(check_package(entry, context, "pyxis"));
  COMPUTE_SCALE_TRY(image, find_image(context));
  COMPUTE_SCALE_TRY(binds, all_binds(entry, context));
  const Package& package = *context.package;
  const std::string& workdir = workdir_of(entry, package);
  const bool cuda = !entry.compute.is_zero();

  StepCommand command = start_command(entry, context);
  std::vector<Arg>& args = command.args;
  // enroot's hooks want a HOME, and look for GPUs where an image asks for them.
  add_call(args, "pyxis_environment");
  if (!cuda) add(args, {"NVIDIA_VISIBLE_DEVICES=void"});
  args.push_back({ArgKind::kSrun, "", {}});
  add(args, {"--container-image=" + image});
  for (const Bind& bind : binds) {
    COMPUTE_SCALE_TRY(word, mount_word(bind, package));
    add_bind(args, bind, {word});
  }
  add(args, {"--container-workdir=" + workdir + "/" + package.name, "--no-container-entrypoint"});
  if (package.fakeroot) add(args, {"--container-remap-root"});
  if (package.writable_tmpfs) add(args, {"--container-writable"});
  if (package.no_home) add(args, {"--no-container-mount-home"});
  // Else the image's value wins.
  if (!cuda) add(args, {"--container-env=NVIDIA_VISIBLE_DEVICES"});
  add(args, context.flags);
  add_program(args, program_of(entry, package), entry, context);
  return command;
}

}  // namespace compute_scale
