// What the two ways to rewrite a request share (gpu_rewrite.cc, gpu_rescale.cc).
#ifndef COMPUTE_SCALE_LIB_GPU_REWRITE_PARTS_H_
#define COMPUTE_SCALE_LIB_GPU_REWRITE_PARTS_H_

#include <cstdint>
#include <string>

#include "gpu_rewrite.h"
#include "task_follow.h"

namespace compute_scale {

// The refusal of a range of nodes that leaves the total open.
Error open_nodes(const GpuRequest& request);

// Whether `total` GPUs can be shared by the nodes; `gpu_flag` is how a view would be added.
Status check_nodes(const GpuRequest& request, std::int64_t total, const std::string& gpu_flag);

// All views and the tasks that follow, changed together. Where nobody has typed a count, one is
// added by `gpu_flag`.
Result<RequestPlan> rewrite_request(const GpuRequest& request, const GpuChange& gpus,
                                    const std::string& gpu_flag);

// Adds `resource` to the --gres of the request.
void add_gres(const GpuRequest& request, const std::string& resource, RequestPlan& plan);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_GPU_REWRITE_PARTS_H_
