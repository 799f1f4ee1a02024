// A plan for the request and a payload, put together as what the client has to do.
#ifndef COMPUTE_SCALE_LIB_CLIENT_OUTCOME_H_
#define COMPUTE_SCALE_LIB_CLIENT_OUTCOME_H_

#include <string>

#include "client_context.h"

namespace compute_scale {

// Nothing of the request is changed and no payload goes along; a surrounding job's payload does
// not, either.
ClientDecision outcome_unscaled(const ClientContext& context, const std::string& message);

// The plan's changes, and the payload in place of a surrounding job's. Errors: a payload that a job
// cannot carry.
Result<ClientDecision> outcome_scaled(const ClientContext& context, const RequestPlan& plan,
                                      Payload payload, const std::string& message);

// The plan's changes as settings.
std::vector<Setting> settings_of(const RequestPlan& plan);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_CLIENT_OUTCOME_H_
