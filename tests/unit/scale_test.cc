#include "scale.h"

#include <gtest/gtest.h>

#include "entry_text.h"

namespace compute_scale {
namespace {

Scale scale_of(const char* factor, const char* hardware) {
  return {ScaleFactor::parse(factor).value(), hardware};
}

GpuAmount gpus(const char* amount) {
  return GpuAmount::parse(amount).value();
}

// An entry with every field set, and blocks for two hardwares.
Entry full_entry() {
  Entry entry;
  entry.task = "llm-pretrain-loss";
  entry.cmd = "scripts/gpt_345m.sh --fast";
  entry.label = "gpt-345m";
  entry.group = 1;
  entry.compute = GpuAmount::whole(4);
  entry.time = TimeLimit{720};
  entry.package = "nanoGPT";
  entry.hidden = true;
  entry.mem = MemSize{204800};
  entry.cpus = 48;
  entry.use_cuda = true;
  entry.env = {{"GRAD_ACCUM", "16"}, {"MSG", "a,b \"c\"\n"}};
  entry.workdir = "/workspace";
  Profile h200;
  h200.compute = GpuAmount::whole(2);
  h200.env = {{"BATCH_SIZE", "64"}, {"GRAD_ACCUM", "8"}};
  Profile b200;
  b200.time = TimeLimit{60};
  b200.mem = MemSize{1024};
  b200.cpus = 3;
  entry.profiles = {{"h200", h200}, {"b200", b200}};
  return entry;
}

Entry small_entry(const char* compute) {
  Entry entry;
  entry.task = "t";
  entry.compute = gpus(compute);
  return entry;
}

TEST(Scale, OneIsTheBaseEntryWithoutItsBlocks) {
  for (const Scale& scale : {scale_of("1", "h100"), scale_of("1", "h200"), scale_of("1", "")}) {
    const ScaledEntries scaled = scale_test_cmd_entries({full_entry()}, scale);
    Entry expected = full_entry();
    expected.profiles.clear();
    ASSERT_EQ(scaled.entries.size(), 1u);
    EXPECT_EQ(entry_text(scaled.entries[0]), entry_text(expected));
    EXPECT_TRUE(scaled.warnings.empty());
  }
}

TEST(Scale, ABlockGivesItsCountAndItsEnvOnTop) {
  const ScaledEntries scaled = scale_test_cmd_entries({full_entry()}, scale_of("0.5", "h200"));
  Entry expected = full_entry();
  expected.profiles.clear();
  expected.compute = GpuAmount::whole(2);
  expected.env = {{"GRAD_ACCUM", "8"}, {"MSG", "a,b \"c\"\n"}, {"BATCH_SIZE", "64"}};
  ASSERT_EQ(scaled.entries.size(), 1u);
  EXPECT_EQ(entry_text(scaled.entries[0]), entry_text(expected));
  EXPECT_TRUE(scaled.warnings.empty());
}

TEST(Scale, WhatABlockLeavesOutIsTheEntrysOwn) {
  const ScaledEntries scaled = scale_test_cmd_entries({full_entry()}, scale_of("0.25", "b200"));
  Entry expected = full_entry();
  expected.profiles.clear();
  expected.time = TimeLimit{60};
  expected.mem = MemSize{1024};
  expected.cpus = 3;
  EXPECT_EQ(entry_text(scaled.entries[0]), entry_text(expected));
}

TEST(Scale, ABlockHoldsForASingleGpuEntryToo) {
  Entry entry = small_entry("1");
  entry.profiles["h200"].env = {{"A", "1"}};
  const ScaledEntries scaled = scale_test_cmd_entries({entry}, scale_of("0.5", "h200"));
  EXPECT_EQ(scaled.entries[0].compute, gpus("1"));
  EXPECT_EQ(scaled.entries[0].env, (EnvList{{"A", "1"}}));
}

struct PackedCase {
  const char *compute, *factor, *scaled;
};

TEST(Scale, UpToOneGpuIsPackedDenser) {
  const PackedCase cases[] = {
      {"1", "0.5", "0.5"},
      {"0.33", "0.5", "0.165"},
      {"0", "0.5", "0"},
      {"0", "2", "0"},
      {"0.5", "2", "1"},
      {"1", "2", "1"},
      {"0.75", "2", "1"},
      {"0.25", "2", "0.5"},
      {"0.000001", "0.1", "0.000001"},
      {"1", "0.333333", "0.333333"},
  };
  for (const PackedCase& c : cases) {
    const ScaledEntries scaled =
        scale_test_cmd_entries({small_entry(c.compute)}, scale_of(c.factor, ""));
    EXPECT_EQ(scaled.entries[0].compute.to_string(), c.scaled) << c.compute << " x " << c.factor;
    EXPECT_TRUE(scaled.warnings.empty());
  }
}

struct WarningCase {
  const char *compute, *factor, *hardware, *warning;
};

TEST(Scale, MoreThanOneGpuWithoutABlockIsKeptWithOneWarning) {
  const WarningCase cases[] = {
      {"8", "0.5", "h200",
       "t/test: compute 8 kept at scale 0.5 (h200): more than one GPU and no \"h200\" block; add "
       "\"h200\": {\"compute\": 4, \"env\": {...}} to keep the macro-batch"},
      {"1.5", "0.5", "h200",
       "t/test: compute 1.5 kept at scale 0.5 (h200): more than one GPU and no \"h200\" block; add "
       "\"h200\": {\"compute\": 1, \"env\": {...}} to keep the macro-batch"},
      {"8", "0.333333", "x",
       "t/test: compute 8 kept at scale 0.333333 (x): more than one GPU and no \"x\" block; add "
       "\"x\": {\"compute\": 3, \"env\": {...}} to keep the macro-batch"},
      {"4", "0.7", "",
       "t/test: compute 4 kept at scale 0.7: more than one GPU, and the factor 0.7 matches no "
       "hardware of the site; give a hardware of the site's config that scale and the entry a "
       "block of its name, {\"compute\": 3, \"env\": {...}}, to keep the macro-batch"},
  };
  for (const WarningCase& c : cases) {
    const ScaledEntries scaled =
        scale_test_cmd_entries({small_entry(c.compute)}, scale_of(c.factor, c.hardware));
    EXPECT_EQ(scaled.entries[0].compute, gpus(c.compute));
    EXPECT_EQ(scaled.warnings, std::vector<std::string>{c.warning});
  }
}

TEST(Scale, ABlockForAnotherHardwareIsNone) {
  const ScaledEntries scaled = scale_test_cmd_entries({full_entry()}, scale_of("2", "a100"));
  EXPECT_EQ(scaled.entries[0].compute, GpuAmount::whole(4));
  EXPECT_TRUE(scaled.entries[0].profiles.empty());
  ASSERT_EQ(scaled.warnings.size(), 1u);
  EXPECT_NE(scaled.warnings[0].find("no \"a100\" block"), std::string::npos);
}

TEST(Scale, WithoutAHardwareNoBlockApplies) {
  const ScaledEntries scaled = scale_test_cmd_entries({full_entry()}, scale_of("0.7", ""));
  EXPECT_EQ(scaled.entries[0].compute, GpuAmount::whole(4));
  EXPECT_EQ(scaled.warnings.size(), 1u);
}

TEST(Scale, KeepsTheOrderAndDoesNotChangeItsArgument) {
  const std::vector<Entry> entries = {small_entry("1"), full_entry(), small_entry("8"),
                                      small_entry("0.5")};
  std::string before, after;
  for (const Entry& entry : entries) before += entry_text(entry);
  const ScaledEntries scaled = scale_test_cmd_entries(entries, scale_of("0.5", "h200"));
  for (const Entry& entry : entries) after += entry_text(entry);
  EXPECT_EQ(before, after);
  ASSERT_EQ(scaled.entries.size(), 4u);
  const char* const expected[] = {"0.5", "2", "8", "0.25"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(scaled.entries[i].compute.to_string(), expected[i]);
    EXPECT_TRUE(scaled.entries[i].profiles.empty());
  }
}

TEST(Scale, NoEntriesGiveNone) {
  const ScaledEntries scaled = scale_test_cmd_entries({}, scale_of("0.5", "h200"));
  EXPECT_TRUE(scaled.entries.empty());
  EXPECT_TRUE(scaled.warnings.empty());
}

}  // namespace
}  // namespace compute_scale
