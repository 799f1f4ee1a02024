#include "text.h"

#include <gtest/gtest.h>

#include <limits>

namespace compute_scale {
namespace {

using Parts = std::vector<std::string_view>;
using Names = std::vector<std::string>;

TEST(Text, Split) {
  EXPECT_EQ(split("", ','), Parts{""});
  EXPECT_EQ(split("a", ','), Parts{"a"});
  EXPECT_EQ(split("a,b,,c,", ','), (Parts{"a", "b", "", "c", ""}));
}

TEST(Text, Join) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
}

TEST(Text, Trim) {
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim(" \t\r\n"), "");
  EXPECT_EQ(trim(" a b\r\n"), "a b");
}

TEST(Text, StartsWith) {
  EXPECT_TRUE(starts_with("abc", ""));
  EXPECT_TRUE(starts_with("abc", "abc"));
  EXPECT_FALSE(starts_with("ab", "abc"));
  EXPECT_FALSE(starts_with("xabc", "abc"));
}

TEST(Text, ToLowerLeavesOtherBytesAlone) {
  EXPECT_EQ(to_lower("H200-\xc3\x84_Z[@"), "h200-\xc3\x84_z[@");
}

struct NumberCase {
  std::string_view text;
  std::optional<std::int64_t> number;
};

TEST(Text, ParseDigits) {
  const NumberCase cases[] = {
      {"0", 0},
      {"0123", 123},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
      {"9223372036854775808", std::nullopt},
      {"99999999999999999999999", std::nullopt},
      {"", std::nullopt},
      {"-1", std::nullopt},
      {"+1", std::nullopt},
      {" 1", std::nullopt},
      {"1 ", std::nullopt},
      {"1.0", std::nullopt},
      {"0x10", std::nullopt},
      {"\xd9\xa1", std::nullopt},  // a digit of another script
  };
  for (const NumberCase& c : cases) EXPECT_EQ(parse_digits(c.text), c.number) << c.text;
}

TEST(Text, ParseWhole) {
  const NumberCase cases[] = {
      {"4", 4},
      {"4.0", 4},
      {"4.000000000", 4},
      {"9223372036854775807.0", std::numeric_limits<std::int64_t>::max()},
      {"4.5", std::nullopt},
      {"4.", std::nullopt},
      {".0", std::nullopt},
      {"4.0.0", std::nullopt},
      {"4e0", std::nullopt},
      {"", std::nullopt},
  };
  for (const NumberCase& c : cases) EXPECT_EQ(parse_whole(c.text), c.number) << c.text;
}

TEST(Text, ParseDecimalMicro) {
  const NumberCase cases[] = {
      {"0", 0},
      {"12", 12000000},
      {"0.5", 500000},
      {".5", 500000},
      {"1.0", 1000000},
      {"0.333333", 333333},
      {"0.000001", 1},
      {"0.5000000000", 500000},
      {"00.5", 500000},
      {"9223372036853.999999", 9223372036853999999},
      {"9223372036854", std::nullopt},
      {"9223372036854775808", std::nullopt},
      {"0.0000001", std::nullopt},
      {"0.3333333", std::nullopt},
      {"", std::nullopt},
      {".", std::nullopt},
      {"1.", std::nullopt},
      {"-1", std::nullopt},
      {"+1", std::nullopt},
      {"1e3", std::nullopt},
      {"0,5", std::nullopt},
      {"1.2.3", std::nullopt},
      {"0.5x", std::nullopt},
      {"0.5000000x", std::nullopt},
      {"2x", std::nullopt},
      {"nan", std::nullopt},
      {"inf", std::nullopt},
      {"0x1", std::nullopt},
      {" 1", std::nullopt},
  };
  for (const NumberCase& c : cases) EXPECT_EQ(parse_decimal_micro(c.text), c.number) << c.text;
}

TEST(Text, MicroToString) {
  const std::pair<std::int64_t, const char*> cases[] = {
      {0, "0"},
      {1, "0.000001"},
      {500000, "0.5"},
      {2000000, "2"},
      {10000000, "10"},
      {1234560, "1.23456"},
      {-250000, "-0.25"},
      {std::numeric_limits<std::int64_t>::max(), "9223372036854.775807"},
      {std::numeric_limits<std::int64_t>::min(), "-9223372036854.775808"},
  };
  for (const auto& [micro, text] : cases) EXPECT_EQ(micro_to_string(micro), text);
}

