#include "gpu_request.h"

#include <algorithm>
#include <map>
#include <utility>

#include "text.h"

namespace compute_scale {
namespace {

// More tasks or nodes than any cluster has: Slurm's marks for "unset" lie above.
constexpr std::int64_t kMostTasks = 1000000;

std::optional<std::int64_t> plausible(std::string_view text) {
  const std::optional<std::int64_t> number = parse_digits(text);
  return number && *number >= 1 && *number <= kMostTasks ? number : std::nullopt;
}

std::optional<TaskOption> task_option(const GpuRequest& request, const std::string& name) {
  const RequestOption* option = request.find(name);
  if (option == nullptr) return std::nullopt;
  const std::optional<std::int64_t> value = plausible(option->value);
  if (!value) return std::nullopt;
  return TaskOption{*value, option->from_environment};
}

// "2", "2-4"; "2-0" from a list of two nodes, "1-0" where nothing is said (arg_get_nodes in Slurm's
// src/common/slurm_opt.c).
NodeCount read_nodes(const GpuRequest& request) {
  NodeCount nodes;
  const RequestOption* option = request.find("nodes");
  if (option == nullptr) return nodes;
  const std::vector<std::string_view> ends = split(option->value, '-');
  const std::optional<std::int64_t> least = plausible(ends.front());
  if (!least || ends.size() > 2) return nodes;
  const bool open_end = ends.size() == 2 && ends[1] == "0";
  if (open_end && *least == 1) return nodes;
  const std::optional<std::int64_t> most = open_end ? least : plausible(ends.back());
  if (!most || *most < *least) return nodes;
  return {*least, *most, true};
}

Status read_views(GpuRequest& request) {
  std::vector<GpuView> inherited;
  for (const RequestOption& option : request.options) {
    COMPUTE_SCALE_TRY(view, read_gpu_view(option));
    if (!view) continue;
    if (view->inherited && view->unit == GpuUnit::kPerSocket) {
      request.per_socket_inherited = true;
    } else {
      (view->inherited ? inherited : request.views).push_back(*view);
    }
  }
  request.gpus_inherited = request.views.empty() && !inherited.empty();
  if (request.gpus_inherited) request.views = std::move(inherited);
  return Done{};
}

std::optional<std::int64_t> read_per_node(const GpuRequest& request) {
  if (const GpuView* view = request.view(GpuUnit::kPerNode)) return view->count();
  if (const GpuView* view = request.view(GpuUnit::kPerSocket)) {
    return view->count() * request.sockets_per_node;
  }
  return std::nullopt;
}

// The total that does not depend on the number of nodes.
std::optional<std::int64_t> total_without_nodes(const GpuRequest& request) {
  if (const GpuView* view = request.view(GpuUnit::kTotal)) return view->count();
  if (!request.ntasks) return std::nullopt;
  if (const GpuView* view = request.view(GpuUnit::kPerTask)) {
    return view->count() * request.ntasks->value;
  }
  if (request.gpus_by_tasks()) return request.ntasks->value / request.ntasks_per_gpu->value;
  return std::nullopt;
}

// Where the request leaves the nodes open, its counts may fix them all the same.
void imply_nodes(GpuRequest& request) {
  NodeCount& nodes = request.nodes;
  if (nodes.stated && !nodes.is_range()) return;
  std::int64_t implied = 0;
  const std::optional<std::int64_t> total = total_without_nodes(request);
  if (total && request.per_node.value_or(0) > 0 && *total % *request.per_node == 0) {
    implied = *total / *request.per_node;
  } else if (request.ntasks && request.ntasks_per_node &&
             request.ntasks->value % request.ntasks_per_node->value == 0) {
    implied = request.ntasks->value / request.ntasks_per_node->value;
  }
  const bool fits = !nodes.stated || (implied >= nodes.least && implied <= nodes.most);
  if (implied > 0 && fits) nodes = {implied, implied, nodes.stated};
}

void imply_tasks(GpuRequest& request) {
  const std::int64_t nodes = request.nodes.least;
  std::optional<std::int64_t> total = total_without_nodes(request);
  if (!total && request.per_node) total = *request.per_node * nodes;
  const GpuView* per_task = request.view(GpuUnit::kPerTask);
  if (request.ntasks) {
    request.tasks = request.ntasks->value;
  } else if (request.ntasks_per_node) {
    request.tasks = request.ntasks_per_node->value * nodes;
  } else if (total && per_task != nullptr && per_task->count() > 0 && *total >= per_task->count() &&
             *total % per_task->count() == 0) {
    request.tasks = *total / per_task->count();
    request.tasks_implied = true;
  } else {
    request.tasks = nodes;
  }
}

// What one view says about the whole request.
struct Claim {
  std::string text;  // "--gres=gpu:2 on 4 nodes"
  std::int64_t total = 0;
  std::map<std::string, std::int64_t> types;  // totals by type
};

Claim claim_of(const GpuRequest& request, const GpuView& view) {
  Claim claim{view.to_string(), 0, gpus_by_type(view)};
  std::int64_t times = 1;
  if (view.unit == GpuUnit::kPerSocket) {
    times = request.sockets_per_node;
    claim.text += " for " + counted(times, "socket");
  }
  if (view.unit == GpuUnit::kPerTask) {
    times = request.tasks;
    claim.text += " for " + counted(times, "task");
  } else if (view.unit != GpuUnit::kTotal && request.nodes.least > 1) {
    times *= request.nodes.least;
    claim.text += " on " + counted(request.nodes.least, "node");
  }
  claim.total = view.count() * times;
  for (auto& [type, count] : claim.types) count *= times;
  return claim;
}

std::vector<Claim> claims_of(const GpuRequest& request) {
  std::vector<Claim> claims;
  for (const GpuView& view : request.views) claims.push_back(claim_of(request, view));
  if (request.gpus_by_tasks()) {
    const std::int64_t tasks = request.ntasks->value;
    const std::int64_t per_gpu = request.ntasks_per_gpu->value;
    claims.push_back(
        {"--ntasks=" + std::to_string(tasks) + " with --ntasks-per-gpu=" + std::to_string(per_gpu),
         tasks / per_gpu,
         {{"", tasks / per_gpu}}});
  }
  return claims;
}

Status check_agreement(const Claim& one, const Claim& other) {
  if (one.total != other.total) {
    return usage_error("contradicting GPU options: " + one.text + " is " +
                       counted(one.total, "GPU") + ", " + other.text + " is " +
                       counted(other.total, "GPU"));
  }
  const bool typed = one.types.count("") == 0 && other.types.count("") == 0;
  if (typed && one.types != other.types) {
    return usage_error("contradicting GPU options: " + one.text + " and " + other.text +
                       " differ in the types of GPU");
  }
  return Done{};
}

Status read_total(GpuRequest& request) {
  const std::vector<Claim> claims = claims_of(request);
  if (claims.empty()) return Done{};
  for (const Claim& claim : claims) {
    if (claim.total > kMostGpus) return usage_error(claim.text + " is more than 1,000,000 GPUs");
    if (!request.gpus_inherited) COMPUTE_SCALE_CHECK(check_agreement(claims.front(), claim));
  }
  const bool open = request.nodes.is_range() && !total_without_nodes(request);
  if (!open) request.total = claims.front().total;
  return Done{};
}

Status check_tasks(const GpuRequest& request) {
  if (request.view(GpuUnit::kPerSocket) != nullptr && request.find("sockets-per-node") == nullptr) {
    return usage_error("--gpus-per-socket needs --sockets-per-node");
  }
  if (request.gpus_by_tasks() && !request.gpus_inherited &&
      request.ntasks->value % request.ntasks_per_gpu->value != 0) {
    return usage_error(
        "--ntasks=" + std::to_string(request.ntasks->value) +
        " is not a multiple of --ntasks-per-gpu=" + std::to_string(request.ntasks_per_gpu->value));
  }
  return Done{};
}

}  // namespace

bool GpuRequest::gpus_by_tasks() const {
  if (!ntasks || !ntasks_per_gpu) return false;
  return views.empty() || (!gpus_inherited && !ntasks_per_gpu->inherited);
}

const GpuView* GpuRequest::view(GpuUnit unit) const {
  const auto found = std::find_if(views.begin(), views.end(),
                                  [&](const GpuView& candidate) { return candidate.unit == unit; });
  return found == views.end() ? nullptr : &*found;
}

const RequestOption* GpuRequest::find(const std::string& name) const {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const RequestOption& o) { return o.name == name; });
  return found == options.end() ? nullptr : &*found;
}

