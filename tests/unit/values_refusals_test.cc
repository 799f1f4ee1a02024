// What gpu_amount, time_limit, mem_size and the unprofiled policy refuse, and what they say.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gpu_amount.h"
#include "mem_size.h"
#include "run_config.h"
#include "time_limit.h"

namespace compute_scale {
namespace {

// Each refusal is one line that shows the value and says what is right.
template <typename T>
void expect_refused(const Result<T>& result, const std::string& shown, const std::string& right) {
  ASSERT_FALSE(result.ok()) << shown;
  const std::string& text = result.error().text;
  EXPECT_EQ(text.rfind(shown, 0), 0u) << text;
  EXPECT_NE(text.find(right), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
}

const char* const kBadDecimals[] = {"",    " ",    ".",     "-1",    "+1",    "1.",
                                    "0,5", "2x",   "x2",    "1e3",   "1e400", "nan",
                                    "inf", "NaN",  "0x1p1", "1/2",   "50%",   "0.0000001",
                                    "1 0", " 0.5", "0.5 ",  "1.0.0", "--",    "0.1234567"};

TEST(ScaleFactorRefusals, AllOfThem) {
  for (const char* text : kBadDecimals) {
    expect_refused(ScaleFactor::parse(text), "\"" + std::string(text) + "\": not a scale factor",
                   "a plain decimal such as 0.5");
  }
  for (const char* text : {"0", "0.0", "00", "1000.000001", "1001", "99999999999999999999"}) {
    expect_refused(ScaleFactor::parse(text), "\"" + std::string(text) + "\"",
                   "above 0, at most 1000");
  }
  expect_refused(ScaleFactor::parse("0.5\n"), "\"0.5\\x0a\"", "expected");
}

TEST(ScaleFactorRefusals, ALongValueIsCut) {
  const Error error = ScaleFactor::parse(std::string(1000000, '9')).error();
  EXPECT_LT(error.text.size(), 300u);
}

TEST(GpuAmountRefusals, AllOfThem) {
  for (const char* text : kBadDecimals) {
    expect_refused(GpuAmount::parse(text), "\"" + std::string(text) + "\": not an amount of GPU",
                   "from 0 to 1000000");
  }
  for (const char* text : {"1000000.000001", "1000001", "99999999999999999999"}) {
    expect_refused(GpuAmount::parse(text), "\"" + std::string(text) + "\"", "from 0 to 1000000");
  }
}

TEST(GpuAmountRefusals, Doubles) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double value : {-1.0, -1e-6, kInfinity, -kInfinity, std::nan(""), 1e-10, 1.0 / 3,
                             1e6 + 1, 1e300, 0.12345678}) {
    EXPECT_FALSE(GpuAmount::from_double(value).ok()) << value;
  }
}

TEST(TimeLimitRefusals, AllOfThem) {
  const char* const cases[] = {"",
                               "0",
                               "0:00",
                               "0:00:00",
                               "0-0",
                               "-1",
                               "+1",
                               " 1",
                               "1 ",
                               "1.5",
                               "90m",
                               "1h",
                               "1:",
                               ":1",
                               "1::1",
                               "1:2:3:4",
                               "1-",
                               "-1:00",
                               "1-2-3",
                               "1-1:1:1:1",
                               "a:b",
                               "UNLIMITED",
                               "INFINITE",
                               "unlimited",
                               "525601",
                               "366-0",
                               "365-0:1",
                               "99999999999999999999",
                               "9223372036854775807:0:0",
                               "1e3"};
  for (const char* text : cases) {
    expect_refused(parse_time_limit(text), "\"" + std::string(text) + "\": not a time limit",
                   "minutes, H:MM:SS or D-HH:MM:SS");
  }
}

TEST(MemSizeRefusals, AllOfThem) {
  const char* const cases[] = {"",
                               "0",
                               "0G",
                               "0.0",
                               "G",
                               "B",
                               "GB",
                               "-1G",
                               "+1",
                               "1P",
                               "1GG",
                               "1BB",
                               "1GiB",
                               "1 G",
                               " 1",
                               "1.G",
                               "1,5G",
                               "1e3",
                               "100%",
                               "x",
                               "1.0000001G",
                               "1125899906842625T",
                               "99999999999999999999T"};
  for (const char* text : cases) {
    expect_refused(parse_mem_size(text, 'M'), "\"" + std::string(text) + "\": not a memory size",
                   "K, M, G or T");
  }
}

TEST(UnprofiledRefusals, NamesTheNearest) {
  expect_refused(parse_unprofiled("kep"), "\"kep\": expected keep, scale or refuse",
                 "did you mean keep?");
  expect_refused(parse_unprofiled(""), "\"\"", "keep, scale or refuse");
  expect_refused(parse_unprofiled("Keep"), "\"Keep\"", "did you mean keep?");
}

}  // namespace
}  // namespace compute_scale
