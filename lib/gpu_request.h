// What a submission asks of Slurm, as far as its number of GPUs is concerned.
//
// A script often names its GPUs several times (--gres, --gpus, --gpus-per-task …). These are views
// of one request: they are read together and have to agree.
#ifndef COMPUTE_SCALE_LIB_GPU_REQUEST_H_
#define COMPUTE_SCALE_LIB_GPU_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu_view.h"
#include "result.h"

namespace compute_scale {

// A count that an option of the request states (>= 1).
struct TaskOption {
  std::int64_t value = 0;
  bool inherited = false;  // from the environment of the surrounding job
};

struct NodeCount {
  std::int64_t least = 1;
  std::int64_t most = 1;
  bool stated = false;  // false: the request says nothing, and 1 is assumed

  bool is_range() const { return least != most; }
};

struct GpuRequest {
  std::vector<RequestOption> options;  // as given, less the unset ones
  // Those that count: what was typed; what was inherited only where nothing was typed.
  std::vector<GpuView> views;
  bool gpus_inherited = false;  // all views are inherited ones: nobody asked for a count here
  bool gres_none = false;       // --gres=none
  // An inherited count per socket is no view: a step does not say how many sockets it has.
  bool per_socket_inherited = false;
  NodeCount nodes;  // stated, or what totals and counts per node imply, or 1
  std::optional<TaskOption> ntasks, ntasks_per_node, ntasks_per_socket, ntasks_per_gpu;
  std::int64_t sockets_per_node = 1;
  // GPUs in total; nothing where none are asked for, or where a range of nodes leaves it open.
  std::optional<std::int64_t> total;
  // GPUs on each node, where a view says so.
  std::optional<std::int64_t> per_node;
  // Tasks of the whole request: stated, or what other views imply, else one per node.
  std::int64_t tasks = 1;
  bool tasks_implied = false;  // by a total and a count per task

  bool has_gpus() const { return !views.empty() || gpus_by_tasks(); }
  // Whether somebody typed a count here.
  bool asks_for_gpus() const { return has_gpus() && !gpus_inherited; }
  // --ntasks with --ntasks-per-gpu says how many GPUs there are, too.
  bool gpus_by_tasks() const;
  // The first view of a unit, or null.
  const GpuView* view(GpuUnit unit) const;
  const RequestOption* find(const std::string& name) const;
};

// Reads the options that matter (client_api.h lists them). Errors in one line: a malformed list, or
// typed options that contradict one another, with the options and the numbers.
Result<GpuRequest> read_gpu_request(const std::vector<RequestOption>& options);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_GPU_REQUEST_H_
