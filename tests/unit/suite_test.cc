// The transform over the benchmark's 43 tasks (tests/data/suite.json).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "entry_text.h"
#include "makespan.h"
#include "plan.h"
#include "scale.h"
#include "task.h"

namespace compute_scale {
namespace {

using json = nlohmann::ordered_json;  // keeps the order of the variables

const json& suite() {
  static const json loaded =
      json::parse(std::ifstream(std::string(TEST_SOURCE_DIR) + "/tests/data/suite.json"));
  return loaded;
}

std::vector<Entry> entries_of(const std::string& task, const json& config) {
  const Result<Task> parsed = parse_task(config.dump(), task, "/tasks/" + task, "config.json");
  EXPECT_TRUE(parsed.ok()) << parsed.error().text;
  return parsed.ok() ? parsed->entries : std::vector<Entry>();
}

Scale h200() {
  return {ScaleFactor::parse("0.5").value(), "h200"};
}

// What the adapted entries must become at 0.5: {GPUs, environment}.
struct Adapted {
  const char *task, *label, *from, *to, *env;
};

constexpr const char* kSmallBatch = " BATCH_SIZE=64 GRAD_ACCUM=8";
constexpr const char* kLargeBatch = " BATCH_SIZE=96 GRAD_ACCUM=6";
constexpr const char* kLongBatch = " BATCH_SIZE=32 GRAD_ACCUM=16";
constexpr const char* kRl = " TP_SIZE=1 MAX_TOKEN_LEN_PER_GPU=20480 GPU_MEM_UTIL=0.5";

constexpr Adapted kAdapted[] = {
    {"llm-pretrain-attention", "gpt-345m", "4", "2", kSmallBatch},
    {"llm-pretrain-bitlinear", "gpt-345m", "4", "2", kSmallBatch},
    {"llm-pretrain-kernel", "gpt-345m", "4", "2", kSmallBatch},
    {"llm-pretrain-loss", "gpt-345m", "4", "2", kSmallBatch},
    {"llm-pretrain-embedding", "gpt-345m", "4", "2", kLargeBatch},
    {"llm-pretrain-lr-schedule", "gpt-345m", "4", "2", kLargeBatch},
    {"llm-pretrain-mlp", "gpt-345m", "4", "2", kLargeBatch},
    {"llm-pretrain-normalization", "gpt-345m", "4", "2", kLargeBatch},
    {"llm-pretrain-optimizer", "gpt-345m", "4", "2", kLargeBatch},
    {"llm-pretrain-linear-attention", "gpt-345m", "4", "2", kLongBatch},
    {"llm-pretrain-residual", "gpt-345m", "4", "2", kLongBatch},
    {"llm-rl-advantage", "deepmath-3bench", "2", "1", kRl},
    {"llm-rl-importance-sampling", "deepmath-3bench", "2", "1", kRl},
    {"llm-rl-kl-estimator", "deepmath-3bench", "2", "1", kRl},
    {"llm-rl-reward-normalization", "deepmath-3bench", "2", "1", kRl},
};

// What compute becomes at 0.5 for an entry without a block, in millionths of a GPU.
constexpr std::pair<const char*, std::int64_t> kHalves[] = {
    {"0.11", 55000}, {"0.25", 125000}, {"0.33", 165000}, {"0.4", 200000},
    {"0.5", 250000}, {"1", 500000},    {"8", 8000000},
};

TEST(Suite, Has43TasksAnd109Entries) {
  std::size_t entries = 0;
  for (const auto& [task, config] : suite().items()) entries += entries_of(task, config).size();
  EXPECT_EQ(suite().size(), 43u);
  EXPECT_EQ(entries, 109u);
}

TEST(Suite, AtOneBlocksMakeNoDifference) {
  for (const auto& [task, config] : suite().items()) {
    json plain = config;
    for (json& entry : plain["test_cmds"]) entry.erase("h200");
    const std::vector<Entry> expected = entries_of(task, plain);
    const ScaledEntries scaled =
        scale_test_cmd_entries(entries_of(task, config), {ScaleFactor(), "h100"});
    ASSERT_EQ(scaled.entries.size(), expected.size()) << task;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(entry_text(scaled.entries[i]), entry_text(expected[i]));
    }
    EXPECT_TRUE(scaled.warnings.empty()) << task;
  }
}

TEST(Suite, TheAdaptedEntriesAtOneHalf) {
  for (const Adapted& c : kAdapted) {
    const std::vector<Entry> entries = entries_of(c.task, suite().at(c.task));
    const ScaledEntries scaled = scale_test_cmd_entries(entries, h200());
    ASSERT_FALSE(entries.empty()) << c.task;
    EXPECT_EQ(entries[0].label, c.label) << c.task;
    EXPECT_EQ(entries[0].compute.to_string(), c.from) << c.task;
    EXPECT_EQ(scaled.entries[0].compute.to_string(), c.to) << c.task;
    EXPECT_EQ(env_text(scaled.entries[0].env), c.env) << c.task;
    EXPECT_TRUE(scaled.warnings.empty()) << c.task;
  }
}

// Everything but the amount of GPU stays as it is.
void expect_only_compute_differs(const Entry& base, Entry scaled, std::int64_t micro) {
  EXPECT_EQ(scaled.compute.micro(), micro) << entry_text(base);
  scaled.compute = base.compute;
  EXPECT_EQ(entry_text(scaled), entry_text(base));
}

TEST(Suite, AllOtherEntriesAtOneHalf) {
  std::map<std::string, std::int64_t> halves(std::begin(kHalves), std::end(kHalves));
  std::size_t others = 0;
  for (const auto& [task, config] : suite().items()) {
    const std::vector<Entry> entries = entries_of(task, config);
    const ScaledEntries scaled = scale_test_cmd_entries(entries, h200());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].profiles.empty()) continue;
      const std::string compute = entries[i].compute.to_string();
      ASSERT_EQ(halves.count(compute), 1u) << entry_text(entries[i]);
      expect_only_compute_differs(entries[i], scaled.entries[i], halves[compute]);
      ++others;
    }
  }
  EXPECT_EQ(others, 109u - std::size(kAdapted));
}

