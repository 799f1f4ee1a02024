#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

#include "doc_builder.h"
#include "text.h"

namespace compute_scale {
namespace {

using nlohmann::json;
using Kind = DocValue::Kind;

// What nlohmann's exception says, without its own name and position.
std::string reason_of(const std::exception& failure) {
  std::string_view what = failure.what();
  if (const std::size_t end = what.find("] "); end != std::string_view::npos) {
    what.remove_prefix(end + 2);
  }
  if (starts_with(what, "parse error at ")) {
    what.remove_prefix(std::min(what.size(), what.find(": ") + 2));
  }
  return printable(what, 160);
}

// Nothing is decided here: the builder keeps the document, and the first problem.
class JsonEvents : public nlohmann::json_sax<json> {
 public:
  DocBuilder builder;
  std::size_t syntax_offset = 0;  // of a syntax error, in bytes

  bool null() override { return builder.scalar(Kind::kNull, "null"); }
  bool boolean(bool value) override {
    return builder.scalar(Kind::kBool, value ? "true" : "false");
  }
  bool number_integer(number_integer_t value) override {
    return builder.scalar(Kind::kNumber, std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return builder.scalar(Kind::kNumber, std::to_string(value));
  }
  bool number_float(number_float_t, const string_t& written) override {
    return builder.scalar(Kind::kNumber, written);
  }
  bool string(string_t& value) override { return builder.scalar(Kind::kText, std::move(value)); }
  bool binary(binary_t&) override { return builder.refuse("binary data"); }  // not in JSON
  bool start_object(std::size_t) override { return builder.open(Kind::kMap); }
  bool key(string_t& name) override { return builder.key(name); }
  bool end_object() override { return builder.close(); }
  bool start_array(std::size_t) override { return builder.open(Kind::kList); }
  bool end_array() override { return builder.close(); }
  bool parse_error(std::size_t position, const std::string&,
                   const json::exception& failure) override {
    syntax_offset = position;
    return builder.refuse("not valid JSON: " + reason_of(failure));
  }
};

// "3:7" for the byte before `offset`, which is where the reader stopped.
std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset == 0 ? 0 : offset - 1);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return std::to_string(lines + 1) + ":" + std::to_string(before.size() - line_start + 1);
}

}  // namespace

Result<DocValue> parse_json(std::string_view text, const std::string& file) {
  // nlohmann's reader takes a NUL for the end of the text.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return task_error(file + ":" + line_and_column(text, nul + 1) + ": holds a NUL byte");
  }
  try {
    JsonEvents events;
    json::sax_parse(text.begin(), text.end(), &events);
    DocBuilder& builder = events.builder;
    if (!builder.refused()) return std::move(builder.root());
    if (events.syntax_offset > 0) {
      return task_error(file + ":" + line_and_column(text, events.syntax_offset) + ": " +
                        builder.problem());
    }
    const std::string pointer = builder.pointer().empty() ? "" : builder.pointer() + ": ";
    return task_error(file + ": " + pointer + builder.problem());
  } catch (const std::exception& failure) {
    return task_error(file + ": cannot be read as JSON: " + printable(failure.what(), 160));
  }
}

}  // namespace compute_scale
