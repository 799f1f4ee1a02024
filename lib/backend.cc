#include "backend.h"

#include "text.h"

namespace compute_scale {
namespace {

struct BackendName {
  Backend backend;
  const char* name;
  const char* program;
};
constexpr BackendName kBackends[] = {
    {Backend::kApptainer, "apptainer", "apptainer"},
    {Backend::kSingularity, "singularity", "singularity"},
    {Backend::kDocker, "docker", "docker"},
    {Backend::kDockerRootless, "docker-rootless", "docker"},
    {Backend::kPodman, "podman", "podman"},
    {Backend::kPyxis, "pyxis", "enroot"},
    {Backend::kLocal, "local", "bash"},
};

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const BackendName& known : kBackends) names.emplace_back(known.name);
  return names;
}

Result<Backend> parse_backend(std::string_view text) {
  for (const BackendName& known : kBackends) {
    if (text == known.name) return known.backend;
  }
  return usage_error("container_runtime: " + quoted(text) + ": expected " +
                     join(backend_names(), ", ") + did_you_mean(text, backend_names()));
}

std::string program_of(Backend backend) {
  for (const BackendName& known : kBackends) {
    if (backend == known.backend) return known.program;
  }
  return "";
}

std::string to_string(Backend backend) {
  for (const BackendName& known : kBackends) {
    if (backend == known.backend) return known.name;
  }
  return "";
}

}  // namespace compute_scale
