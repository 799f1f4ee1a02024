#include "client_outcome.h"

#include "client_environment.h"
#include "client_message.h"

namespace compute_scale {
namespace {

// salloc has written some counts of tasks into its own environment before it asks us.
void correct_task_counts(const RequestPlan& plan, ClientEnvironment& environment) {
  for (const auto& [name, value] : plan.task_variables) {
    if (environment.get(name) != nullptr) environment.set(name, value);
  }
}

}  // namespace

std::vector<Setting> settings_of(const RequestPlan& plan) {
  std::vector<Setting> settings;
  for (const std::string& option : plan.taken_back) settings.push_back({option, std::nullopt});
  for (const auto& [option, value] : plan.changes) settings.push_back({option, value});
  return settings;
}

ClientDecision outcome_unscaled(const ClientContext& context, const std::string& message) {
  ClientEnvironment environment(context.input.environment);
  environment.leave_job(context.input);
  return {message, "", "", {}, environment.changes()};
}

Result<ClientDecision> outcome_scaled(const ClientContext& context, const RequestPlan& plan,
                                      Payload payload, const std::string& message) {
  const std::string& command = context.input.command;
  if (command == "sbatch") payload.slurm = plan.task_variables;
  ClientEnvironment environment(context.input.environment);
  environment.leave_job(context.input);
  if (command == "salloc") correct_task_counts(plan, environment);
  COMPUTE_SCALE_CHECK(environment.carry(payload, command));
  const bool done_something = !plan.changes.empty() || !payload.env.empty();
  const std::string record = record_text(payload, plan);
  return ClientDecision{message, done_something ? record : "", record, settings_of(plan),
                        environment.changes()};
}

}  // namespace compute_scale
