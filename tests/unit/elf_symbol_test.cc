#include "elf_symbol.h"

#include <gtest/gtest.h>
#include <slurm/slurm_version.h>

#include <string>

#include "read_file.h"

namespace compute_scale {
namespace {

std::string plugin() {
  const auto bytes = read_binary_file(TEST_PLUGIN);
  return bytes.ok() ? *bytes : "";
}

TEST(ElfSymbol, TheReleaseThatThePluginIsBuiltFor) {
  const std::string bytes = plugin();
  ASSERT_FALSE(bytes.empty());
  EXPECT_EQ(elf_number(bytes, "plugin_version"), std::uint32_t{SLURM_VERSION_NUMBER});
  EXPECT_EQ(elf_number(bytes, "spank_plugin_version"), 1u);
  EXPECT_FALSE(elf_number(bytes, "plugin_versio"));
  EXPECT_FALSE(elf_number(bytes, "spank_context"));  // it is Slurm's
}

TEST(ElfSymbol, WhatIsNoWholeObjectIsSafe) {
  EXPECT_FALSE(elf_number("", "x"));
  EXPECT_FALSE(elf_number("no object", "x"));
  const std::string bytes = plugin();
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    // In memory of its own, so that a read behind the end is seen.
    const std::string part(bytes, 0, size);
    elf_number(part, "plugin_version");
  }
  // The tables' numbers may be anything.
  for (std::size_t i = 0; i < 64 && i < bytes.size(); ++i) {
    std::string wrong = bytes;
    wrong[i] = static_cast<char>(0xff);
    elf_number(wrong, "plugin_version");
  }
}

}  // namespace
}  // namespace compute_scale
