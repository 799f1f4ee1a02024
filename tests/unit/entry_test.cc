#include "entry.h"

#include <gtest/gtest.h>

namespace compute_scale {
namespace {

TEST(Entry, Defaults) {
  const Entry entry;
  EXPECT_EQ(entry.label, "test");
  EXPECT_FALSE(entry.group.has_value());
  EXPECT_EQ(entry.compute, GpuAmount::whole(1));
  EXPECT_EQ(entry.time.minutes, 60);
  EXPECT_FALSE(entry.hidden);
  EXPECT_FALSE(entry.use_cuda.has_value());
}

struct OverlayCase {
  EnvList base, over, together;
};

TEST(Entry, Overlay) {
  const OverlayCase cases[] = {
      {{}, {}, {}},
      {{{"A", "1"}}, {}, {{"A", "1"}}},
      {{}, {{"A", "1"}}, {{"A", "1"}}},
      // A known name keeps its place, new ones come last in their own order.
      {{{"B", "1"}, {"A", "2"}, {"C", "3"}},
       {{"Z", "z"}, {"A", ""}, {"D", "d"}},
       {{"B", "1"}, {"A", ""}, {"C", "3"}, {"Z", "z"}, {"D", "d"}}},
      // Names are those of the environment: upper and lower case differ.
      {{{"a", "1"}}, {{"A", "2"}}, {{"a", "1"}, {"A", "2"}}},
      // Should a list repeat a name all the same, its last value holds.
      {{}, {{"A", "1"}, {"A", "2"}}, {{"A", "2"}}},
  };
  for (const OverlayCase& c : cases) EXPECT_EQ(overlay(c.base, c.over), c.together);
}

TEST(Entry, OverlayOfManyShortNamesKeepsThemApart) {
  EnvList base, over;
  for (int i = 0; i < 1000; ++i) base.emplace_back("V" + std::to_string(i), "base");
  for (int i = 500; i < 1500; ++i) over.emplace_back("V" + std::to_string(i), "over");
  const EnvList together = overlay(base, over);
  ASSERT_EQ(together.size(), 1500u);
  for (int i = 0; i < 1500; ++i) {
    const auto& [name, value] = together[static_cast<std::size_t>(i)];
    EXPECT_EQ(name, "V" + std::to_string(i));
    EXPECT_EQ(value, i < 500 ? "base" : "over");
  }
}

}  // namespace
}  // namespace compute_scale
