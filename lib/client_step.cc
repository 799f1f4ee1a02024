// A step of a scaled job that names nothing: its counts, typed for the base, follow the job.
#include "client_context.h"
#include "client_message.h"
#include "client_outcome.h"

namespace compute_scale {
namespace {

std::optional<RequestPlan> plan_step(const GpuRequest& request, const Payload& job) {
  if (!job.base || !job.gpus || request.total != job.base) return std::nullopt;
  if (job.shards) return shard_request(request, *job.shards);
  if (*job.base == *job.gpus) return std::nullopt;
  const Result<RequestPlan> plan = retarget_request(request, *job.base, *job.gpus, "", job.gpus);
  return plan ? std::optional<RequestPlan>(*plan) : std::nullopt;
}

}  // namespace

ClientDecision decide_inherited_step(const ClientInput& input, const Payload& job) {
  const Result<GpuRequest> request = read_gpu_request(input.request);
  if (!request || !request->asks_for_gpus() || job.het != input.het_component) return {};
  const std::optional<RequestPlan> plan = plan_step(*request, job);
  if (!plan) return {};
  const std::string subject =
      (job.entry.empty() ? "step" : job.entry) + " " + scale_text({job.scale, job.hardware});
  return {message_text(subject, *plan, {}), "", record_text(job, *plan), settings_of(*plan), {}};
}

}  // namespace compute_scale
