// The environment of the command that submits, and what a decision changes in it.
#ifndef COMPUTE_SCALE_LIB_CLIENT_ENVIRONMENT_H_
#define COMPUTE_SCALE_LIB_CLIENT_ENVIRONMENT_H_

#include <map>
#include <string>
#include <vector>

#include "client_decision.h"
#include "payload.h"
#include "result.h"

namespace compute_scale {

class ClientEnvironment {
 public:
  explicit ClientEnvironment(const std::vector<std::string>& variables);

  // Null where it is not set; valid until the next change.
  const char* get(const std::string& name) const;
  void set(const std::string& name, const std::string& value);
  void unset(const std::string& name);

  // Takes the surrounding job's payload out, with all that it has set.
  void leave_job(const ClientInput& input);
  // Hands `payload` to the job or step that is made. salloc's shell is this very environment: it
  // gets the entry's variables at once.
  Status carry(const Payload& payload, const std::string& command);

  // What differs from the variables at the beginning, sorted by name.
  std::vector<Setting> changes() const;

 private:
  std::map<std::string, std::string> before_;
  std::map<std::string, std::string> now_;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_CLIENT_ENVIRONMENT_H_
