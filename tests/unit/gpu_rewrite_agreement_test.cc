// Whatever a request looks like: rewritten, its views agree on the new count.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gpu_rewrite.h"
#include "tests/unit/request_options.h"

namespace compute_scale {
namespace {

const std::vector<std::vector<std::string>>& alternatives() {
  static const std::vector<std::vector<std::string>> options = {
      {"", "gres=gpu:1", "gres=vmem:1g,gpu:h200:4", "gres=gpu:h200:2,gpu:a100:2"},
      {"", "gpus=4"},
      {"", "gpus-per-node=4"},
      {"", "gpus-per-task=1", "gpus-per-task=2 tres-per-task=cpu=1,gres/gpu=2",
       "tres-per-task=gres/gpu=4 tres-bind=gres/gpu:per_task:4"},
      {"", "gpus-per-socket=2 sockets-per-node=2"},
      {"", "nodes=1", "nodes=2", "nodes=2-4"},
      {"", "ntasks=1", "ntasks=3", "ntasks=4", "ntasks=8"},
      {"", "ntasks-per-node=2", "ntasks-per-node=4"},
      {"", "ntasks-per-gpu=2"},
  };
  return options;
}

// What Slurm refuses itself (_validate_ntasks_per_gpu in its src/common/slurm_opt.c).
bool is_impossible(const std::string& request) {
  if (request.find("ntasks-per-gpu") == std::string::npos) return false;
  for (const char* option :
       {"gpus-per-task", "tres-per-task", "gpus-per-socket", "ntasks-per-node"}) {
    if (request.find(option) != std::string::npos) return true;
  }
  return false;
}

// Every combination of the alternatives, as text.
std::vector<std::string> all_requests() {
  std::vector<std::string> requests = {""};
  for (const std::vector<std::string>& options : alternatives()) {
    std::vector<std::string> longer;
    longer.reserve(requests.size() * options.size());
    for (const std::string& request : requests) {
      for (const std::string& option : options) longer.push_back(request + " " + option);
    }
    requests = std::move(longer);
  }
  return requests;
}

std::vector<RequestOption> applied(std::vector<RequestOption> options, const RequestPlan& plan) {
  for (const auto& [name, value] : plan.changes) {
    const std::string& option = name;
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const RequestOption& o) { return o.name == option; });
    if (found == options.end()) {
      options.push_back({name, value});
    } else {
      found->value = value;
    }
  }
  return options;
}

void expect_total(const std::vector<RequestOption>& options, const RequestPlan& plan,
                  std::int64_t total, const std::string& text) {
  const Result<GpuRequest> rewritten = read_gpu_request(applied(options, plan));
  ASSERT_TRUE(rewritten.ok()) << text << " => " << shown(plan) << ": " << rewritten.error().text;
  EXPECT_EQ(rewritten->total, total) << text << " => " << shown(plan);
}

TEST(GpuRewriteAgreement, OfEveryCombination) {
  std::size_t rewritten = 0;
  for (const std::string& text : all_requests()) {
    const std::vector<RequestOption> options = options_of(text);
    const Result<GpuRequest> request = read_gpu_request(options);
    if (!request || !request->total || is_impossible(text)) continue;
    for (const std::int64_t target : {1, 2, 8}) {
      const Result<RequestPlan> plan =
          retarget_request(*request, *request->total, target, "gres", std::nullopt);
      if (!plan) continue;
      expect_total(options, *plan, target, text);
      ++rewritten;
    }
    for (const char* factor : {"0.5", "2"}) {
      const Result<RequestPlan> plan = rescale_request(*request, *ScaleFactor::parse(factor));
      if (!plan) continue;
      expect_total(options, *plan, *plan->after, text);
      ++rewritten;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(rewritten, 1000u);
}

}  // namespace
}  // namespace compute_scale
