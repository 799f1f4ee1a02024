#include "local_devices.h"

#include "text.h"

namespace compute_scale {
namespace {

constexpr std::string_view kVariable = "CUDA_VISIBLE_DEVICES=";
const std::string kInstead = ": no GPUs are used (--gpus=N says how many there are)";

LocalDevices ask_nvidia_smi(const std::vector<std::string>& environment, ProcessRunner& runner) {
  LocalDevices found;
  found.source = "nvidia-smi";
  const auto answer = runner.run({"nvidia-smi", "-L"}, environment);
  if (!answer.ok()) {
    found.notice = answer.error().text + kInstead;
    return found;
  }
  if (answer->exit_code == 0) found.devices = parse_nvidia_smi(answer->output);
  if (found.devices.empty()) {
    const std::string said = answer->output + answer->errors;
    found.notice = "nvidia-smi -L: " + quoted(trim(said)) + kInstead;
  }
  return found;
}

}  // namespace

Result<LocalDevices> local_devices(const std::optional<std::string>& gpus,
                                   const std::vector<std::string>& environment,
                                   ProcessRunner& runner) {
  if (gpus) {
    COMPUTE_SCALE_TRY(devices, parse_gpus(*gpus));
    return LocalDevices{std::move(devices), "--gpus", ""};
  }
  for (const std::string& variable : environment) {
    if (!starts_with(variable, kVariable)) continue;
    COMPUTE_SCALE_TRY(devices, parse_visible_devices(variable.substr(kVariable.size())));
    return LocalDevices{std::move(devices), "CUDA_VISIBLE_DEVICES", ""};
  }
  return ask_nvidia_smi(environment, runner);
}

}  // namespace compute_scale