TEST(Suite, OnlyTheUnprofiledTaskWarnsOncePerEntry) {
  std::vector<std::string> warned;
  for (const auto& [task, config] : suite().items()) {
    const ScaledEntries scaled = scale_test_cmd_entries(entries_of(task, config), h200());
    for (const std::string& warning : scaled.warnings) {
      warned.push_back(warning.substr(0, warning.find(" kept")));
    }
  }
  EXPECT_EQ(warned, (std::vector<std::string>{"cv-vae-loss/train_small: compute 8",
                                              "cv-vae-loss/train_medium: compute 8",
                                              "cv-vae-loss/train_large: compute 8"}));
}

Plan plan_of(PackScope scope, bool one_seed) {
  std::vector<PlanTask> tasks;
  for (const auto& [task, config] : suite().items()) {
    const std::vector<std::int64_t> seeds = config.value("seeds", std::vector<std::int64_t>{42});
    tasks.push_back(
        {task, entries_of(task, config), one_seed ? std::vector<std::int64_t>{42} : seeds, {}});
  }
  PlanOptions options;
  options.scale = h200();
  options.pack = scope;
  return build_plan(tasks, options);
}

double over_lower_bound(const Plan& plan) {
  return static_cast<double>(requested_gpu_time(plan).micro_minutes) /
         static_cast<double>(lower_bound_gpu_time(plan).micro_minutes);
}

// With one seed there is the least to choose from.
TEST(Suite, PackedAtOneHalfItRequestsLittleMoreThanItUses) {
  const Plan one_seed = plan_of(PackScope::kAll, true);
  EXPECT_EQ(one_seed.steps.size(), 109u);
  EXPECT_DOUBLE_EQ(lower_bound_gpu_time(one_seed).hours(), 483.0345);
  EXPECT_LE(over_lower_bound(one_seed), 1.03);
  EXPECT_LE(over_lower_bound(plan_of(PackScope::kAll, false)), 1.03);
  EXPECT_LE(over_lower_bound(plan_of(PackScope::kGroup, true)), 1.36);
  EXPECT_NEAR(over_lower_bound(plan_of(PackScope::kNone, false)), 1.78, 0.005);
}

// No schedule is shorter than the longest chain of stages, nor than the work over the devices.
TEST(Suite, On16DevicesARunTakesLittleLongerThanItMust) {
  const Plan plan = plan_of(PackScope::kAll, false);
  const double work = lower_bound_gpu_time(plan).hours() * 60 / 16;
  const double least = std::max(work, static_cast<double>(longest_chain(plan)));
  EXPECT_LE(static_cast<double>(schedule(plan, 16).minutes), 1.10 * least);
}

}  // namespace
}  // namespace compute_scale
