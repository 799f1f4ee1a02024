#include "gpu_amount.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace compute_scale {
namespace {

TEST(ScaleFactor, Parses) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"1", 1000000},         {"1.0", 1000000},
      {"0.5", 500000},        {".25", 250000},
      {"2", 2000000},         {"0.333333", 333333},
      {"0.000001", 1},        {"1000", 1000000000},
      {"0.50000000", 500000}, {"1000.000000", 1000000000},
  };
  for (const auto& [text, micro] : cases) {
    const Result<ScaleFactor> factor = ScaleFactor::parse(text);
    ASSERT_TRUE(factor.ok()) << factor.error().text;
    EXPECT_EQ(factor->micro(), micro) << text;
  }
}

TEST(ScaleFactor, DefaultsToOne) {
  EXPECT_TRUE(ScaleFactor().is_one());
  EXPECT_TRUE(ScaleFactor::parse("1.000").value().is_one());
  EXPECT_FALSE(ScaleFactor::parse("1.000001").value().is_one());
  EXPECT_TRUE(ScaleFactor() == ScaleFactor::parse("1").value());
  EXPECT_TRUE(ScaleFactor() != ScaleFactor::parse("0.5").value());
}

TEST(ScaleFactor, ToStringIsTheShortestDecimal) {
  for (const char* text : {"0.5", "1", "0.333333", "1000", "0.000001", "12.25"}) {
    EXPECT_EQ(ScaleFactor::parse(text).value().to_string(), text);
  }
  EXPECT_EQ(ScaleFactor::parse("02.500").value().to_string(), "2.5");
}

TEST(GpuAmount, Parses) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"0", 0},
      {"0.0", 0},
      {"2", 2000000},
      {"4.0", 4000000},
      {"0.33", 330000},
      {"0.000001", 1},
      {"1000000", 1000000000000},
  };
  for (const auto& [text, micro] : cases) {
    const Result<GpuAmount> amount = GpuAmount::parse(text);
    ASSERT_TRUE(amount.ok()) << amount.error().text;
    EXPECT_EQ(amount->micro(), micro) << text;
  }
}

TEST(GpuAmount, FromDouble) {
  const std::pair<double, std::int64_t> cases[] = {
      {0.0, 0},       {-0.0, 0}, {0.1, 100000},       {0.33, 330000},
      {4.0, 4000000}, {1e-6, 1}, {0.1 + 0.2, 300000}, {1e6, 1000000000000},
  };
  for (const auto& [value, micro] : cases) {
    const Result<GpuAmount> amount = GpuAmount::from_double(value);
    ASSERT_TRUE(amount.ok()) << amount.error().text;
    EXPECT_EQ(amount->micro(), micro) << value;
  }
}

GpuAmount sum(GpuAmount part, int times) {
  GpuAmount total;
  for (int i = 0; i < times; ++i) total = total + part;
  return total;
}

TEST(GpuAmount, SumsAreExact) {
  EXPECT_EQ(sum(GpuAmount::parse("0.1").value(), 10), GpuAmount::whole(1));
  EXPECT_GT(sum(GpuAmount::parse("0.34").value(), 3), GpuAmount::whole(1));
  EXPECT_EQ(sum(GpuAmount::parse("0.34").value(), 3).devices(), 2);
  EXPECT_EQ(sum(GpuAmount::parse("0.333333").value(), 3).devices(), 1);
  EXPECT_EQ(GpuAmount::whole(1) - GpuAmount::parse("0.9").value(), GpuAmount::from_micro(100000));
}

TEST(GpuAmount, Devices) {
  const std::pair<const char*, std::int64_t> cases[] = {{"0", 0},   {"0.000001", 1}, {"0.1", 1},
                                                        {"1", 1},   {"1.000001", 2}, {"2", 2},
                                                        {"2.5", 3}, {"8", 8}};
  for (const auto& [text, devices] : cases) {
    EXPECT_EQ(GpuAmount::parse(text).value().devices(), devices) << text;
  }
}

TEST(GpuAmount, WholeAndZero) {
  EXPECT_TRUE(GpuAmount().is_zero());
  EXPECT_TRUE(GpuAmount().is_whole());
  EXPECT_TRUE(GpuAmount::whole(3).is_whole());
  EXPECT_FALSE(GpuAmount::parse("0.5").value().is_whole());
  EXPECT_FALSE(GpuAmount::parse("0.000001").value().is_zero());
}

struct ScaledCase {
  const char *amount, *factor, *scaled;
};

TEST(GpuAmount, Scaled) {
  const ScaledCase cases[] = {
      {"4", "0.5", "2"},
      {"1", "0.5", "0.5"},
      {"0.33", "0.5", "0.165"},
      {"0.33", "1", "0.33"},
      {"0", "0.5", "0"},
      {"0.000001", "0.5", "0.000001"},  // half up
      {"0.000001", "0.1", "0.000001"},  // never to 0
      {"0.000003", "0.5", "0.000002"},
      {"0.000005", "0.3", "0.000002"},
      {"8", "0.333333", "2.666664"},
      {"1000000", "1000", "1000000000"},
  };
  for (const ScaledCase& c : cases) {
    const GpuAmount amount = GpuAmount::parse(c.amount).value();
    EXPECT_EQ(amount.scaled(ScaleFactor::parse(c.factor).value()).to_string(), c.scaled)
        << c.amount << " x " << c.factor;
  }
}

TEST(GpuAmount, ScaledEndsAtTheLargestAmount) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(GpuAmount::from_micro(kMost).scaled(ScaleFactor::parse("2").value()).micro(), kMost);
}

TEST(GpuAmount, Order) {
  const GpuAmount half = GpuAmount::from_micro(500000), one = GpuAmount::whole(1);
  EXPECT_TRUE(half < one && half <= one && one > half && one >= half && half != one);
  EXPECT_TRUE(one <= one && one >= one && one == one);
  EXPECT_FALSE(one < one || one > one || one != one);
}

}  // namespace
}  // namespace compute_scale
