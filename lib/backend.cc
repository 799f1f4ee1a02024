#include "backend.h"

#include "text.h"

namespace compute_scale {
namespace {

struct BackendName {
  Backend backend;
  const char* name;
};
constexpr BackendName kBackends[] = {
    {Backend::kApptainer, "apptainer"}, {Backend::kSingularity, "singularity"},
    {Backend::kDocker, "docker"},       {Backend::kDockerRootless, "docker-rootless"},
    {Backend::kPodman, "podman"},       {Backend::kPyxis, "pyxis"},
    {Backend::kLocal, "local"}};

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

std::string to_string(Backend backend) {
  for (const BackendName& known : kBackends) {
    if (backend == known.backend) return known.name;
  }
  return "";
}

}  // namespace compute_scale
