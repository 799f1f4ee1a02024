#include "time_limit.h"

#include <gtest/gtest.h>

namespace compute_scale {
namespace {

TEST(TimeLimit, ParsesWhatSlurmDoes) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"1", 1},          {"90", 90},        {"0090", 90},         {"90:00", 90},
      {"90:01", 91},     {"0:30", 1},       {"0:01", 1},          {"1:30:00", 90},
      {"12:00:00", 720}, {"09:00:00", 540}, {"9:00:00", 540},     {"0:90:00", 90},
      {"0:0:90", 2},     {"1:0:1", 61},     {"1-12", 2160},       {"1-0", 1440},
      {"0-1", 60},       {"1-12:30", 2190}, {"1-12:30:30", 2191}, {"01:01:00", 61},
      {"43200", 43200},  {"365-0", 525600}, {"525600", 525600},
  };
  for (const auto& [text, minutes] : cases) {
    const Result<TimeLimit> limit = parse_time_limit(text);
    ASSERT_TRUE(limit.ok()) << limit.error().text;
    EXPECT_EQ(limit->minutes, minutes) << text;
  }
}

TEST(TimeLimit, ToStringReadsBackAsTheSame) {
  const std::pair<std::int64_t, const char*> cases[] = {
      {1, "00:01:00"},      {60, "01:00:00"},     {719, "11:59:00"},        {1439, "23:59:00"},
      {1440, "1-00:00:00"}, {2191, "1-12:31:00"}, {525600, "365-00:00:00"},
  };
  for (const auto& [minutes, text] : cases) {
    EXPECT_EQ(to_string(TimeLimit{minutes}), text);
    EXPECT_EQ(parse_time_limit(text).value().minutes, minutes);
  }
}

TEST(TimeLimit, OrderIsThatOfNumbers) {
  EXPECT_LT(parse_time_limit("9:00:00").value(), parse_time_limit("12:00:00").value());
  EXPECT_EQ(parse_time_limit("90").value(), parse_time_limit("1:30:00").value());
  EXPECT_NE(parse_time_limit("90").value(), parse_time_limit("91").value());
}

}  // namespace
}  // namespace compute_scale
