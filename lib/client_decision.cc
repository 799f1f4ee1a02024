#include "client_decision.h"

#include "client_context.h"
#include "client_environment.h"

namespace compute_scale {
namespace {

// srun's options that only repeat variables of a job matter within that job only.
ClientInput without_marks_outside_a_job(ClientInput input) {
  if (input.in_allocation) return input;
  for (RequestOption& option : input.request) option.from_environment = false;
  return input;
}

// Neither a scale nor an entry is named: no config is read, and nothing can fail.
ClientDecision decide_unnamed(const ClientInput& input) {
  if (!input.job_payload) return {};
  if (input.in_allocation) {
    const Result<Payload> job = decode_payload(*input.job_payload);
    return job ? decide_inherited_step(input, *job) : ClientDecision();
  }
  ClientEnvironment environment(input.environment);
  environment.leave_job(input);
  return {"", "", "", {}, environment.changes()};
}

// A mistyped policy is refused whether it matters or not.
Status check_policy(const ClientInput& input) {
  if (!input.unprofiled) return Done{};
  const Result<Unprofiled> policy = parse_unprofiled(*input.unprofiled);
  if (!policy) return at("--compute-unprofiled", policy.error());
  return Done{};
}

Result<std::optional<Payload>> surrounding_job(const ClientInput& input) {
  if (!input.job_payload || !input.in_allocation) return std::optional<Payload>();
  COMPUTE_SCALE_TRY(job, decode_payload(*input.job_payload));
  return std::optional<Payload>(std::move(job));
}

}  // namespace

Result<ClientDecision> decide(const ClientInput& given) {
  const ClientInput input = without_marks_outside_a_job(given);
  COMPUTE_SCALE_CHECK(check_policy(input));
  if (!input.scale && !input.entry) return decide_unnamed(input);
  COMPUTE_SCALE_TRY(job, surrounding_job(input));
  COMPUTE_SCALE_TRY(context, make_client_context(input, std::move(job)));
  return context.entry.empty() && !input.entry ? decide_unprofiled(context) : decide_entry(context);
}

}  // namespace compute_scale
