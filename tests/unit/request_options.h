// Requests and plans as short texts, for tables of tests.
#ifndef COMPUTE_SCALE_TESTS_UNIT_REQUEST_OPTIONS_H_
#define COMPUTE_SCALE_TESTS_UNIT_REQUEST_OPTIONS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu_rewrite.h"
#include "text.h"

namespace compute_scale {

// "gres=gpu:4 ~ntasks=2": options by a blank; a "~" in front means inherited.
inline std::vector<RequestOption> options_of(std::string_view text) {
  std::vector<RequestOption> options;
  for (std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    RequestOption option;
    option.from_environment = word.front() == '~';
    if (option.from_environment) word.remove_prefix(1);
    const std::size_t equals = word.find('=');
    option.name = word.substr(0, equals);
    option.value = word.substr(equals + 1);
    options.push_back(std::move(option));
  }
  return options;
}

// "4 -> 2: gres=gpu:2 ntasks=2 (gpus)", where gpus is reset, with "; ntasks 3 kept" behind it.
inline std::string shown(const RequestPlan& plan) {
  const auto number = [](const auto& value) { return value ? std::to_string(*value) : "-"; };
  std::string text = number(plan.before) + " -> " + number(plan.after);
  if (plan.open_nodes) text += " per node";
  if (plan.shards) text += " shards " + number(plan.shards);
  text += ":";
  for (const auto& [name, value] : plan.changes) text.append(" ").append(name + "=").append(value);
  for (const std::string& option : plan.taken_back) text.append(" (").append(option).append(")");
  for (const std::string& kept : plan.kept) text.append("; ").append(kept).append(" kept");
  return text;
}

template <typename T>
std::string shown(const Result<T>& result) {
  return result ? shown(*result) : "error: " + result.error().text;
}

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_TESTS_UNIT_REQUEST_OPTIONS_H_
