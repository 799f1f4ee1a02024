// The container runtimes that a step's command can be written for.
#ifndef COMPUTE_SCALE_LIB_BACKEND_H_
#define COMPUTE_SCALE_LIB_BACKEND_H_

#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace compute_scale {

enum class Backend {
  kLocal,
  kApptainer,
  kSingularity,
  kDocker,
  kDockerRootless,  // steps that share a job share one container, see ContainerContext::in_session
  kPodman,
  kPyxis,  // srun with NVIDIA's plugin
};
// "local", "apptainer", "singularity", "docker", "docker-rootless", "podman", "pyxis".
Result<Backend> parse_backend(std::string_view text);
std::string to_string(Backend backend);
std::vector<std::string> backend_names();
// The program that has to be on the PATH of a node: "docker", for pyxis "enroot", …
std::string program_of(Backend backend);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_BACKEND_H_
