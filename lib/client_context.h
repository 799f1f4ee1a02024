// What the parts of the client's decision share.
#ifndef COMPUTE_SCALE_LIB_CLIENT_CONTEXT_H_
#define COMPUTE_SCALE_LIB_CLIENT_CONTEXT_H_

#include <optional>
#include <string>

#include "client_decision.h"
#include "gpu_rewrite.h"
#include "hardware.h"
#include "payload.h"
#include "result.h"
#include "run_config.h"
#include "site_limits.h"

namespace compute_scale {

struct ClientContext {
  const ClientInput& input;
  RunConfig config;            // defaults, site's and user's laid over one another
  SiteLimits limits;           // the site's
  Unprofiled unprofiled;       // --compute-unprofiled or the config's
  std::optional<Payload> job;  // what the surrounding job carries
  std::string entry;           // "task[/label]", or empty
  Scale scale;                 // in effect

  // GPUs of the surrounding job, for a step of it.
  std::optional<std::int64_t> job_gpus() const {
    return input.in_allocation && job ? job->gpus : std::nullopt;
  }
};

// Loads the configs and finds the scale in effect: named; else, for an entry, the surrounding
// job's for a step of it, else the config's.
Result<ClientContext> make_client_context(const ClientInput& input, std::optional<Payload> job);

// The three ways to decide (client_entry.cc, client_unprofiled.cc, client_step.cc).
Result<ClientDecision> decide_entry(const ClientContext& context);
Result<ClientDecision> decide_unprofiled(const ClientContext& context);
// A step of a scaled job that names nothing itself. Never refuses: what does not fit is left.
ClientDecision decide_inherited_step(const ClientInput& input, const Payload& job);

// The shards that `amount` of a GPU needs on this site, where they are fewer than a whole GPU's and
// the request can be made of shards; a step is only where its job is.
std::optional<RequestPlan> plan_shards(const ClientContext& context, const GpuRequest& request,
                                       GpuAmount amount);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_CLIENT_CONTEXT_H_
