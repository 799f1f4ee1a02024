// A submission that names a scale and no entry: what becomes of counts that no profile covers.
#include "client_context.h"
#include "client_message.h"
#include "client_outcome.h"
#include "text.h"

namespace compute_scale {
namespace {

struct Choice {
  RequestPlan plan;
  std::string message;
};

Choice leave(const GpuRequest& request, const std::string& message) {
  return {leave_request(request), message};
}

Choice changed(const ClientContext& context, const RequestPlan& plan) {
  return {plan, message_text("scaled " + scale_text(context.scale), plan, {})};
}

Result<Choice> choose_scaled(const ClientContext& context, const GpuRequest& request) {
  COMPUTE_SCALE_TRY(plan, rescale_request(request, context.scale.factor));
  return changed(context, plan);
}

// A single job's result does not depend on how much of the device it has.
Result<Choice> choose_single(const ClientContext& context, const GpuRequest& request) {
  const ScaleFactor factor = context.scale.factor;
  const bool more = factor.micro() > GpuAmount::whole(1).micro();
  if (more && context.unprofiled == Unprofiled::kScale) return choose_scaled(context, request);
  const auto shards =
      more ? std::nullopt : plan_shards(context, request, GpuAmount::whole(1).scaled(factor));
  if (shards) return changed(context, *shards);
  return leave(request, "1 GPU stays 1 GPU " + scale_text(context.scale));
}

Result<Choice> choose_several(const ClientContext& context, const GpuRequest& request) {
  const std::string gpus = request_text(leave_request(request));
  switch (context.unprofiled) {
    case Unprofiled::kScale:
      return choose_scaled(context, request);
    case Unprofiled::kRefuse:
      return site_error(gpus + " " + scale_text(context.scale) +
                        ": no profile says what they become; name one by --compute-entry "
                        "(refused by --compute-unprofiled=refuse)");
    case Unprofiled::kKeep:
      break;
  }
  return leave(request, gpus + " kept " + scale_text(context.scale) +
                            ": no profile says what they become; name one by --compute-entry, or "
                            "use --compute-unprofiled=scale");
}

Result<Choice> choose(const ClientContext& context, const GpuRequest& request) {
  if (!request.asks_for_gpus() || request.total == 0) {
    return Choice{RequestPlan(),
                  "nothing to scale " + scale_text(context.scale) + ": the request names no GPU"};
  }
  if (request.total == 1) return choose_single(context, request);
  return choose_several(context, request);
}

}  // namespace

Result<ClientDecision> decide_unprofiled(const ClientContext& context) {
  if (context.scale.factor.is_one()) return outcome_unscaled(context, "");
  const Result<GpuRequest> request = read_gpu_request(context.input.request);
  if (!request) return request.error();
  COMPUTE_SCALE_TRY(choice, choose(context, *request));
  Payload payload;
  payload.scale = context.scale.factor;
  payload.hardware = context.scale.hardware;
  payload.het = context.input.het_component;
  payload.shards = choice.plan.shards;
  if (!choice.plan.open_nodes) {
    payload.base = choice.plan.before;
    payload.gpus = choice.plan.after;
  }
  return outcome_scaled(context, choice.plan, std::move(payload), choice.message);
}

}  // namespace compute_scale
