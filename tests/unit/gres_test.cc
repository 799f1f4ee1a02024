#include "gres.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace compute_scale {
namespace {

// An item as "name|type|count".
std::string shown(const Result<std::vector<GresItem>>& items) {
  if (!items) return "error: " + items.error().text;
  std::string text;
  for (const GresItem& item : *items) {
    if (!text.empty()) text += " ";
    text += item.name + "|" + item.type + "|" + std::to_string(item.count);
  }
  return text;
}

struct ListCase {
  std::string text;
  std::string expected;
};

TEST(Gres, ReadsLists) {
  const std::vector<ListCase> cases = {
      {"", ""},
      {"gpu", "gpu||1"},
      {"gpu:2", "gpu||2"},
      {"gpu=2", "gpu||2"},
      {"gpu:0", "gpu||0"},
      {"gpu:a100", "gpu|a100|1"},
      {"gpu:a100:2", "gpu|a100|2"},
      {"gpu:tesla_v100-pcie.16gb:2", "gpu|tesla_v100-pcie.16gb|2"},
      {"gpu:1g.5gb:2", "gpu|1g.5gb|2"},
      {"gpu:1g.5gb", "gpu|1g.5gb|1"},
      {"gres:gpu:4", "gpu||4"},
      {"gres/gpu:4", "gpu||4"},
      {"gres/gpu=4", "gpu||4"},
      {"gres/gpu:h200=1", "gpu|h200|1"},
      {"gres:gres/gpu:4", "gpu||4"},
      {"gres:gpu:4,gres:vmem:10g", "gpu||4 vmem||10737418240"},
      {"gpu:1k", "gpu||1024"},
      {"gpu:1K", "gpu||1024"},
      {"vmem:2m,x:3G,y:1t,z:1p",
       "vmem||2097152 x||3221225472 y||1099511627776 z||1125899906842624"},
      {"gpu:h100:4(S:0,3),shard:8", "gpu|h100|4 shard||8"},
      {"gpu:h100:4(S:0-1),gpu:a100:2(IDX:0,2)", "gpu|h100|4 gpu|a100|2"},
      {"shard:2", "shard||2"},
      {"mps:100", "mps||100"},
      {"gpu:2,,tmpfs:1000G,", "gpu||2 tmpfs||1073741824000"},
      {"cpu=2,gres/gpu:h200=1", "cpu||2 gpu|h200|1"},
      {"license/iop1=1,gres/gpu:1", "license/iop1||1 gpu||1"},
      {"none", "none||1"},
      {"gpux:3", "gpux||3"},
      {"GPU:3", "GPU||3"},
  };
  for (const ListCase& c : cases) EXPECT_EQ(shown(parse_gres(c.text)), c.expected) << c.text;
}

TEST(Gres, RefusesMalformedLists) {
  for (const char* text : {"gpu:", "gpu::2", "gpu:a100:", ":2", "gpu:a:b:2", "gpu:a:b",
                           "gpu=", "gpu=x", "gpu:a=x", "gpu:2,gpu:", "gres/", "gpu:-1", "gpu:-1:2",
                           "gpu:1000001", "gpu:1g", "(S:0)", "gpu=4=2", "gpu:a=1=2"}) {
    const Result<std::vector<GresItem>> items = parse_gres(text);
    ASSERT_FALSE(items.ok()) << text;
    EXPECT_EQ(items.error().text.find('\n'), std::string::npos);
  }
  // The count overflows: then it is not a count, and no type follows a type.
  EXPECT_FALSE(parse_gres("gpu:a:99999999999999999999").ok());
  EXPECT_EQ(shown(parse_gres("gpu:2,gpu:")),
            "error: \"gpu:\" is not a resource: name[:type][:count] is expected");
}

TEST(Gres, ReadsCountsOfGpus) {
  const std::vector<ListCase> cases = {
      {"4", "gpu||4"},
      {"h100:4", "gpu|h100|4"},
      {"h100", "gpu|h100|1"},
      {"h100:2,a100:1", "gpu|h100|2 gpu|a100|1"},
      {"h100=2", "gpu|h100|2"},
      {"0", "gpu||0"},
      {"1k", "gpu||1024"},
      {"", ""},
      {"h100:x:2", "error: \"h100:x:2\" is not a number of GPUs: [type:]count is expected"},
      {"a=1=2", "error: \"a=1=2\" is not a number of GPUs: [type:]count is expected"},
      {":2", "error: \":2\" is not a number of GPUs: [type:]count is expected"},
      {"-1", "error: \"-1\" is not a number of GPUs: [type:]count is expected"},
      {"9999999", "error: \"9999999\" is not a number of GPUs: [type:]count is expected"},
  };
  for (const ListCase& c : cases) EXPECT_EQ(shown(parse_gpu_counts(c.text)), c.expected) << c.text;
}

// Everything but the counts of GPUs stays letter for letter.
TEST(Gres, PrintsWithAnotherCount) {
  struct Case {
    std::string text, kept, dropped, at_seven;
  };
  const std::vector<Case> cases = {
      {"gpu", "gpu", "gpu", "gpu:7"},
      {"gpu:a100", "gpu:a100", "gpu:a100", "gpu:a100:7"},
      {"gres/gpu:a100:2", "gres/gpu:a100:2", "gpu:a100:2", "gpu:a100:7"},
      {"gres/gpu=2", "gres/gpu=2", "gpu=2", "gpu=7"},
      {"gres:gpu:2,gres:vmem:10g", "gres:gpu:2,gres:vmem:10g", "gpu:2,vmem:10g", "gpu:7,vmem:10g"},
      {"tmpfs:1000G,gpu:2,shard:2", "tmpfs:1000G,gpu:2,shard:2", "tmpfs:1000G,gpu:2,shard:2",
       "tmpfs:1000G,gpu:7,shard:2"},
      {"gpu:h100:4(S:0,3)", "gpu:h100:4(S:0,3)", "gpu:h100:4(S:0,3)", "gpu:h100:7(S:0,3)"},
      {"cpu=2,gres/gpu:h200=1", "cpu=2,gres/gpu:h200=1", "cpu=2,gpu:h200=1", "cpu=2,gpu:h200=7"},
  };
  for (const Case& c : cases) {
    std::vector<GresItem> items = *parse_gres(c.text);
    EXPECT_EQ(to_string(items, GresPrefix::kKeep), c.kept);
    EXPECT_EQ(to_string(items, GresPrefix::kDrop), c.dropped);
    for (GresItem& item : items) {
      if (item.is_gpu()) item = with_count(item, 7);
    }
    EXPECT_EQ(to_string(items, GresPrefix::kDrop), c.at_seven);
  }
  EXPECT_EQ(with_count(parse_gpu_counts("4")->front(), 2).text, "2");
  EXPECT_EQ(with_count(parse_gpu_counts("h100:4")->front(), 2).text, "h100:2");
  EXPECT_EQ(with_count(parse_gpu_counts("h100")->front(), 2).text, "h100:2");
}

TEST(Gres, WhatATerminalCannotShowIsNoResource) {
  for (const char* text : {"gpu:a\nb:2", "gpu:\x1b[2J", "gpu:a\xff:2", "vmem\t:1"}) {
    const auto items = parse_gres(text);
    ASSERT_FALSE(items.ok()) << text;
    EXPECT_NE(items.error().text.find("\\x"), std::string::npos) << items.error().text;
    EXPECT_FALSE(parse_gpu_counts(text).ok()) << text;
  }
}

TEST(Gres, CountsGpusOnly) {
  EXPECT_EQ(gpu_count(*parse_gres("gpu:h100:4(S:0,3),shard:8")), 4);
  EXPECT_EQ(gpu_count(*parse_gres("gpu:h100:4,gpu:a100:2,mps:300")), 6);
  EXPECT_EQ(gpu_count(*parse_gres("shard:2")), 0);
  EXPECT_EQ(gpu_count(*parse_gres("")), 0);
}

TEST(Gres, KnowsKeywords) {
  for (const char* text : {"none", "NONE", "None", "help", "list"}) {
    EXPECT_TRUE(is_gres_keyword(text)) << text;
  }
  for (const char* text : {"", "gpu", "none:1", "nonesuch"}) {
    EXPECT_FALSE(is_gres_keyword(text)) << text;
  }
}

}  // namespace
}  // namespace compute_scale
