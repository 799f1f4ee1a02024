#include "doc_value.h"

#include <gtest/gtest.h>

#include "doc_builder.h"

namespace compute_scale {
namespace {

// The document as one line: n/b/# mark null, bool and number, quotes a text.
std::string shown(const DocValue& value) {
  switch (value.kind) {
    case DocValue::Kind::kNull:
      return "n";
    case DocValue::Kind::kBool:
      return "b" + value.text;
    case DocValue::Kind::kNumber:
      return "#" + value.text;
    case DocValue::Kind::kText:
      return "'" + value.text + "'";
    default:
      break;
  }
  std::string items;
  const bool map = value.kind == DocValue::Kind::kMap;
  for (const DocValue& item : value.items) {
    items += (items.empty() ? "" : ", ") + (map ? item.key + ": " : "") + shown(item);
  }
  return map ? "{" + items + "}" : "[" + items + "]";
}

struct DocCase {
  std::string text, document;
};

void expect_document(const Result<DocValue>& result, const DocCase& c) {
  ASSERT_TRUE(result.ok()) << result.error().text;
  EXPECT_EQ(shown(*result), c.document) << c.text;
}

TEST(JsonDoc, KeepsOrderAndWhatWasWritten) {
  const DocCase cases[] = {
      {"{}", "{}"},
      {"[]", "[]"},
      {"null", "n"},
      {"\"\"", "''"},
      {R"({"b":1,"a":{"d":[true,false,null],"c":"x"}})",
       "{b: #1, a: {d: [btrue, bfalse, n], c: 'x'}}"},
      {"[4.0, 0.10, -2, 1e-3, 18446744073709551615, 99999999999999999999]",
       "[#4.0, #0.10, #-2, #1e-3, #18446744073709551615, #99999999999999999999]"},
      {R"(["a\r\n\"\\\u00e4\ud83d\ude80"])", "['a\r\n\"\\\xc3\xa4\xf0\x9f\x9a\x80']"},
      {"\xef\xbb\xbf{\r\n\"a\": 1\r\n}\r\n", "{a: #1}"},
      {R"({"a":{"x":1},"b":{"x":1}})", "{a: {x: #1}, b: {x: #1}}"},
      {R"({"":1})", "{: #1}"},
  };
  for (const DocCase& c : cases) expect_document(parse_json(c.text, "f.json"), c);
}

TEST(YamlDoc, EveryScalarIsTheTextThatWasWritten) {
  const DocCase cases[] = {
      {"", "n"},
      {"# nothing\n", "n"},
      {"---\n", "n"},
      {"a: no\nb: 0123\nc: 12:00:00\nd: 1.0\ne: ~\nf: null\ng:\nh: \"null\"",
       "{a: 'no', b: '0123', c: '12:00:00', d: '1.0', e: n, f: n, g: n, h: 'null'}"},
      {"a: [x, {b: y}]\nc:\n- 1\n- d: 2\n  e: 3\n",
       "{a: ['x', {b: 'y'}], c: ['1', {d: '2', e: '3'}]}"},
      {"a: |\n  x\n", "{a: 'x\n'}"},
      {"a: |\n  x", "{a: 'x\n'}"},
      {"a: |-\n  x\n", "{a: 'x'}"},
      {"a: |\n  set -e\n\n  x=[1\nb: 2", "{a: 'set -e\n\nx=[1\n', b: '2'}"},
      {"a: \"x\\ty\"\nb: 'it''s'", "{a: 'x\ty', b: 'it's'}"},
      {"a: !!int 5\nb: &anchor 6\n", "{a: '5', b: '6'}"},
      {"%YAML 1.2\n---\na: 1\n...\n", "{a: '1'}"},
      {"{\"a\": 1, \"b\": [true]}", "{a: '1', b: ['true']}"},
  };
  for (const DocCase& c : cases) expect_document(parse_yaml(c.text, "f.yaml"), c);
}

TEST(YamlDoc, KnowsTheLines) {
  const Result<DocValue> document =
      parse_yaml("# site\na: 1\nb:\n  c: 2\n\n  d: [3,\n 4]\n", "f.yaml");
  ASSERT_TRUE(document.ok()) << document.error().text;
  EXPECT_EQ(document->items[0].line, 2);
  EXPECT_EQ(document->items[1].items[0].line, 4);
  EXPECT_EQ(document->items[1].items[1].items[1].line, 7);
}

std::string nested(std::size_t levels, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += open;
  text += "1";
  for (std::size_t i = 0; i < levels; ++i) text += close;
  return text;
}

TEST(Docs, MayBeNestedUpTo64Levels) {
  EXPECT_TRUE(parse_json(nested(64, "[", "]"), "f").ok());
  EXPECT_TRUE(parse_yaml(nested(64, "[", "]"), "f").ok());
  EXPECT_TRUE(parse_json(nested(64, "{\"a\":", "}"), "f").ok());
  EXPECT_FALSE(parse_json(nested(65, "[", "]"), "f").ok());
  EXPECT_FALSE(parse_yaml(nested(65, "[", "]"), "f").ok());
  EXPECT_FALSE(parse_json(nested(65, "{\"a\":", "}"), "f").ok());
}

struct RefusalCase {
  std::string text, error;
};

// `error` is the whole text, or its beginning where it ends with "...".
void expect_refused(const Result<DocValue>& result, const RefusalCase& c) {
  const std::string shown_text = c.text.substr(0, 60);
  ASSERT_FALSE(result.ok()) << shown_text;
  const std::string& text = result.error().text;
  const std::size_t open_end = c.error.rfind("...");
  if (open_end != std::string::npos && open_end + 3 == c.error.size()) {
    EXPECT_EQ(text.substr(0, open_end), c.error.substr(0, open_end)) << shown_text;
  } else {
    EXPECT_EQ(text, c.error) << shown_text;
  }
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_LT(text.size(), 400u) << text;
}

const std::string kNul("\0", 1);

TEST(JsonDocRefusals, AllOfThem) {
  const RefusalCase cases[] = {
      {"", "f:1:1: not valid JSON: ..."},
      {"{", "f:1:2: not valid JSON: ..."},
      {"{\n \"a\": 1,\n}", "f:3:1: not valid JSON: ..."},
      {"{\"a\": 1} x", "f:1:10: not valid JSON: ..."},
      {"{'a': 1}", "f:1:2: not valid JSON: ..."},
      {"[01]", "f:1:3: not valid JSON: ..."},
      {"[.5]", "f:1:2: not valid JSON: ..."},
      {"[NaN]", "f:1:2: not valid JSON: ..."},
      {"[1e400]", "f:1:6: not valid JSON: number overflow..."},
      {"[\"a\nb\"]", "f:1:4: not valid JSON: ..."},
      {"[\"\xff\"]", "f:1:3: not valid JSON: ..."},
      {"[1]" + kNul, "f:1:4: holds a NUL byte"},
      {"[1]" + kNul + "[2]", "f:1:4: holds a NUL byte"},
      {"// no\n{}", "f:1:1: not valid JSON: ..."},
      {"{\"a\": 1, \"b\": 2, \"a\": 3}", "f: the key \"a\" is there twice"},
      {"{\"x\": [1, {\"a\": 1, \"a\": 2}]}", "f: /x/1: the key \"a\" is there twice"},
      {"{\"x/~\": {\"a\": 1, \"a\": 2}}", "f: /x~1~0: the key \"a\" is there twice"},
      {"[\"\\u0000\"]", "f: /0: a text cannot hold NUL"},
      {"{\"a\": {\"b\": \"x\\u0000\"}}", "f: /a/b: a text cannot hold NUL"},
      {"{\"a\\u0000\": 1}", "f: a key cannot hold NUL"},
      {std::string(100000, '['), "f: nested too deeply (more than 64 levels)"},
      {nested(100000, "{\"a\":", "}"), "f: nested too deeply (more than 64 levels)"},
      {"[\"" + std::string(1000000, 'x'), "f:1:1000003: not valid JSON: ..."},
      {"{\"" + std::string(100000, 'k') + "\": {\"a\": 1, \"a\": 1}}",
       "f: /" + std::string(60, 'k') + "...: ..."},
  };
  for (const RefusalCase& c : cases) {
    const Result<DocValue> result = parse_json(c.text, "f");
    expect_refused(result, c);
    EXPECT_EQ(result.error().kind, ErrorKind::kTask);
  }
}

TEST(YamlDocRefusals, AllOfThem) {
  const RefusalCase cases[] = {
      {"a: 1\nb: [1, 2\nc: 3\n", "f:3: not valid YAML: ..."},
      {"a: 1\n\tb: 2\n", "f:2:..."},
      {"a: \"x", "f:1: not valid YAML: illegal EOF in scalar"},
      {"a: \"x\nb: 1\n", "f:3: not valid YAML: illegal EOF in scalar"},
      {"a: 'x\n", "f:2: not valid YAML: illegal EOF in scalar"},
      {"a: [1,\n", "f:2: not valid YAML: ..."},
      {"a: 1\nb: 2\na: 3\n", "f:3: the key \"a\" is there twice"},
      {"x:\n  a: 1\n  a: 2\n", "f:3: the key \"a\" is there twice"},
      {"{a: 1, a: 2}", "f:1: the key \"a\" is there twice"},
      {"a: &x 1\nb: *x\n", "f:2: aliases (*name) are not supported; write the value out"},
      {"a: &x {k: 1}\nb:\n  <<: *x\n",
       "f:3: aliases (*name) are not supported; write the value out"},
      {"a: *x\n", "f:1:..."},
      {"[1, 2]: 3\n", "f:1: a key must be a plain text"},
      {"? {a: 1}\n: 3\n", "f:1: a key must be a plain text"},
      {"~: 3\n", "f:1: a key is missing"},
      {"a: 1\n---\nb: 2\n", "f: holds more than one YAML document; expected one"},
      {"a: 1\nb: x\xff\n", "f:2: not valid UTF-8"},
      {"a: 1\nb: x\x04\n", "f:2: a control character (\"\\x04\")"},
      {"a: x" + kNul + "y", "f:1: a control character (\"\\x00\")"},
      {"a: 1\rb: 2", "f:1: a control character (\"\\x0d\")"},
      {"a: \"x\\0y\"\n", "f:1: a text cannot hold NUL"},
      {"\"a\\0\": 1\n", "f:1: a key cannot hold NUL"},
      {nested(65, "[", "]"), "f:1: nested too deeply (more than 64 levels)"},
      {std::string(100000, '['), "f: nested too deeply"},
      {std::string(100000, '{'), "f: nested too deeply"},
      {nested(100000, "{a: ", "}"), "f: nested too deeply"},
      {nested(100000, "- ", ""), "f: nested too deeply"},
      {nested(100000, "? ", ""), "f: nested too deeply"},
      {std::string(100000, '-'), "f: nested too deeply"},
  };
  for (const RefusalCase& c : cases) {
    const Result<DocValue> result = parse_yaml(c.text, "f");
    expect_refused(result, c);
    EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  }
}

TEST(YamlDocRefusals, DeepBlocks) {
  std::string maps, lists;
  for (std::size_t i = 0; i < 3000; ++i) {
    maps += std::string(i, ' ') + "a:\n";
    lists += std::string(i, ' ') + "-\n";
  }
  expect_refused(parse_yaml(maps, "f"), {"maps", "f: nested too deeply"});
  expect_refused(parse_yaml(lists, "f"), {"lists", "f: nested too deeply"});
}

TEST(YamlDocRefusals, NoAliasMakesADocumentGrow) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before +
            "]\n";
  }
  expect_refused(parse_yaml(text, "f"), {text, "f:2: aliases..."});
}

}  // namespace
}  // namespace compute_scale
