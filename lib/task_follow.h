// Which counts of tasks follow the number of GPUs: one task per GPU stays one task per GPU.
#ifndef COMPUTE_SCALE_LIB_TASK_FOLLOW_H_
#define COMPUTE_SCALE_LIB_TASK_FOLLOW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu_request.h"
#include "result.h"

namespace compute_scale {

// A change of a request's number of GPUs.
struct GpuChange {
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::int64_t nodes = 1;
  // The numbers are of one node, and how many nodes there will be is open.
  bool of_each_node = false;
  // GPUs of the surrounding job: what inherited counts of tasks are compared with.
  std::optional<std::int64_t> job_gpus;
};

struct TaskPlan {
  // New values of the options; nothing where they stay as they are. ntasks is also stated where it
  // was only derived from ntasks-per-node.
  std::optional<std::int64_t> ntasks, ntasks_per_node, ntasks_per_socket;
  std::int64_t tasks = 1;         // of the whole request, afterwards
  std::vector<std::string> kept;  // typed counts of more than one that stay: "ntasks 3"
};

// `gpus_per_task` is the count of the request's per-task view, 0 without one. A count follows where
// it equals the number of GPUs (in total; on a node; ntasks-per-gpu times that) and this is more
// than one or gpus_per_task is 1. Errors: a count that would follow but cannot be whole.
Result<TaskPlan> follow_tasks(const GpuRequest& request, const GpuChange& change,
                              std::int64_t gpus_per_task);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_TASK_FOLLOW_H_
