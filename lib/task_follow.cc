#include "task_follow.h"

#include "text.h"

namespace compute_scale {
namespace {

std::string option_text(const char* name, std::int64_t value) {
  return std::string("--") + name + "=" + std::to_string(value);
}

// The GPUs that an option's count of tasks belongs to.
std::int64_t gpus_behind(const TaskOption& option, const GpuChange& change) {
  return option.inherited ? change.job_gpus.value_or(0) : change.before;
}

bool is_one_per_gpu(std::int64_t tasks, std::int64_t gpus, std::int64_t gpus_per_task) {
  return tasks == gpus && (gpus > 1 || gpus_per_task == 1);
}

Error not_whole(const GpuChange& change, const std::string& option) {
  return site_error(option + " is one task per GPU, but " + counted(change.after, "GPU") +
                    " cannot be divided evenly over " + counted(change.nodes, "node"));
}

Status follow_per_node(const GpuRequest& request, const GpuChange& change,
                       std::int64_t gpus_per_task, TaskPlan& plan) {
  const bool nodes_known = change.of_each_node || !request.nodes.is_range();
  if (!request.ntasks_per_node || !nodes_known) return Done{};
  const TaskOption& option = *request.ntasks_per_node;
  // Beside another total it is no count, only a limit.
  const bool limit = request.ntasks && request.ntasks->value != option.value * change.nodes;
  if (limit && !change.of_each_node) return Done{};
  const std::int64_t gpus = gpus_behind(option, change);
  if (gpus % change.nodes != 0) return Done{};
  if (!is_one_per_gpu(option.value, gpus / change.nodes, gpus_per_task)) return Done{};
  if (change.after % change.nodes != 0) {
    return not_whole(change, option_text("ntasks-per-node", option.value));
  }
  plan.ntasks_per_node = change.after / change.nodes;
  return Done{};
}

void follow_per_socket(const GpuRequest& request, const GpuChange& change, TaskPlan& plan) {
  if (!request.ntasks_per_socket) return;
  const std::int64_t sockets = request.sockets_per_node * change.nodes;
  const std::int64_t per_socket = request.ntasks_per_socket->value;
  const bool paired = per_socket > 1 && per_socket * sockets == change.before;
  if (paired && change.after % sockets == 0) plan.ntasks_per_socket = change.after / sockets;
}

void follow_total(const GpuRequest& request, const GpuChange& change, std::int64_t gpus_per_task,
                  TaskPlan& plan) {
  if (!request.ntasks || change.of_each_node) return;
  const TaskOption& option = *request.ntasks;
  const std::int64_t gpus = gpus_behind(option, change);
  if (request.ntasks_per_gpu && option.value == request.ntasks_per_gpu->value * gpus) {
    plan.ntasks = request.ntasks_per_gpu->value * change.after;
  } else if (request.ntasks_per_node &&
             option.value == request.ntasks_per_node->value * change.nodes) {
    // Two ways to say the same: both follow or none does.
    if (plan.ntasks_per_node) plan.ntasks = *plan.ntasks_per_node * change.nodes;
  } else if (is_one_per_gpu(option.value, gpus, gpus_per_task)) {
    plan.ntasks = change.after;
  }
}

// Slurm 22.05 has derived ntasks from ntasks-per-node before a plugin is asked, and does not do so
// again (_opt_verify in its src/sbatch/opt.c).
void state_derived_total(const GpuRequest& request, const GpuChange& change, TaskPlan& plan) {
  const bool derived = plan.ntasks_per_node && !request.ntasks && !change.of_each_node;
  if (derived) plan.ntasks = *plan.ntasks_per_node * change.nodes;
}

std::int64_t tasks_after(const GpuRequest& request, const GpuChange& change,
                         std::int64_t gpus_per_task, const TaskPlan& plan) {
  if (plan.ntasks) return *plan.ntasks;
  if (request.ntasks) return request.ntasks->value;
  if (plan.ntasks_per_node) return *plan.ntasks_per_node * change.nodes;
  const bool pair = request.tasks_implied && gpus_per_task == 1 && change.before > 1;
  return pair ? change.after : request.tasks;
}

Status check_room(const GpuRequest& request, const GpuChange& change, const TaskPlan& plan) {
  if (!plan.ntasks || !request.ntasks_per_node || plan.ntasks_per_node) return Done{};
  const std::int64_t room = request.ntasks_per_node->value * change.nodes;
  if (*plan.ntasks <= room) return Done{};
  return site_error(std::to_string(*plan.ntasks) + " tasks, one per GPU, do not fit into " +
                    option_text("ntasks-per-node", request.ntasks_per_node->value) + " on " +
                    counted(change.nodes, "node"));
}

void name_kept(const std::optional<TaskOption>& option, bool follows, const char* name,
               TaskPlan& plan) {
  if (!option || option->inherited || option->value <= 1 || follows) return;
  plan.kept.push_back(std::string(name) + " " + std::to_string(option->value));
}

void drop_unchanged(const std::optional<TaskOption>& option, std::optional<std::int64_t>& value) {
  if (option && value && option->value == *value) value = std::nullopt;
}

}  // namespace

Result<TaskPlan> follow_tasks(const GpuRequest& request, const GpuChange& change,
                              std::int64_t gpus_per_task) {
  TaskPlan plan;
  COMPUTE_SCALE_CHECK(follow_per_node(request, change, gpus_per_task, plan));
  follow_per_socket(request, change, plan);
  follow_total(request, change, gpus_per_task, plan);
  COMPUTE_SCALE_CHECK(check_room(request, change, plan));
  name_kept(request.ntasks, plan.ntasks.has_value(), "ntasks", plan);
  name_kept(request.ntasks_per_node, plan.ntasks_per_node.has_value(), "ntasks-per-node", plan);
  drop_unchanged(request.ntasks_per_node, plan.ntasks_per_node);
  drop_unchanged(request.ntasks_per_socket, plan.ntasks_per_socket);
  state_derived_total(request, change, plan);
  plan.tasks = tasks_after(request, change, gpus_per_task, plan);
  drop_unchanged(request.ntasks, plan.ntasks);
  return plan;
}

}  // namespace compute_scale
