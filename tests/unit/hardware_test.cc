#include "hardware.h"

#include <gtest/gtest.h>

namespace compute_scale {
namespace {

Hardware hardware(const char* name, const char* factor, std::vector<std::string> types = {},
                  std::vector<std::string> partitions = {}) {
  return {name, ScaleFactor::parse(factor).value(), std::move(types), std::move(partitions)};
}

const std::vector<Hardware> kTable = {
    hardware("h100", "1", {"hopper80"}, {"old"}),
    hardware("h200", "0.5", {"h200_sxm", "Hopper141"}, {"gpu", "new"}),
    hardware("2080ti", "4"),
    hardware("b200", "0.25", {}, {"shared"}),
    hardware("b300", "0.25", {}, {"shared"}),
};

TEST(Hardware, Names) {
  for (const char* name : {"h200", "a100-80_gb.x", "2080ti", "_", "1e3", "autos"}) {
    EXPECT_TRUE(is_hardware_name(name)) << name;
  }
  for (const char* name :
       {"", "auto", "0.5", "2", ".5", ".x", "-1", "H200", "h 2", "h/2", "\xc3\xa4"}) {
    EXPECT_FALSE(is_hardware_name(name)) << name;
  }
}

struct ScaleCase {
  const char* text;
  RequestHints hints;
  const char *factor, *hardware;
};

void expect_scale(const ScaleCase& c, const std::vector<Hardware>& table) {
  const Result<Scale> scale = resolve_scale(c.text, table, c.hints);
  ASSERT_TRUE(scale.ok()) << scale.error().text;
  EXPECT_EQ(scale->factor.to_string(), c.factor) << c.text;
  EXPECT_EQ(scale->hardware, c.hardware) << c.text;
}

TEST(Hardware, ResolveScale) {
  const ScaleCase cases[] = {
      // by factor
      {"1", {}, "1", "h100"},
      {"1.0", {}, "1", "h100"},
      {"0.5", {}, "0.5", "h200"},
      {".50", {}, "0.5", "h200"},
      {"0.7", {}, "0.7", ""},
      {"4", {}, "4", "2080ti"},
      // by name, in any case; a name may begin with a digit
      {"h200", {}, "0.5", "h200"},
      {"H200", {}, "0.5", "h200"},
      {"b300", {}, "0.25", "b300"},
      {"2080ti", {}, "4", "2080ti"},
      // auto: by gres type, which may be the name itself
      {"auto", {{"h200"}, ""}, "0.5", "h200"},
      {"AUTO", {{"H200_SXM"}, ""}, "0.5", "h200"},
      {"auto", {{"hopper141"}, ""}, "0.5", "h200"},
      {"auto", {{"h200", "hopper141"}, ""}, "0.5", "h200"},
      // the type goes before the partition
      {"auto", {{"hopper80"}, "gpu"}, "1", "h100"},
      // else by partition
      {"auto", {{}, "gpu"}, "0.5", "h200"},
      {"auto", {{}, "gpu,new"}, "0.5", "h200"},
      {"auto", {{}, " gpu, new,"}, "0.5", "h200"},
  };
  for (const ScaleCase& c : cases) expect_scale(c, kTable);
}

TEST(Hardware, AFactorNeedsNoTable) {
  expect_scale({"0.5", {}, "0.5", ""}, {});
  expect_scale({"1", {}, "1", ""}, {});
}

TEST(Hardware, AtOneItMayStayOpenWhichHardwareItIs) {
  expect_scale({"1", {}, "1", ""}, {hardware("a", "1"), hardware("b", "1.0")});
}

struct RefusalCase {
  const char* text;
  RequestHints hints;
  std::vector<const char*> said;
};

TEST(HardwareRefusals, AllOfThem) {
  const RefusalCase cases[] = {
      {"", {}, {"\"\": not a scale factor"}},
      {"0", {}, {"\"0\"", "above 0"}},
      {"-1", {}, {"\"-1\": not a scale factor"}},
      {"0,5", {}, {"\"0,5\": not a scale factor"}},
      {"2x", {}, {"\"2x\": not a scale factor"}},
      {"1e400", {}, {"\"1e400\": not a scale factor"}},
      {"nan", {}, {"\"nan\": no hardware of that name and not a factor", "h100, h200"}},
      {"inf", {}, {"\"inf\": no hardware of that name and not a factor"}},
      {"h20", {}, {"\"h20\": no hardware", "did you mean h200"}},
      {"0.25", {}, {"\"0.25\": the factor of both b200 and b300", "name the one"}},
      {"auto", {}, {"\"auto\": the request has neither a gres type nor a partition", "h200"}},
      {"auto", {{"a100"}, "gpu"}, {"\"auto\": no hardware has gres type \"a100\"", "h100, h200"}},
      {"auto", {{"h100", "h200"}, ""}, {"gres type", "both h100 and h200"}},
      {"auto", {{"h200", "a100"}, ""}, {"no hardware has gres type \"a100\""}},
      {"auto", {{}, "gpu,old"}, {"partition", "both h100 and h200"}},
      {"auto", {{}, "shared"}, {"partition", "both b200 and b300"}},
      {"auto", {{}, "gpu,cpu"}, {"no hardware has partition \"cpu\""}},
  };
  for (const RefusalCase& c : cases) {
    const Result<Scale> scale = resolve_scale(c.text, kTable, c.hints);
    ASSERT_FALSE(scale.ok()) << c.text;
    for (const char* said : c.said) {
      EXPECT_NE(scale.error().text.find(said), std::string::npos) << scale.error().text;
    }
    EXPECT_EQ(scale.error().kind, ErrorKind::kUsage);
  }
}

TEST(HardwareRefusals, AnEmptyTableIsNamed) {
  EXPECT_EQ(resolve_scale("h200", {}, {}).error().text,
            "\"h200\": no hardware of that name and not a factor such as 0.5 (the site's config "
            "names no hardware)");
}

}  // namespace
}  // namespace compute_scale
