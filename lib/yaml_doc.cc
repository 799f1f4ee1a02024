#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <sstream>

#include "doc_builder.h"
#include "text.h"

namespace compute_scale {
namespace {

using Kind = DocValue::Kind;

// Nothing is decided here: the builder keeps the document, and the first problem.
class YamlEvents : public YAML::EventHandler {
 public:
  DocBuilder builder;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    if (builder.wants_key()) {
      builder.refuse("a key is missing", line_of(mark));
    } else {
      builder.scalar(Kind::kNull, "null", line_of(mark));
    }
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    builder.refuse("aliases (*name) are not supported; write the value out", line_of(mark));
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    if (builder.wants_key()) {
      builder.key(value, line_of(mark));
    } else {
      builder.scalar(Kind::kText, value, line_of(mark));
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(Kind::kList, mark);
  }
  void OnSequenceEnd() override { builder.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(Kind::kMap, mark);
  }
  void OnMapEnd() override { builder.close(); }

 private:
  static int line_of(const YAML::Mark& mark) { return mark.line + 1; }

  void open(Kind kind, const YAML::Mark& mark) {
    if (builder.wants_key()) {
      builder.refuse("a key must be a plain text", line_of(mark));
    } else {
      builder.open(kind, line_of(mark));
    }
  }
};

// yaml-cpp's parser calls itself once per level, so that the depth must be bounded before it runs.
// A block level needs a further column of indentation or of "- ", "? " and ": " marks, a flow level
// its bracket. More than a document needs, because brackets in texts and comments count as well.
bool may_nest_too_deeply(std::string_view text) {
  constexpr std::size_t kMostMarks = 200;
  constexpr std::size_t kMostBrackets = 200;
  std::size_t brackets = 0;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t other = line.find_first_not_of(" \t-?:");
    if (std::min(other, line.find_last_not_of(" \t") + 1) > kMostMarks) return true;
    for (const char c : line) {
      if (c == '[' || c == '{') ++brackets;
      if ((c == ']' || c == '}') && brackets > 0) --brackets;
      if (brackets > kMostBrackets) return true;
    }
  }
  return false;
}

// What yaml-cpp would take for the end of the text, or pass on: "3: …" with the line.
std::string find_foreign_byte(std::string_view text) {
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (!is_utf8(line)) return std::to_string(number) + ": not valid UTF-8";
    for (const char c : line) {
      if (c != '\t' && has_control({&c, 1})) {
        return std::to_string(number) + ": a control character (" +
               quoted(std::string_view(&c, 1)) + ")";
      }
    }
  }
  return "";
}

Error refused_document(const DocBuilder& builder, const std::string& file) {
  return usage_error(file + ":" + std::to_string(builder.problem_line()) + ": " +
                     builder.problem());
}

Result<DocValue> run_parser(std::string_view text, const std::string& file) {
  // yaml-cpp takes a quoted text that is never closed for a good one if the last line is complete.
  std::istringstream stream{std::string(text) + "\n#"};
  YAML::Parser parser(stream);
  YamlEvents events;
  if (!parser.HandleNextDocument(events)) return DocValue{};
  if (events.builder.refused()) return refused_document(events.builder, file);
  YamlEvents further;
  if (parser.HandleNextDocument(further)) {
    return usage_error(file + ": holds more than one YAML document; expected one");
  }
  return std::move(events.builder.root());
}

}  // namespace

Result<DocValue> parse_yaml(std::string_view text, const std::string& file) {
  const std::string foreign = find_foreign_byte(text);
  if (!foreign.empty()) return usage_error(file + ":" + foreign);
  if (may_nest_too_deeply(text)) return usage_error(file + ": nested too deeply");
  try {
    return run_parser(text, file);
  } catch (const YAML::Exception& failure) {
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    const auto line = std::min<std::ptrdiff_t>(failure.mark.line + 1, lines);
    return usage_error(file + ":" + std::to_string(line) +
                       ": not valid YAML: " + printable(failure.msg, 160));
  } catch (const std::exception& failure) {
    return usage_error(file + ": cannot be read as YAML: " + printable(failure.what(), 160));
  }
}

}  // namespace compute_scale
