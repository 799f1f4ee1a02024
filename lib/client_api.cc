#include "client_api.h"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client_decision.h"
#include "text.h"

#define COMPUTE_SCALE_EXPORTED extern "C" __attribute__((visibility("default")))

namespace compute_scale {
namespace {

constexpr std::size_t kLongestLine = 4000;

// The decision with everything that its plain face points to.
struct OwnedDecision : compute_scale_client_decision {
  ClientDecision content;
  std::vector<compute_scale_setting> plain_request;
  std::vector<compute_scale_setting> plain_environment;
};

// Needs no memory.
constexpr compute_scale_client_decision kLastResort = {
    1, "internal error, most likely out of memory", nullptr, nullptr, nullptr, 0, nullptr, 0};

std::string text_or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

std::optional<std::string> text_or_nothing(const char* text) {
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

ClientInput input_of(const compute_scale_client_input& plain) {
  ClientInput input;
  input.command = text_or_empty(plain.command);
  input.site_config = text_or_empty(plain.site_config);
  input.user_config = text_or_empty(plain.user_config);
  input.home = text_or_empty(plain.home);
  input.scale = text_or_nothing(plain.scale);
  input.entry = text_or_nothing(plain.entry);
  input.unprofiled = text_or_nothing(plain.unprofiled);
  input.in_allocation = plain.in_allocation != 0;
  input.job_payload = text_or_nothing(plain.job_payload);
  input.het_component = plain.het_component;
  for (size_t i = 0; plain.request != nullptr && i < plain.request_size; ++i) {
    const compute_scale_request_option& option = plain.request[i];
    if (option.name == nullptr || option.value == nullptr) continue;
    input.request.push_back({option.name, option.value, option.from_environment != 0});
  }
  for (const char* const* variable = plain.environment; variable != nullptr && *variable != nullptr;
       ++variable) {
    input.environment.emplace_back(*variable);
  }
  return input;
}

const char* pointer_to(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

std::vector<compute_scale_setting> plain_settings(const std::vector<Setting>& settings) {
  std::vector<compute_scale_setting> plain;
  plain.reserve(settings.size());
  for (const Setting& setting : settings) {
    plain.push_back({setting.name.c_str(), setting.value ? setting.value->c_str() : nullptr});
  }
  return plain;
}

// Fills the plain face; the caller of the library owns it from here on.
const compute_scale_client_decision* give_away(std::unique_ptr<OwnedDecision> decision) {
  decision->message = pointer_to(decision->content.message);
  decision->comment = pointer_to(decision->content.comment);
  decision->record = pointer_to(decision->content.record);
  decision->plain_request = plain_settings(decision->content.request);
  decision->plain_environment = plain_settings(decision->content.environment);
  decision->request = decision->plain_request.data();
  decision->request_size = decision->plain_request.size();
  decision->environment = decision->plain_environment.data();
  decision->environment_size = decision->plain_environment.size();
  return decision.release();
}

const compute_scale_client_decision* refusal(const std::string& reason) {
  auto decision = std::make_unique<OwnedDecision>();
  decision->refused = 1;
  decision->content.message = printable(reason, kLongestLine);
  return give_away(std::move(decision));
}

const compute_scale_client_decision* answer(const compute_scale_client_input* input) {
  // Of another version nothing but its first member is known.
  if (input == nullptr || input->api_version != COMPUTE_SCALE_CLIENT_API_VERSION) {
    return refusal("the plugin and its library are of different releases (interface " +
                   std::to_string(input == nullptr ? 0 : input->api_version) + " and " +
                   std::to_string(COMPUTE_SCALE_CLIENT_API_VERSION) + "); install both together");
  }
  Result<ClientDecision> decided = decide(input_of(*input));
  if (!decided) return refusal(decided.error().text);
  auto decision = std::make_unique<OwnedDecision>();
  decision->content = *std::move(decided);
  decision->content.message = printable(decision->content.message, kLongestLine);
  return give_away(std::move(decision));
}

}  // namespace
}  // namespace compute_scale

COMPUTE_SCALE_EXPORTED const compute_scale_client_decision* compute_scale_client_decide(
    const compute_scale_client_input* input) {
  try {
    try {
      return compute_scale::answer(input);
    } catch (const std::exception& failure) {
      return compute_scale::refusal(std::string("internal error: ") + failure.what());
    }
  } catch (...) {
    return &compute_scale::kLastResort;
  }
}

COMPUTE_SCALE_EXPORTED void compute_scale_client_free(
    const compute_scale_client_decision* decision) {
  if (decision == nullptr || decision == &compute_scale::kLastResort) return;
  delete static_cast<const compute_scale::OwnedDecision*>(decision);
}
