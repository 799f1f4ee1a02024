// Lists of GPUs and requests: a line is an option, "gres=gpu:4"; its value is also read alone.
#include "gres.h"

#include <algorithm>

#include "fuzz.h"
#include "gpu_request.h"
#include "gpu_rewrite.h"

namespace compute_scale::fuzz {
namespace {

using Parser = Result<std::vector<GresItem>> (*)(std::string_view);

void check_list(Parser parse, std::string_view text) {
  const auto items = parse(text);
  if (!good(items)) return;
  const std::int64_t count = gpu_count(*items);
  require(count >= 0, "no list has less than no GPU", text);
  const std::string written = to_string(*items, GresPrefix::kKeep);
  const auto again = parse(written);
  require(again.ok() && gpu_count(*again) == count, "a list is written as it is read", written);
  for (const GresItem& item : *items) {
    if (item.is_gpu()) require(with_count(item, 2).count == 2, "a count can be changed", text);
  }
}

std::vector<RequestOption> options_of(std::string_view text) {
  std::vector<RequestOption> options;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view name = line.substr(0, equals);
    const bool inherited = starts_with(name, "!");
    if (inherited) name.remove_prefix(1);
    options.push_back({std::string(name), std::string(line.substr(equals + 1)), inherited});
  }
  return options;
}

// The options after a rewrite.
std::vector<RequestOption> rewritten(std::vector<RequestOption> options, const RequestPlan& plan) {
  for (const auto& [name, value] : plan.changes) {
    bool found = false;
    for (RequestOption& option : options) {
      if (option.name == name) option = {name, value, false};
      found = found || option.name == name;
    }
    if (!found) options.push_back({name, value, false});
  }
  return options;
}

// Inherited options only have to fit the job around a step.
bool all_typed(const std::vector<RequestOption>& options) {
  return std::none_of(options.begin(), options.end(),
                      [](const RequestOption& option) { return option.from_environment; });
}

void check_plan(const std::vector<RequestOption>& options, const RequestPlan& plan,
                std::string_view text) {
  if (!all_typed(options) || plan.open_nodes || !plan.after) return;
  const auto request = read_gpu_request(rewritten(options, plan));
  require(request.ok(), "a rewritten request agrees with itself",
          std::string(text) + (request.ok() ? "" : "\n" + request.error().text));
  require(!request->total || *request->total == *plan.after, "a rewrite reaches its count", text);
}

bool distinct(const std::vector<RequestOption>& options) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (options[i].name == options[j].name) return false;
    }
  }
  return true;
}

void check_request(std::string_view text) {
  const std::vector<RequestOption> options = options_of(text);
  if (!distinct(options)) return;  // Slurm has each option once
  const auto request = read_gpu_request(options);
  if (!good(request)) return;
  if (request->has_gpus()) {
    for (const char* factor : {"0.5", "0.333333", "1000"}) {
      const auto plan = rescale_request(*request, *ScaleFactor::parse(factor));
      if (good(plan)) check_plan(options, *plan, text);
    }
  }
  const std::int64_t before = request->total.value_or(4);
  for (const std::int64_t after : {std::int64_t{1}, std::int64_t{2}, before}) {
    if (before < 1) continue;
    const auto plan = retarget_request(*request, before, after, "gres", std::nullopt);
    if (good(plan)) check_plan(options, *plan, text);
  }
  shard_request(*request, 2);
}

}  // namespace
}  // namespace compute_scale::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace compute_scale;
  const std::string_view text = fuzz::text_of(data, size);
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view value = line.substr(line.find('=') + 1);
    fuzz::check_list(parse_gres, value);
    fuzz::check_list(parse_gpu_counts, value);
  }
  fuzz::check_request(text);
  return 0;
}
