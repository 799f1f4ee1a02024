#include "golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace compute_scale {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string file = "tests/golden/" + name;
  if (std::getenv("GOLDEN_ACCEPT") != nullptr) {
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  std::ifstream stream(file, std::ios::binary);
  std::stringstream expected;
  expected << stream.rdbuf();
  EXPECT_TRUE(stream.good()) << file << " is missing: see `make golden-accept`";
  EXPECT_EQ(text, expected.str()) << file << ": if the new text is right, run `make golden-accept`";
}

}  // namespace compute_scale
