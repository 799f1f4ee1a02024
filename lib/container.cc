#include "container.h"

#include "container_parts.h"
#include "text.h"

namespace compute_scale {
Result<StepCommand> build_container_cmd(Backend backend, const Entry& entry,
                                        const ContainerContext& context) {
  switch (backend) {
    case Backend::kLocal:
      break;
    case Backend::kApptainer:
    case Backend::kSingularity:
      return apptainer_command(backend, entry, context);
    case Backend::kDocker:
    case Backend::kDockerRootless:
    case Backend::kPodman:
      return docker_command(backend, entry, context);
    case Backend::kPyxis:
      return pyxis_command(entry, context);
  }
  return local_command(entry, context);
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