Result<GpuRequest> read_gpu_request(const std::vector<RequestOption>& options) {
  GpuRequest request;
  for (const RequestOption& option : options) {
    if (!option.value.empty() && option.value != "unset") request.options.push_back(option);
  }
  COMPUTE_SCALE_CHECK(read_views(request));
  const RequestOption* gres = request.find("gres");
  request.gres_none = gres != nullptr && is_gres_keyword(gres->value);
  request.nodes = read_nodes(request);
  request.ntasks = task_option(request, "ntasks");
  request.ntasks_per_node = task_option(request, "ntasks-per-node");
  request.ntasks_per_socket = task_option(request, "ntasks-per-socket");
  request.ntasks_per_gpu = task_option(request, "ntasks-per-gpu");
  if (!request.ntasks_per_gpu) request.ntasks_per_gpu = task_option(request, "ntasks-per-tres");
  if (const auto sockets = task_option(request, "sockets-per-node")) {
    request.sockets_per_node = sockets->value;
  }
  if (request.views.empty() && request.ntasks_per_gpu) {
    request.gpus_inherited = request.ntasks_per_gpu->inherited;
  }
  COMPUTE_SCALE_CHECK(check_tasks(request));
  request.per_node = read_per_node(request);
  imply_nodes(request);
  imply_tasks(request);
  COMPUTE_SCALE_CHECK(read_total(request));
  return request;
}

}  // namespace compute_scale
