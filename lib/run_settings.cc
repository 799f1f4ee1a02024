#include "run_settings.h"

#include <algorithm>

#include "run_layout.h"
#include "text.h"

namespace compute_scale {
namespace {

// CPUs per process: one process per device, or one in all.
int threads_of(const Entry& entry, const SlurmConfig& slurm) {
  const int devices = static_cast<int>(entry.compute.devices());
  const DefaultResources defaults = default_resources(slurm);
  if (devices == 0) return entry.cpus.value_or(defaults.cpus_per_task);
  if (entry.cpus) return std::max(1, *entry.cpus / devices);
  const std::int64_t share = std::min(entry.compute, GpuAmount::whole(1)).micro();
  return static_cast<int>(std::max<std::int64_t>(1, defaults.cpus_per_gpu * share / 1000000));
}

}  // namespace

DefaultResources default_resources(const SlurmConfig& slurm) {
  DefaultResources out;
  out.cpus_per_gpu = slurm.cpus_per_gpu.value_or(out.cpus_per_gpu);
  out.mem_per_gpu = slurm.mem_per_gpu.value_or(out.mem_per_gpu);
  out.cpus_per_task = slurm.cpus_per_task.value_or(out.cpus_per_task);
  return out;
}

NodeLimits node_limits(const SlurmConfig& slurm) {
  NodeLimits out;
  out.devices = slurm.gpus_per_node.value_or(out.devices);
  out.mem = slurm.mem_per_node;
  out.cpus = slurm.cpus_per_node;
  return out;
}

Result<ContainerContext> step_context(const Plan& plan, const Step& step,
                                      const RunSettings& settings) {
  const PlanEntry& planned = plan.entries[step.entry];
  const PlannedTask& task = plan.tasks[planned.task];
  ContainerContext context;
  context.task_dir = settings.task_dirs.at(task.name);
  const auto package = settings.packages.find(planned.entry.package);
  if (package != settings.packages.end()) {
    context.package = &package->second;
    if (!settings.workspace_root.empty()) {
      context.working_copy =
          join({settings.workspace_root, task.name, settings.exp_name, planned.entry.package}, "/");
    }
  } else if (!planned.entry.package.empty()) {
    return usage_error(entry_name(plan, step) + ": package " + quoted(planned.entry.package) +
                       " has no file in packages_dir");
  }
  context.data_root = settings.data_root;
  context.project_root = settings.project_root;
  context.save_path = settings.save_path;
  context.output_dir = output_dir(settings.save_path, task.name, settings.exp_name, step.seed);
  context.seed = step.seed;
  context.threads = threads_of(planned.entry, settings.slurm);
  context.run_env = task.run_env;
  context.flags = settings.container_flags;
  return context;
}

Result<StepCommand> step_command(const Plan& plan, const Step& step, const RunSettings& settings,
                                 bool in_session) {
  COMPUTE_SCALE_TRY(context, step_context(plan, step, settings));
  context.in_session = in_session;
  return build_container_cmd(settings.backend, plan.entries[step.entry].entry, context);
}

}  // namespace compute_scale
