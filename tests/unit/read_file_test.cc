#include "read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temp_folder.h"

namespace compute_scale {
namespace {

TEST(ReadFile, UnixText) {
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"\xef\xbb\xbf", ""},
      {"\xef\xbb\xbf{}", "{}"},
      {"a\r\nb\r\n", "a\nb\n"},
      {"a\rb\r", "a\rb\r"},
      {"a\r\r\nb", "a\r\nb"},
      {"a\xef\xbb\xbf", "a\xef\xbb\xbf"},
      {"\xef\xbb", "\xef\xbb"},
  };
  for (const auto& [bytes, text] : cases) EXPECT_EQ(unix_text(bytes), text);
}

TEST(ReadFile, ReadsFilesOfAnySizeUpToTheMost) {
  const TempFolder folder;
  for (const std::size_t size : {0u, 1u, 65535u, 65536u, 65537u, 200000u}) {
    const std::string bytes(size, 'x');
    const Result<std::string> text = read_text_file(folder.write("file", bytes), 200000);
    ASSERT_TRUE(text.ok()) << text.error().text;
    EXPECT_EQ(*text, bytes);
  }
}

TEST(ReadFile, FollowsLinks) {
  const TempFolder folder;
  folder.write("file", "\xef\xbb\xbfx: 1\r\n");
  ASSERT_EQ(symlink("file", folder.path("link").c_str()), 0);
  EXPECT_EQ(read_text_file(folder.path("link")).value(), "x: 1\n");
}

void expect_refused(const std::string& file, const std::string& reason) {
  const Result<std::string> text = read_text_file(file, 100);
  ASSERT_FALSE(text.ok()) << file;
  EXPECT_EQ(text.error().text.rfind(file + ": ", 0), 0u) << text.error().text;
  EXPECT_NE(text.error().text.find(reason), std::string::npos) << text.error().text;
}

TEST(ReadFileRefusals, AllOfThem) {
  const TempFolder folder;
  expect_refused(folder.path("absent"), "cannot be read: No such file");
  expect_refused("", "cannot be read");
  expect_refused(folder.path(), "is a folder");
  expect_refused(folder.write("long", std::string(101, 'x')), "is larger than 100 bytes");
  expect_refused(folder.write("binary", std::string("a\0b", 3)), "holds a NUL byte");
  expect_refused("/dev/null", "is not a regular file");
  ASSERT_EQ(symlink("loop", folder.path("loop").c_str()), 0);
  expect_refused(folder.path("loop"), "cannot be read");
}

TEST(ReadFileRefusals, APipeDoesNotHang) {
  const TempFolder folder;
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  expect_refused(folder.path("pipe"), "is not a regular file");
}

TEST(ReadFileRefusals, ANameWithNulIsNotCutShort) {
  const TempFolder folder;
  const std::string file = folder.write("file", "x");
  EXPECT_FALSE(read_text_file(file + std::string("\0.yaml", 6)).ok());
}

}  // namespace
}  // namespace compute_scale
