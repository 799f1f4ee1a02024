#include "shell_quote.h"

#include <gtest/gtest.h>
#include <stdio.h>

#include <string>

namespace compute_scale {
namespace {

struct Case {
  const char* text;
  const char* expected;
};

TEST(ShellQuote, Table) {
  const Case cases[] = {
      {"", "''"},
      {"plain", "plain"},
      {"scripts/gpt_345m.sh", "scripts/gpt_345m.sh"},
      {"--gres=gpu:2", "--gres=gpu:2"},
      {"A=1,2", "A=1,2"},
      {"50%", "50%"},
      {"two words", "'two words'"},
      {"it's", "'it'\\''s'"},
      {"$(id)", "'$(id)'"},
      {"`id`", "'`id`'"},
      {"~/x", "'~/x'"},
      {"a\nb", "$'a\\nb'"},
      {"a\r\nb", "$'a\\015\\nb'"},
      {"\t'\\", "$'\\t\\'\\\\'"},
      {"\x01"
       "7",
       "$'\\0017'"},
      {"\xc3\xa9", "'\xc3\xa9'"},
  };
  for (const Case& c : cases) EXPECT_EQ(shell_quote(c.text), c.expected) << c.text;
}

TEST(ShellQuote, WordsAreJoinedByBlanks) {
  EXPECT_EQ(shell_join({"sbatch", "--comment=a b", ""}), "sbatch '--comment=a b' ''");
}

// What bash itself makes of the quoted words, byte for byte.
std::string read_back(const std::vector<std::string>& words) {
  const std::string script = "printf '%s\\0' " + shell_join(words);
  const std::string command = "bash -c " + shell_quote(script);
  FILE* pipe = popen(("exec " + command).c_str(), "r");
  std::string out;
  char buffer[4096];
  for (size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  pclose(pipe);
  return out;
}

TEST(ShellQuote, BashReadsBackEveryByte) {
  std::vector<std::string> words = {"",   "a\"b=c", "-n",    "*", "a'\n'b",
                                    "!x", "{a,b}",  "\\n\\", "#x"};
  for (int byte = 1; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    words.push_back(std::string(1, c));
    words.push_back(std::string("x") + c + "1" + c + "'" + c);
  }
  std::string expected;
  for (const std::string& word : words) expected += word + '\0';
  EXPECT_EQ(read_back(words), expected);
}

TEST(DirectiveQuote, Table) {
  const Case cases[] = {
      {"gpu:2", "gpu:2"},
      {"a b", "\"a b\""},
      {"x#1", "\"x#1\""},
      {"a\"b", "\"a\\\"b\""},
      {"a\\b", "\"a\\\\b\""},
      {"it's", "\"it's\""},
      {"a\tb\r", "\"a\tb\r\""},
      {"h100|h200", "\"h100|h200\""},
      {"", "\"\""},
  };
  for (const Case& c : cases) EXPECT_EQ(*directive_quote(c.text), c.expected) << c.text;
}

TEST(DirectiveQuote, RefusesANewline) {
  const auto result = directive_quote("a\nb");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().text, "\"a\\x0ab\": a newline cannot stand in an #SBATCH line");
}

}  // namespace
}  // namespace compute_scale
