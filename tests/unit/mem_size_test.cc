#include "mem_size.h"

#include <gtest/gtest.h>

namespace compute_scale {
namespace {

struct MemCase {
  const char* text;
  char bare_unit;
  std::int64_t mib;
};

TEST(MemSize, Parses) {
  const MemCase cases[] = {
      {"200", 'G', 204800},  {"200", 'M', 200},      {"200G", 'M', 204800},
      {"200g", 'M', 204800}, {"200GB", 'M', 204800}, {"200gb", 'M', 204800},
      {"512M", 'G', 512},    {"512MB", 'G', 512},    {"1T", 'M', 1048576},
      {"2048K", 'M', 2},     {"2049K", 'M', 3},      {"1K", 'M', 1},
      {"0.5G", 'M', 512},    {".5G", 'M', 512},      {"1.5", 'G', 1536},
      {"0.1G", 'M', 103},    {"200.0", 'G', 204800}, {"1048576T", 'M', 1099511627776},
  };
  for (const MemCase& c : cases) {
    const Result<MemSize> size = parse_mem_size(c.text, c.bare_unit);
    ASSERT_TRUE(size.ok()) << size.error().text;
    EXPECT_EQ(size->mib, c.mib) << c.text;
  }
}

TEST(MemSize, ToStringReadsBackAsTheSame) {
  const std::pair<std::int64_t, const char*> cases[] = {{1, "1M"},        {512, "512M"},
                                                        {1024, "1G"},     {1536, "1536M"},
                                                        {204800, "200G"}, {1048576, "1024G"}};
  for (const auto& [mib, text] : cases) {
    EXPECT_EQ(to_string(MemSize{mib}), text);
    EXPECT_EQ(parse_mem_size(text, 'K').value().mib, mib);
  }
}

TEST(MemSize, Order) {
  EXPECT_LT(parse_mem_size("900M", 'M').value(), parse_mem_size("1G", 'M').value());
  EXPECT_EQ(parse_mem_size("0.5G", 'M').value(), parse_mem_size("512M", 'M').value());
  EXPECT_NE(MemSize{1}, MemSize{2});
}

}  // namespace
}  // namespace compute_scale
