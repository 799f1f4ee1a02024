#include "index_list.h"

#include <gtest/gtest.h>

namespace compute_scale {
namespace {

TEST(IndexList, WritesRanges) {
  using Lists = std::vector<std::string>;
  EXPECT_EQ(index_lists({7, 0, 2, 1, 1}, 100), Lists{"0-2,7"});
  EXPECT_EQ(index_lists({3}, 100), Lists{"3"});
  EXPECT_EQ(index_lists({}, 100), Lists{});
  EXPECT_EQ(index_lists({10, 12, 14, 16}, 5), (Lists{"10,12", "14,16"}));
}

TEST(IndexList, ReadsWhatSlurmPrints) {
  using Indices = std::vector<std::int64_t>;
  EXPECT_EQ(parse_index_list("7"), Indices{7});
  EXPECT_EQ(parse_index_list("[0-2,7%2]"), (Indices{0, 1, 2, 7}));
  for (const char* bad : {"", "x", "0-2", "[", "[]", "[1-x]", "[0-99999999]", "-1"}) {
    EXPECT_EQ(parse_index_list(bad), Indices{}) << bad;
  }
}

}  // namespace
}  // namespace compute_scale
