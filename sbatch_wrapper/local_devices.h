// The GPUs of this machine that a local run may use.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_DEVICES_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_DEVICES_H_

#include <optional>
#include <string>

#include "device_list.h"
#include "process.h"
#include "result.h"

namespace compute_scale {

struct LocalDevices {
  DeviceList devices;
  std::string source;  // for messages: "--gpus", "CUDA_VISIBLE_DEVICES", "nvidia-smi"
  std::string notice;  // why there are none, where nothing says so itself
};

// Those that `gpus` (the option) names, else CUDA_VISIBLE_DEVICES of `environment`, else those that
// nvidia-smi lists; none, with a notice, where it is absent or fails.
Result<LocalDevices> local_devices(const std::optional<std::string>& gpus,
                                   const std::vector<std::string>& environment,
                                   ProcessRunner& runner);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_LOCAL_DEVICES_H_
