#include "gpu_rewrite.h"

#include "gpu_rewrite_parts.h"
#include "text.h"

namespace compute_scale {
namespace {

std::string view_texts(const GpuRequest& request) {
  std::vector<std::string> texts;
  for (const GpuView& view : request.views) texts.push_back(view.to_string());
  return join(texts, " ");
}

// `count` shared out evenly, or an error that names all numbers.
Result<std::int64_t> share(const GpuRequest& request, std::int64_t count, std::int64_t parts,
                           const char* part) {
  if (parts > 0 && count % parts == 0 && count / parts > 0) return count / parts;
  const std::string views = request.views.empty() ? "" : " (" + view_texts(request) + ")";
  return site_error(counted(count, "GPU") + " cannot be divided evenly over " +
                    counted(parts, part) + views);
}

struct Counts {
  std::int64_t total = 0;
  std::int64_t nodes = 1;
  std::int64_t sockets = 1;  // in total
  std::int64_t tasks = 1;
};

Result<std::int64_t> count_for(const GpuRequest& request, GpuUnit unit, const Counts& counts) {
  switch (unit) {
    case GpuUnit::kPerNode:
      return share(request, counts.total, counts.nodes, "node");
    case GpuUnit::kPerSocket:
      return share(request, counts.total, counts.sockets, "socket");
    case GpuUnit::kPerTask:
      return share(request, counts.total, counts.tasks, "task");
    case GpuUnit::kTotal:
      break;
  }
  return counts.total;
}

void change_tasks(const TaskPlan& tasks, RequestPlan& plan) {
  const auto change = [&](const std::optional<std::int64_t>& value, const char* option,
                          std::initializer_list<const char*> variables) {
    if (!value) return;
    plan.changes.emplace_back(option, std::to_string(*value));
    for (const char* name : variables) {
      plan.task_variables.emplace_back(name, std::to_string(*value));
    }
  };
  change(tasks.ntasks_per_node, "ntasks-per-node", {"SLURM_NTASKS_PER_NODE"});
  change(tasks.ntasks_per_socket, "ntasks-per-socket", {});
  change(tasks.ntasks, "ntasks", {"SLURM_NTASKS", "SLURM_NPROCS"});
  plan.kept = tasks.kept;
}

// --tres-bind=gres/gpu:per_task:4 (also derived by Slurm 24.11 and later) and
// --gpu-bind=per_task:4 repeat the GPUs per task.
void change_binding(const GpuRequest& request, const char* option, std::int64_t before,
                    std::int64_t after, RequestPlan& plan) {
  const RequestOption* binding = request.find(option);
  if (binding == nullptr) return;
  const bool names_resources = std::string_view(option) == "tres-bind";
  const std::string old_text = "per_task:" + std::to_string(before);
  std::vector<std::string> parts;
  for (const std::string_view part : split(binding->value, '+')) {
    std::string text(part);
    const bool is_gpu = !names_resources || starts_with(part, "gres/gpu:");
    const std::size_t place = text.find(old_text);
    if (is_gpu && place != std::string::npos && place + old_text.size() == text.size()) {
      text = text.substr(0, place) + "per_task:" + std::to_string(after);
    }
    parts.push_back(text);
  }
  const std::string value = join(parts, "+");
  if (value != binding->value) plan.changes.emplace_back(option, value);
}

Status change_views(const GpuRequest& request, const Counts& counts, RequestPlan& plan) {
  for (const GpuView& view : request.views) {
    COMPUTE_SCALE_TRY(count, count_for(request, view.unit, counts));
    if (count == view.count()) continue;
    COMPUTE_SCALE_TRY(value, view_at(view, count));
    plan.changes.emplace_back(view.option, value);
  }
  if (const GpuView* view = request.view(GpuUnit::kPerTask)) {
    COMPUTE_SCALE_TRY(count, count_for(request, view->unit, counts));
    change_binding(request, "tres-bind", view->count(), count, plan);
    change_binding(request, "gpu-bind", view->count(), count, plan);
  }
  return Done{};
}

Status add_view(const GpuRequest& request, const Counts& counts, const std::string& gpu_flag,
                RequestPlan& plan) {
  if (gpu_flag == "gpus") {
    plan.changes.emplace_back("gpus", std::to_string(counts.total));
    return Done{};
  }
  COMPUTE_SCALE_TRY(per_node, share(request, counts.total, counts.nodes, "node"));
  if (gpu_flag == "gpus-per-node") {
    plan.changes.emplace_back("gpus-per-node", std::to_string(per_node));
  } else {
    add_gres(request, "gpu:" + std::to_string(per_node), plan);
  }
  return Done{};
}

// A count per socket alone gives GPUs on those sockets only whose CPUs the job happens to get: an
// entry's number needs to be said per node as well.
Status state_per_node(const GpuRequest& request, const Counts& counts, RequestPlan& plan) {
  const GpuView* view = request.view(GpuUnit::kPerSocket);
  if (view == nullptr || request.views.size() > 1) return Done{};
  COMPUTE_SCALE_TRY(per_node, share(request, counts.total, counts.nodes, "node"));
  const std::map<std::string, std::int64_t> types = gpus_by_type(*view);
  if (types.size() > 1) return Done{};
  const std::string& type = types.begin()->first;
  add_gres(request, "gpu:" + (type.empty() ? "" : type + ":") + std::to_string(per_node), plan);
  return Done{};
}

std::vector<RequestOption> options_after(const GpuRequest& request, const RequestPlan& plan) {
  std::vector<RequestOption> options = request.options;
  for (const auto& [name, value] : plan.changes) {
    bool found = false;
    for (RequestOption& option : options) {
      if (option.name != name) continue;
      option.value = value;
      found = true;
    }
    if (!found) options.push_back({name, value, false});
  }
  return options;
}

// Counts that do not follow (--ntasks-per-gpu, say) may contradict the new ones: what Slurm would
// make of that nobody asked for. What a step inherits only has to fit the job around it.
Status check_rewrite(const GpuRequest& request, const RequestPlan& plan) {
  const std::vector<RequestOption> options = options_after(request, plan);
  for (const RequestOption& option : options) {
    if (option.from_environment) return Done{};
  }
  const std::int64_t after = plan.after.value_or(0);
  const Result<GpuRequest> again = read_gpu_request(options);
  if (!again) return site_error("at " + counted(after, "GPU") + ": " + again.error().text);
  if (again->total.value_or(after) == after) return Done{};
  return site_error("at " + counted(after, "GPU") + " the other options would make " +
                    counted(*again->total, "GPU") + " of it (" + view_texts(*again) + ")");
}

}  // namespace

void add_gres(const GpuRequest& request, const std::string& resource, RequestPlan& plan) {
  const RequestOption* gres = request.find("gres");
  std::string others;
  if (gres != nullptr && !is_gres_keyword(gres->value)) {
    const Result<std::vector<GresItem>> items = parse_gres(gres->value);
    if (items && !items->empty()) others = to_string(*items, GresPrefix::kDrop) + ",";
  }
  plan.changes.emplace_back("gres", others + resource);
}

Error open_nodes(const GpuRequest& request) {
  return usage_error("--nodes=" + std::to_string(request.nodes.least) + "-" +
                     std::to_string(request.nodes.most) +
                     " leaves the number of GPUs open: give one number of nodes");
}

Status check_nodes(const GpuRequest& request, std::int64_t total, const std::string& gpu_flag) {
  const NodeCount& nodes = request.nodes;
  const bool needs_nodes = request.per_node || (!request.has_gpus() && gpu_flag != "gpus");
  if (nodes.is_range() && needs_nodes) return open_nodes(request);
  if (total >= nodes.least) return Done{};
  return site_error(counted(total, "GPU") + " cannot be shared by " + counted(nodes.least, "node") +
                    ": give a smaller --nodes");
}

Result<RequestPlan> rewrite_request(const GpuRequest& request, const GpuChange& gpus,
                                    const std::string& gpu_flag) {
  if (gpus.after > kMostGpus) {
    return site_error(counted(gpus.before, "GPU") + " would become " + counted(gpus.after, "GPU") +
                      ", more than 1,000,000");
  }
  const GpuView* per_task = request.view(GpuUnit::kPerTask);
  const std::int64_t gpus_per_task = per_task == nullptr ? 0 : per_task->count();
  COMPUTE_SCALE_TRY(tasks, follow_tasks(request, gpus, gpus_per_task));
  const Counts counts{gpus.after, gpus.nodes, gpus.nodes * request.sockets_per_node, tasks.tasks};
  RequestPlan plan;
  plan.before = gpus.before;
  plan.after = gpus.after;
  if (!request.asks_for_gpus()) plan.before = std::nullopt;
  COMPUTE_SCALE_CHECK(change_views(request, counts, plan));
  if (request.views.empty() && !request.asks_for_gpus()) {
    COMPUTE_SCALE_CHECK(add_view(request, counts, gpu_flag, plan));
  }
  if (!gpu_flag.empty()) COMPUTE_SCALE_CHECK(state_per_node(request, counts, plan));
  if (!request.asks_for_gpus() && request.per_socket_inherited) {
    plan.taken_back.emplace_back("gpus-per-socket");
  }
  change_tasks(tasks, plan);
  if (!gpus.of_each_node) COMPUTE_SCALE_CHECK(check_rewrite(request, plan));
  return plan;
}

RequestPlan leave_request(const GpuRequest& request) {
  RequestPlan plan;
  plan.open_nodes = request.has_gpus() && !request.total;
  plan.before = plan.open_nodes ? request.per_node : request.total;
  plan.after = plan.before;
  return plan;
}

Result<RequestPlan> retarget_request(const GpuRequest& request, std::int64_t before,
                                     std::int64_t after, const std::string& gpu_flag,
                                     std::optional<std::int64_t> job_gpus) {
  COMPUTE_SCALE_CHECK(check_nodes(request, after, gpu_flag));
  return rewrite_request(request, {before, after, request.nodes.least, false, job_gpus}, gpu_flag);
}

}  // namespace compute_scale
