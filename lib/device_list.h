// Lists of GPUs as people, CUDA and nvidia-smi write them.
#ifndef COMPUTE_SCALE_LIB_DEVICE_LIST_H_
#define COMPUTE_SCALE_LIB_DEVICE_LIST_H_

#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace compute_scale {

// The names of GPUs as CUDA_VISIBLE_DEVICES takes them: an index, "GPU-…" or "MIG-…". They are
// passed on letter for letter and never taken for numbers.
using DeviceList = std::vector<std::string>;

// What --gpus says: a count ("8": the indices 0 to 7; "0": none) or names ("0,2", "GPU-…"); one
// index alone as a list is "3,". Errors: anything else, a name that comes twice, more than 1024.
Result<DeviceList> parse_gpus(std::string_view text);

// As CUDA reads the variable: what stands behind the first element that is no device ("-1",
// "NoDevFiles", an empty one) is not visible. Error: a name that comes twice.
Result<DeviceList> parse_visible_devices(std::string_view text);

// The devices in the output of `nvidia-smi -L`: the index of each GPU, or, of one that is divided,
// its MIG names.
DeviceList parse_nvidia_smi(std::string_view output);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_DEVICE_LIST_H_