TEST(Text, IsUtf8) {
  for (const char* good : {"", "abc", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x9a\x80"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  const char* const bad[] = {
      "\xff",
      "\xc3",
      "a\xc3z",
      "\x80",
      "\xc0\xaf",
      "\xe0\x80\xaf",
      "\xf0\x80\x80\xaf",  // longer than need be
      "\xed\xa0\x80",      // a surrogate
      "\xf4\x90\x80\x80",  // above U+10FFFF
  };
  for (const char* text : bad) EXPECT_FALSE(is_utf8(text)) << quoted(text);
}

TEST(Text, HasControl) {
  EXPECT_FALSE(has_control("a b\xc3\xa4"));
  for (const char c : {'\0', '\t', '\n', '\r', '\x1b', '\x7f'}) {
    EXPECT_TRUE(has_control(std::string("a") + c));
  }
}

TEST(Text, QuotedIsOneHarmlessLine) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "\"\""},
      {"a \"b\" \\", "\"a \"b\" \\\""},
      {"a\nb\r\t", "\"a\\x0ab\\x0d\\x09\""},
      {std::string("a\0b", 3), "\"a\\x00b\""},
      {"\x1b[31m", "\"\\x1b[31m\""},
      {"\xc3\xa4\xe2\x82\xac", "\"\xc3\xa4\xe2\x82\xac\""},
      {"\xff\xc3", "\"\\xff\\xc3\""},
      {"\xc2\x9b", "\"\\xc2\\x9b\""},           // a terminal's control sequence
      {"\xe2\x80\xae", "\"\\xe2\\x80\\xae\""},  // right-to-left override
      {std::string(60, 'x'), "\"" + std::string(60, 'x') + "\""},
      {std::string(61, 'x'), "\"" + std::string(60, 'x') + "...\""},
      {std::string(59, 'x') + "\xc3\xa4", "\"" + std::string(59, 'x') + "...\""},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(quoted(value), text);
}

TEST(Text, PrintableIsCutWhereTheCallerWants) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable(std::string(100, 'x'), 100), std::string(100, 'x'));
}

struct NearCase {
  std::string word;
  Names names;
};

TEST(Text, Nearest) {
  const Names fields = {"cmd", "label", "group", "compute", "time", "env", "cpus"};
  const NearCase cases[] = {
      {"comptue", {"compute"}},  // swapped
      {"computes", {"compute"}},
      {"Compute", {"compute"}},
      {"tme", {"time"}},
      {"evn", {"env"}},
      {"cdm", {"cmd"}},
      {"cpu", {"cpus"}},
      {"xyz", {}},
      {"", {}},
      {"lable", {"label"}},
      {std::string(100000, 'x'), {}},
  };
  for (const NearCase& c : cases)
    EXPECT_EQ(nearest(c.word, fields), c.names) << c.word.substr(0, 20);
}

TEST(Text, NearestGivesTheNearestFirstAndNoMoreThanWanted) {
  const Names tasks = {"llm-rl-b", "llm-rl-ab", "llm-rl-abc", "llm-rl-abcd", "cv"};
  EXPECT_EQ(nearest("llm-rl-ab", tasks), (Names{"llm-rl-ab", "llm-rl-abc", "llm-rl-b"}));
  EXPECT_EQ(nearest("llm-rl-ab", tasks, 1), Names{"llm-rl-ab"});
}

TEST(Text, DidYouMean) {
  EXPECT_EQ(did_you_mean("zzz", {"a", "b"}), "");
  EXPECT_EQ(did_you_mean("gpus", {"gpu", "cpus", "x"}), "; did you mean cpus or gpu?");
  EXPECT_EQ(did_you_mean("ab", {"a", "b", "abc"}), "; did you mean a, abc or b?");
  EXPECT_EQ(did_you_mean("ab", {"a\n"}), "; did you mean a\\x0a?");
}

struct GlobCase {
  std::string pattern, text;
  bool matches;
};

TEST(Text, GlobMatch) {
  const GlobCase cases[] = {
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"**", "abc", true},
      {"llm-*", "llm-rl-advantage", true},
      {"llm-*", "xllm-", false},
      {"*-loss", "cv-vae-loss", true},
      {"*-loss", "cv-vae-loss2", false},
      {"a*b*c", "a1b2b3c", true},
      {"a*b*c", "a1b2", false},
      {"a?c", "abc", true},
      {"a?c", "ac", false},
      {"[abc]x", "bx", true},
      {"[abc]x", "dx", false},
      {"[!a-c]x", "dx", true},
      {"[!a-c]x", "bx", false},
      {"[a-]", "-", true},
      {"[]]", "]", true},
      {"[!]]", "a", true},
      {"[ab", "[ab", true},
      {"[ab", "a", false},
      {"[", "[", true},
      {"gpt[.]345m", "gpt.345m", true},
      {"gpt.345m", "gptx345m", false},
  };
  for (const GlobCase& c : cases) {
    EXPECT_EQ(glob_match(c.pattern, c.text), c.matches) << c.pattern << " " << c.text;
  }
}

TEST(Text, GlobMatchDoesNotExplode) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_FALSE(glob_match(pattern + "b", std::string(5000, 'a')));
}

}  // namespace
}  // namespace compute_scale
