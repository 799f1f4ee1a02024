#include "client_message.h"

#include <stdlib.h>

#include <algorithm>

#include "audit_record.h"
#include "shell_quote.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr std::size_t kVariablesShown = 12;
constexpr std::size_t kValueShown = 60;

const std::string* changed(const RequestPlan& plan, const std::string& option) {
  const auto found = std::find_if(plan.changes.begin(), plan.changes.end(),
                                  [&](const auto& change) { return change.first == option; });
  return found == plan.changes.end() ? nullptr : &found->second;
}

}  // namespace

std::string scale_text(const Scale& scale) {
  const std::string factor = "(" + scale.factor.to_string() + ")";
  return scale.hardware.empty() ? factor : "on " + scale.hardware + " " + factor;
}

std::string gpu_text(const RequestPlan& plan) {
  if (plan.shards) {
    const std::string shards = "shard:" + std::to_string(*plan.shards);
    return plan.before ? "gpu " + std::to_string(*plan.before) + " -> " + shards : shards;
  }
  if (!plan.after) return "";
  const std::string after = std::to_string(*plan.after) + (plan.open_nodes ? " per node" : "");
  if (!plan.before || *plan.before == *plan.after) return "gpu " + after;
  return "gpu " + std::to_string(*plan.before) + " -> " + after;
}

std::string environment_text(const EnvList& env) {
  std::vector<std::string> words;
  for (const auto& [name, value] : env) {
    if (words.size() == kVariablesShown) {
      words.push_back("and " + std::to_string(env.size() - kVariablesShown) + " more variables");
      break;
    }
    const bool cut = value.size() > kValueShown;
    words.push_back(name + "=" + shell_quote(cut ? printable(value, kValueShown) : value));
  }
  return join(words, " ");
}

std::string message_text(const std::string& subject, const RequestPlan& plan, const EnvList& env) {
  std::vector<std::string> parts;
  for (std::string part : {gpu_text(plan), environment_text(env)}) {
    if (!part.empty()) parts.push_back(std::move(part));
  }
  for (const char* option : {"ntasks", "ntasks-per-node"}) {
    const std::string* value = changed(plan, option);
    if (value != nullptr) parts.push_back(std::string(option) + " now " + *value);
  }
  for (const std::string& kept : plan.kept) parts.push_back(kept + " kept");
  return parts.empty() ? subject : subject + ": " + join(parts, ", ");
}

// Where the number of nodes is open, a payload has no counts.
std::string record_text(const Payload& payload, const RequestPlan& plan) {
  const Result<std::string> wire = encode_payload(payload);
  WireRecord record = {nullptr, 0, nullptr};
  if (!wire || wire_decode(wire->c_str(), &record) != WireError::kNone) return "";
  char* text = audit_text(record);
  wire_free(&record);
  std::string out = text == nullptr ? "" : text;
  free(text);
  if (payload.gpus || !plan.open_nodes || !plan.before || !plan.after) return out;
  return out + ",base_per_node=" + std::to_string(*plan.before) +
         ",gpus_per_node=" + std::to_string(*plan.after);
}

std::string request_text(const RequestPlan& plan) {
  return counted(plan.before.value_or(0), "GPU") + (plan.open_nodes ? " per node" : "");
}

}  // namespace compute_scale
