// One option of a request as a count of GPUs: per node, per socket, per task or in total.
#ifndef COMPUTE_SCALE_LIB_GPU_VIEW_H_
#define COMPUTE_SCALE_LIB_GPU_VIEW_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gres.h"
#include "result.h"

namespace compute_scale {

// One option of the request as Slurm holds it.
struct RequestOption {
  std::string name;
  std::string value;
  bool from_environment = false;  // it only repeats a variable of the job; nobody typed it
};

enum class GpuUnit { kPerNode, kTotal, kPerSocket, kPerTask };

struct GpuView {
  std::string option;  // "gres"
  GpuUnit unit = GpuUnit::kPerNode;
  std::vector<GresItem> items;  // the whole list, other resources included
  bool inherited = false;       // from_environment

  std::int64_t count() const { return gpu_count(items); }
  // "--gres=gpu:4", as a person would type it, for a message.
  std::string to_string() const;
};

// The option as a view, or nothing where it is no such option or names no GPU at all ("gpu:0"
// does). Errors: a malformed list.
Result<std::optional<GpuView>> read_gpu_view(const RequestOption& option);

// The GPUs of a view by type ("" for the untyped ones).
std::map<std::string, std::int64_t> gpus_by_type(const GpuView& view);

// The view's list at `count` GPUs, as slurm_option_set takes it. Several types keep their
// proportion; an error where one of them would not be whole.
Result<std::string> view_at(const GpuView& view, std::int64_t count);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_GPU_VIEW_H_
