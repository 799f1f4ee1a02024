// A submission that names an entry: its profile gives the number of GPUs and the environment.
#include "client_context.h"
#include "client_message.h"
#include "client_outcome.h"
#include "scale.h"
#include "task.h"
#include "text.h"

namespace compute_scale {
namespace {

Result<Entry> load_named_entry(const ClientContext& context) {
  const std::string& name = context.entry;
  const std::size_t slash = name.find('/');
  const bool has_label = slash != std::string::npos;
  if (name.empty() || slash == 0 || slash + 1 == name.size()) {
    return usage_error("--compute-entry: " + quoted(name) + ": expected <task>[/<label>]");
  }
  if (!context.config.tasks_dir) {
    return usage_error(context.input.site_config +
                       ": tasks_dir is not set; --compute-entry needs the folder of the tasks");
  }
  const Result<Task> task = load_task(*context.config.tasks_dir, name.substr(0, slash));
  if (!task) return at("--compute-entry", task.error());
  Result<Entry> entry = find_entry(*task, has_label ? name.substr(slash + 1) : "");
  if (!entry) return at("--compute-entry", entry.error());
  return entry;
}

// What the entry is at the scale in effect.
struct Target {
  std::string name;        // task/label
  std::int64_t base = 0;   // whole GPUs it was tuned for
  std::int64_t count = 0;  // whole GPUs it needs here
  Entry scaled;
  std::string warning;  // why it stays as it is
};

Result<Target> find_target(const ClientContext& context) {
  COMPUTE_SCALE_TRY(entry, load_named_entry(context));
  ScaledEntries scaled = scale_test_cmd_entries({entry}, context.scale);
  Target target;
  target.name = entry.task + "/" + entry.label;
  target.base = entry.compute.devices();
  target.scaled = std::move(scaled.entries[0]);
  target.count = target.scaled.compute.devices();
  if (!scaled.warnings.empty()) target.warning = scaled.warnings[0];
  return target;
}

Error misfit(const ClientContext& context, const GpuRequest& request, const Target& target) {
  std::string fitting = std::to_string(target.base);
  if (target.count != target.base) {
    fitting += ", or " + std::to_string(target.count) + " " + scale_text(context.scale);
  }
  return site_error("the request has " + counted(request.total.value_or(0), "GPU") + ", but " +
                    target.name + " takes " + fitting);
}

// The request at the count that the entry needs here.
Result<RequestPlan> plan_request(const ClientContext& context, const GpuRequest& request,
                                 const Target& target) {
  const bool stated = request.asks_for_gpus();
  const bool fits =
      !request.total || *request.total == target.base || *request.total == target.count;
  if (stated && !fits) return misfit(context, request, target);
  if (target.scaled.compute < GpuAmount::whole(1) && target.count == 1) {
    const auto shards = plan_shards(context, request, target.scaled.compute);
    if (shards) return *shards;
  }
  RequestPlan untouched = leave_request(request);
  if (!stated) untouched.before = untouched.after = std::nullopt;
  if (target.count == 0 || (!stated && request.gres_none)) return untouched;
  if (stated && (request.total == target.count || target.base == target.count)) return untouched;
  return retarget_request(request, target.base, target.count,
                          context.config.slurm.gpu_flag.value_or("gres"), context.job_gpus());
}

// sbatch and salloc give the first component's environment to the whole job.
Status check_component(const ClientContext& context, const Target& target) {
  const ClientInput& input = context.input;
  if (input.het_component == 0 || input.command == "srun" || target.scaled.env.empty()) {
    return Done{};
  }
  const std::string number = std::to_string(input.het_component);
  return site_error(
      "component " + number + " of a het job cannot carry the environment of " + target.name +
      ": make it the first component, or leave it to its step: srun " + "--het-group=" + number +
      " --compute-scale=" + context.scale.factor.to_string() + " --compute-entry=" + target.name);
}

Payload payload_of(const ClientContext& context, const Target& target, const RequestPlan& plan,
                   const GpuRequest& request) {
  Payload payload;
  payload.scale = context.scale.factor;
  payload.hardware = context.scale.hardware;
  payload.entry = target.name;
  payload.base = target.base;
  payload.gpus = !request.asks_for_gpus() && request.gres_none ? 0 : target.count;
  payload.shards = plan.shards;
  payload.het = context.input.het_component;
  payload.env = target.scaled.env;
  return payload;
}

// Scale 1 changes nothing, but what was named has to be right.
Result<ClientDecision> decide_base(const ClientContext& context, const Target& target,
                                   const GpuRequest& request) {
  const bool stated = request.asks_for_gpus();
  if (stated && request.total && *request.total != target.base) {
    return misfit(context, request, target);
  }
  std::string notice;
  if (!stated && target.base > 0 && !context.input.in_allocation && !request.gres_none) {
    notice = target.name + ": the request names no GPU and scale 1 sets none; it takes " +
             counted(target.base, "GPU");
  }
  return outcome_unscaled(context, notice);
}

}  // namespace

Result<ClientDecision> decide_entry(const ClientContext& context) {
  COMPUTE_SCALE_TRY(target, find_target(context));
  const Result<GpuRequest> request = read_gpu_request(context.input.request);
  if (!request) return request.error();
  if (context.scale.factor.is_one()) return decide_base(context, target, *request);
  COMPUTE_SCALE_CHECK(
      check_unprofiled_entry(target.warning, context.unprofiled, "--compute-unprofiled="));
  COMPUTE_SCALE_CHECK(check_component(context, target));
  COMPUTE_SCALE_TRY(plan, plan_request(context, *request, target));
  const std::string message =
      target.warning.empty()
          ? message_text(target.name + " " + scale_text(context.scale), plan, target.scaled.env)
          : target.warning;
  return outcome_scaled(context, plan, payload_of(context, target, plan, *request), message);
}

}  // namespace compute_scale
