#include "client_context.h"

#include <algorithm>

#include "text.h"

namespace compute_scale {
namespace {

Result<LayeredConfig> load_configs(const ClientInput& input) {
  COMPUTE_SCALE_TRY(site, load_run_config(input.site_config, input.home));
  std::optional<ConfigFile> user;
  if (!input.user_config.empty()) {
    COMPUTE_SCALE_TRY(config, load_run_config(input.user_config, input.home));
    user = {input.user_config, std::move(config)};
  }
  return lay_configs({input.site_config, std::move(site)}, user);
}

// The types of GPU that the request names; malformed lists name none.
std::vector<std::string> gres_types(const std::vector<RequestOption>& options) {
  std::vector<std::string> types;
  for (const RequestOption& option : options) {
    const Result<std::optional<GpuView>> view = read_gpu_view(option);
    if (!view || !*view) continue;
    for (const GresItem& item : (*view)->items) {
      const bool known = std::find(types.begin(), types.end(), item.type) != types.end();
      if (item.is_gpu() && !item.type.empty() && !known) types.push_back(item.type);
    }
  }
  return types;
}

std::string value_in(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& variable : environment) {
    if (starts_with(variable, name + "=")) return variable.substr(name.size() + 1);
  }
  return "";
}

// The partitions that the request names; a step is in its job's.
std::string named_partition(const ClientInput& input) {
  for (const RequestOption& option : input.request) {
    if (option.name == "partition" && option.value != "unset") return option.value;
  }
  return input.in_allocation ? value_in(input.environment, "SLURM_JOB_PARTITION") : "";
}

Result<Scale> named_scale(const std::string& place, const std::string& text,
                          const ClientContext& context) {
  const std::vector<Hardware> table = context.config.hardware.value_or(std::vector<Hardware>());
  const std::string partition = named_partition(context.input);
  const RequestHints hints = {
      gres_types(context.input.request),
      partition.empty() ? context.config.slurm.default_partition.value_or("") : partition};
  Result<Scale> scale = resolve_scale(text, table, hints);
  if (!scale) return at(place, scale.error());
  const Status permitted = check_scale(context.limits, *scale, partition);
  if (!permitted) return at(place, permitted.error());
  return scale;
}

Result<Scale> scale_in_effect(const ClientContext& context) {
  const ClientInput& input = context.input;
  if (input.scale) return named_scale("--compute-scale", *input.scale, context);
  if (input.in_allocation && context.job) {
    return Scale{context.job->scale, context.job->hardware};
  }
  return named_scale("compute_scale of the config", context.config.compute_scale.value_or("1"),
                     context);
}

Result<Unprofiled> unprofiled_in_effect(const ClientContext& context) {
  const std::optional<std::string>& named = context.input.unprofiled;
  Unprofiled value = context.config.unprofiled.value_or(Unprofiled::kKeep);
  if (named) {
    COMPUTE_SCALE_TRY(policy, parse_unprofiled(*named));
    value = policy;
  }
  const Status permitted = check_unprofiled(context.limits, value);
  if (permitted) return value;
  return at(named ? "--compute-unprofiled" : "unprofiled of the config", permitted.error());
}

}  // namespace

Result<ClientContext> make_client_context(const ClientInput& input, std::optional<Payload> job) {
  ClientContext context{input, {}, {}, Unprofiled::kKeep, std::move(job), {}, {}};
  if (input.entry) {
    context.entry = *input.entry;
  } else if (input.in_allocation && context.job && context.job->het == input.het_component) {
    context.entry = context.job->entry;
  }
  COMPUTE_SCALE_TRY(layered, load_configs(input));
  context.config = std::move(layered.config);
  context.limits = std::move(layered.limits);
  COMPUTE_SCALE_TRY(unprofiled, unprofiled_in_effect(context));
  context.unprofiled = unprofiled;
  COMPUTE_SCALE_TRY(scale, scale_in_effect(context));
  context.scale = scale;
  return context;
}

std::optional<RequestPlan> plan_shards(const ClientContext& context, const GpuRequest& request,
                                       GpuAmount amount) {
  const int per_gpu = context.config.slurm.shards_per_gpu.value_or(0);
  const bool in_shards = !context.input.in_allocation || (context.job && context.job->shards);
  if (per_gpu < 1 || !in_shards || request.gpus_inherited || request.gres_none) {
    return std::nullopt;
  }
  const std::int64_t shards = (amount.micro() * per_gpu + 999999) / 1000000;
  return shards < per_gpu ? shard_request(request, shards) : std::nullopt;
}

}  // namespace compute_scale
