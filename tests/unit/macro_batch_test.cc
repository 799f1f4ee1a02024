#include "macro_batch.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "entry_text.h"
#include "read_file.h"
#include "task.h"

namespace compute_scale {
namespace {

TEST(MacroBatch, ScriptDefaults) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"BATCH_SIZE=\"${BATCH_SIZE:-32}\"\nexport GRAD_ACCUM=${GRAD_ACCUM:-16}\n",
       " BATCH_SIZE=32 GRAD_ACCUM=16"},
      {": \"${TP_SIZE:=2}\"\n", " TP_SIZE=2"},
      {"x --a ${A:-1} --b ${B:-2}", " A=1 B=2"},
      {"${A:-1}\n${A:-2}\n", " A=1"},
      {"# ${A:-1}\n  # ${B:-2}\n${C:-3} # ${D:-4}\n", " C=3 D=4"},
      {"${A:-/data/climb_mix-1.5}", " A=/data/climb_mix-1.5"},
      {"${A:-3e-4}\r\n${B:-5}\r\n", " A=3e-4 B=5"},
      // no plain value, or none at all
      {"${A:-$B} ${C:-${D:-4}} ${E:-$(f)} ${G:-`h`} ${I:-\"j\"} ${K:-'l'} ${M:-n o} ${P:-}",
       " D=4"},
      {"${A} ${A:+1} ${A-1} ${A:?x} ${#A} ${A:-1 ${B:-", ""},
      {"$A{B:-1} ${:-1} ${", ""},
  };
  for (const auto& [script, defaults] : cases) {
    EXPECT_EQ(env_text(script_defaults(script)), defaults) << script;
  }
}

Profile block(const char* compute, EnvList env) {
  Profile profile;
  if (*compute != '\0') profile.compute = GpuAmount::parse(compute).value();
  profile.env = std::move(env);
  return profile;
}

struct CheckCase {
  const char* compute;
  EnvList defaults, env;
  std::map<std::string, Profile> profiles;
  std::vector<std::string> violations;
};

void expect_violations(const CheckCase& c) {
  Entry entry;
  entry.task = "t";
  entry.label = "l";
  entry.compute = GpuAmount::parse(c.compute).value();
  entry.env = c.env;
  entry.profiles = c.profiles;
  EXPECT_EQ(check_macro_batch(entry, c.defaults), c.violations);
}

const EnvList kBatch = {{"BATCH_SIZE", "32"}, {"GRAD_ACCUM", "16"}};
const EnvList kHalved = {{"BATCH_SIZE", "64"}, {"GRAD_ACCUM", "8"}};

TEST(MacroBatch, WhatKeepsTheResult) {
  const CheckCase cases[] = {
      {"4", {}, {}, {}, {}},
      {"4", {}, {}, {{"h200", block("2", {})}}, {}},
      {"4", {}, {}, {{"h200", block("2", {{"OTHER", "x"}})}}, {}},
      {"4", kBatch, {}, {{"h200", block("2", kHalved)}}, {}},
      {"4", {}, kBatch, {{"h200", block("2", kHalved)}}, {}},
      // the entry's env lies over the script's default, and the block's over both
      {"4",
       {{"BATCH_SIZE", "1"}, {"GRAD_ACCUM", "1"}},
       kBatch,
       {{"h200", block("2", kHalved)}},
       {}},
      // a block without compute or env keeps the entry's
      {"4", kBatch, {}, {{"h200", block("", {})}, {"x", block("8", {})}}, {}},
      {"2", {{"TP_SIZE", "2"}}, {}, {{"h200", block("1", {{"TP_SIZE", "1"}})}}, {}},
      {"4", {{"TP_SIZE", "2"}}, {}, {}, {}},
      // no GPU, or a part of one: one process
      {"0", {{"TP_SIZE", "1"}, {"GRAD_ACCUM", "3"}}, {}, {}, {}},
      {"0.5", {{"TP_SIZE", "1"}, {"GRAD_ACCUM", "3"}}, {}, {}, {}},
      {"1", {{"BATCH_SIZE", "1000000000"}, {"GRAD_ACCUM", "1000000000"}}, {}, {}, {}},
  };
  for (const CheckCase& c : cases) expect_violations(c);
}

