#include "client_environment.h"

#include "environment.h"
#include "payload_env.h"
#include "payload_wire.h"

namespace compute_scale {
namespace {

ClientEnvironment& behind(void* handle) {
  return *static_cast<ClientEnvironment*>(handle);
}

// The environment as the plugin's code sees one.
Environment as_plain(ClientEnvironment& environment) {
  return {&environment, [](void* handle, const char* name) { return behind(handle).get(name); },
          [](void* handle, const char* name, const char* value) {
            behind(handle).set(name, value);
            return true;
          },
          [](void* handle, const char* name) { behind(handle).unset(name); }};
}

}  // namespace

ClientEnvironment::ClientEnvironment(const std::vector<std::string>& variables) {
  for (const std::string& variable : variables) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos) continue;
    before_.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  now_ = before_;
}

const char* ClientEnvironment::get(const std::string& name) const {
  const auto found = now_.find(name);
  return found == now_.end() ? nullptr : found->second.c_str();
}

void ClientEnvironment::set(const std::string& name, const std::string& value) {
  now_[name] = value;
}

void ClientEnvironment::unset(const std::string& name) {
  now_.erase(name);
}

void ClientEnvironment::leave_job(const ClientInput& input) {
  if (!input.job_payload) return;
  WireRecord record = {nullptr, 0, nullptr};
  wire_decode(input.job_payload->c_str(), &record);
  undo_payload(as_plain(*this), record);
  wire_free(&record);
}

Status ClientEnvironment::carry(const Payload& payload, const std::string& command) {
  COMPUTE_SCALE_TRY(text, encode_payload(payload));
  if (command == "salloc") {
    WireRecord record = {nullptr, 0, nullptr};
    wire_decode(text.c_str(), &record);
    const char* fault = apply_payload(as_plain(*this), record);
    wire_free(&record);
    if (fault != nullptr) return task_error(payload.entry + ": " + fault);
    if (payload.gpus) set(kGpusVariable, std::to_string(*payload.gpus));
  }
  set(kPayloadVariable, text);
  return Done{};
}

std::vector<Setting> ClientEnvironment::changes() const {
  std::vector<Setting> settings;
  for (const auto& [name, value] : before_) {
    if (now_.count(name) == 0) settings.push_back({name, std::nullopt});
  }
  for (const auto& [name, value] : now_) {
    const auto found = before_.find(name);
    if (found == before_.end() || found->second != value) settings.push_back({name, value});
  }
  return settings;
}

}  // namespace compute_scale
