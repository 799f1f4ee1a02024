// The rewriting of a request that no profile covers: by a factor, or into shards of a GPU.
#include "gpu_rewrite_parts.h"
#include "text.h"

namespace compute_scale {
namespace {

std::int64_t scaled_up(std::int64_t count, ScaleFactor factor) {
  return (count * factor.micro() + 999999) / 1000000;
}

// A view's count times the factor, rounded up; with several types each has to be whole.
Result<std::int64_t> scaled_view(const GpuView& view, ScaleFactor factor) {
  const std::map<std::string, std::int64_t> types = gpus_by_type(view);
  if (types.size() == 1) return scaled_up(view.count(), factor);
  for (const auto& [type, count] : types) {
    if (count * factor.micro() % 1000000 == 0) continue;
    return site_error(view.to_string() + ": " + counted(count, "GPU") + " of type " + quoted(type) +
                      " times " + factor.to_string() + " is not a whole number");
  }
  return view.count() * factor.micro() / 1000000;
}

// GPUs afterwards, in total: rounded up where the request is most specific.
Result<std::int64_t> scaled_total(const GpuRequest& request, std::int64_t before,
                                  std::int64_t nodes, ScaleFactor factor) {
  if (const GpuView* view = request.view(GpuUnit::kPerSocket)) {
    COMPUTE_SCALE_TRY(count, scaled_view(*view, factor));
    return count * request.sockets_per_node * nodes;
  }
  if (const GpuView* view = request.view(GpuUnit::kPerNode)) {
    COMPUTE_SCALE_TRY(count, scaled_view(*view, factor));
    return count * nodes;
  }
  if (const GpuView* view = request.view(GpuUnit::kTotal)) return scaled_view(*view, factor);
  const GpuView* view = request.view(GpuUnit::kPerTask);
  const bool tasks_follow = request.ntasks || request.ntasks_per_node;
  if (view == nullptr || (view->count() == 1 && tasks_follow)) return scaled_up(before, factor);
  COMPUTE_SCALE_TRY(count, scaled_view(*view, factor));
  return count * request.tasks;
}

// Whether each view is a count of one node or one of its sockets.
bool counts_nodes_only(const GpuRequest& request) {
  return request.per_node && request.view(GpuUnit::kTotal) == nullptr &&
         request.view(GpuUnit::kPerTask) == nullptr;
}

}  // namespace

Result<RequestPlan> rescale_request(const GpuRequest& request, ScaleFactor factor) {
  // A range of nodes leaves the totals open: then one node stands for each of them.
  const bool open = !request.total;
  if (open && !counts_nodes_only(request)) return open_nodes(request);
  const std::int64_t nodes = open ? 1 : request.nodes.least;
  const std::int64_t before = open ? *request.per_node : *request.total;
  COMPUTE_SCALE_TRY(after, scaled_total(request, before, nodes, factor));
  if (!open) COMPUTE_SCALE_CHECK(check_nodes(request, after, ""));
  if (after == before) return leave_request(request);
  COMPUTE_SCALE_TRY(plan, rewrite_request(request, {before, after, nodes, open, std::nullopt}, ""));
  plan.open_nodes = open;
  return plan;
}

std::optional<RequestPlan> shard_request(const GpuRequest& request, std::int64_t shards) {
  for (const char* option : {"cpus-per-gpu", "mem-per-gpu", "ntasks-per-gpu", "ntasks-per-tres"}) {
    if (request.find(option) != nullptr) return std::nullopt;
  }
  if (request.views.size() > 1 || request.nodes.most > 1) return std::nullopt;
  RequestPlan plan;
  plan.shards = shards;
  plan.after = 1;
  const std::string resource = "shard:" + std::to_string(shards);
  if (request.views.empty()) {
    add_gres(request, resource, plan);
    return plan;
  }
  const GpuView& view = request.views.front();
  if (view.option != "gres" || view.count() != 1) return std::nullopt;
  std::vector<GresItem> items = view.items;
  for (GresItem& item : items) {
    if (item.name == "shard" || (item.is_gpu() && !item.type.empty())) return std::nullopt;
    if (item.is_gpu()) item.text = resource;
  }
  plan.before = 1;
  plan.changes.emplace_back("gres", to_string(items, GresPrefix::kDrop));
  return plan;
}

}  // namespace compute_scale