TEST(MacroBatch, Violations) {
  const CheckCase cases[] = {
      {"4",
       kBatch,
       {},
       {{"h200", block("2", {{"BATCH_SIZE", "64"}})}},
       {"t/l (h200): BATCH_SIZE 64 x GRAD_ACCUM 16 = 1024, but the base has BATCH_SIZE 32 x "
        "GRAD_ACCUM 16 = 512"}},
      {"4",
       {},
       {},
       {{"h200", block("2", kHalved)}},
       {"t/l (h200): BATCH_SIZE 64 x GRAD_ACCUM 8 = 512, but neither the script's defaults nor the "
        "entry's env state the base's"}},
      {"4",
       {{"BATCH_SIZE", "32"}},
       {},
       {{"h200", block("2", {{"GRAD_ACCUM", "2"}})}},
       {"t/l (h200): BATCH_SIZE 32 x GRAD_ACCUM 2 = 64, but the base has BATCH_SIZE 32 x "
        "GRAD_ACCUM 1 = 32"}},
      {"4", {{"GRAD_ACCUM", "6"}}, {}, {}, {"t/l: GRAD_ACCUM 6 is not a multiple of its 4 GPUs"}},
      {"4",
       kBatch,
       {},
       {{"h200", block("3", kHalved)}},
       {"t/l (h200): GRAD_ACCUM 8 is not a multiple of its 3 GPUs"}},
      // 2.5 GPUs are three devices
      {"2.5", {{"GRAD_ACCUM", "5"}}, {}, {}, {"t/l: GRAD_ACCUM 5 is not a multiple of its 3 GPUs"}},
      {"2", {{"TP_SIZE", "4"}}, {}, {}, {"t/l: TP_SIZE 4 is more than its 2 GPUs"}},
      {"2",
       {{"TP_SIZE", "2"}},
       {},
       {{"h200", block("1", {})}},
       {"t/l (h200): TP_SIZE 2 is more than its 1 GPU"}},
      {"4", {{"TP_SIZE", "3"}}, {}, {}, {"t/l: TP_SIZE 3 does not divide its 4 GPUs"}},
      {"1",
       {{"BATCH_SIZE", "0"}, {"GRAD_ACCUM", "-1"}, {"TP_SIZE", "x"}},
       {},
       {},
       {"t/l: BATCH_SIZE is \"0\"; expected a whole number from 1 to 1000000000",
        "t/l: GRAD_ACCUM is \"-1\"; expected a whole number from 1 to 1000000000",
        "t/l: TP_SIZE is \"x\"; expected a whole number from 1 to 1000000000"}},
      {"1",
       {{"BATCH_SIZE", "1.5"}, {"GRAD_ACCUM", "1000000001"}, {"TP_SIZE", ""}},
       {},
       {},
       {"t/l: BATCH_SIZE is \"1.5\"; expected a whole number from 1 to 1000000000",
        "t/l: GRAD_ACCUM is \"1000000001\"; expected a whole number from 1 to 1000000000",
        "t/l: TP_SIZE is \"\"; expected a whole number from 1 to 1000000000"}},
      // what a block inherits is said once
      {"4",
       {{"BATCH_SIZE", "x"}, {"GRAD_ACCUM", "4"}},
       {},
       {{"h200", block("2", {})}},
       {"t/l: BATCH_SIZE is \"x\"; expected a whole number from 1 to 1000000000"}},
      {"4",
       kBatch,
       {},
       {{"h200", block("2", {{"BATCH_SIZE", "y"}})}},
       {"t/l (h200): BATCH_SIZE is \"y\"; expected a whole number from 1 to 1000000000"}},
      // each block by itself
      {"4",
       kBatch,
       {},
       {{"a", block("3", kHalved)},
        {"b", block("2", kHalved)},
        {"c", block("1", {{"TP_SIZE", "2"}})}},
       {"t/l (a): GRAD_ACCUM 8 is not a multiple of its 3 GPUs",
        "t/l (c): TP_SIZE 2 is more than its 1 GPU"}},
  };
  for (const CheckCase& c : cases) expect_violations(c);
}

TEST(MacroBatch, HoldsForEveryTaskOfThisProject) {
  const std::string folder = std::string(TEST_SOURCE_DIR) + "/tasks";
  std::size_t profiles = 0;
  for (const std::string& name : list_tasks(folder).value()) {
    const Result<Task> task = load_task(folder, name);
    ASSERT_TRUE(task.ok()) << task.error().text;
    for (const Entry& entry : task->entries) {
      const Result<std::string> script = read_text_file(task->dir + "/" + entry.cmd);
      ASSERT_TRUE(script.ok()) << script.error().text;
      EXPECT_EQ(check_macro_batch(entry, script_defaults(*script)), std::vector<std::string>());
      profiles += entry.profiles.size();
    }
  }
  EXPECT_GE(profiles, 16u);
}

}  // namespace
}  // namespace compute_scale
