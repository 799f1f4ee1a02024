// What becomes of a submission: the pure decision behind client_api.h, in C++ types.
#ifndef COMPUTE_SCALE_LIB_CLIENT_DECISION_H_
#define COMPUTE_SCALE_LIB_CLIENT_DECISION_H_

#include <optional>
#include <string>
#include <vector>

#include "gpu_view.h"
#include "result.h"

namespace compute_scale {

// client_api.h says what the fields mean.
struct ClientInput {
  std::string command;
  std::string site_config;
  std::string user_config;  // empty: none
  std::string home;
  std::optional<std::string> scale, entry, unprofiled;
  bool in_allocation = false;
  std::optional<std::string> job_payload;
  int het_component = 0;
  std::vector<RequestOption> request;
  std::vector<std::string> environment;  // NAME=value
};

struct Setting {
  std::string name;
  std::optional<std::string> value;  // nothing: take it away
};

struct ClientDecision {
  std::string message;  // empty: nothing to say
  std::string comment;
  std::string record;  // what the log is told
  std::vector<Setting> request;
  std::vector<Setting> environment;
};

// Reads the configs and one task at most, and only where an option is named. Errors in one line.
Result<ClientDecision> decide(const ClientInput& input);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_CLIENT_DECISION_H_
