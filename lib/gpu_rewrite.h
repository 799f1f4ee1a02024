// The rewriting of a request to another number of GPUs, in all its views at once.
#ifndef COMPUTE_SCALE_LIB_GPU_REWRITE_H_
#define COMPUTE_SCALE_LIB_GPU_REWRITE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu_amount.h"
#include "gpu_request.h"
#include "result.h"

namespace compute_scale {

struct RequestPlan {
  // Options to set, in order; those that stay as they are are not among them.
  std::vector<std::pair<std::string, std::string>> changes;
  std::vector<std::string> taken_back;  // options to reset
  std::optional<std::int64_t> before;   // GPUs in total (of each node where open_nodes)
  std::optional<std::int64_t> after;
  bool open_nodes = false;             // a range of nodes leaves the totals open
  std::optional<std::int64_t> shards;  // one GPU became so many shards
  std::vector<std::string> kept;       // counts of tasks that stay: "ntasks 3"
  // Counts that sbatch has written into the job's environment already, with their new values.
  std::vector<std::pair<std::string, std::string>> task_variables;
};

// The request as it is.
RequestPlan leave_request(const GpuRequest& request);

// The request at `after` GPUs in total instead of `before`, which is what its views say or, where
// it has none, what the entry would have asked for. Without a view, one is added: `gpu_flag` is
// "gres", "gpus" or "gpus-per-node" (empty for a step, which has one). `job_gpus`: GPUs of the
// surrounding job, for a step. Errors in one line, with options and numbers: nodes or tasks that
// cannot carry the count, or options that do not follow and contradict it.
Result<RequestPlan> retarget_request(const GpuRequest& request, std::int64_t before,
                                     std::int64_t after, const std::string& gpu_flag,
                                     std::optional<std::int64_t> job_gpus);

// Every count of the request times `factor`, rounded up on each node (socket, task), never to 0.
// Several types have to come out whole. The request has GPUs. Errors likewise.
Result<RequestPlan> rescale_request(const GpuRequest& request, ScaleFactor factor);

// The request with `shards` shards in place of its one GPU, or nothing where it cannot be said so:
// only an untyped --gres=gpu:1 alone, or no GPU option at all, can.
std::optional<RequestPlan> shard_request(const GpuRequest& request, std::int64_t shards);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_GPU_REWRITE_H_
