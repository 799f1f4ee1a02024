#include "doc_field.h"

#include <limits>
#include <unordered_set>

#include "doc_builder.h"
#include "text.h"

namespace compute_scale {
namespace {

using Kind = DocValue::Kind;

std::string shown(const DocValue& value, DocFormat format) {
  switch (value.kind) {
    case Kind::kText:
      return quoted(value.text);
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return format == DocFormat::kJson ? "an object" : "a map";
    default:
      return printable(value.text);
  }
}

bool is_text_or_number(const DocValue& value) {
  return value.kind == Kind::kText || value.kind == Kind::kNumber;
}

}  // namespace

DocField::DocField(const DocValue& document, DocFormat format, const std::string& file)
    : value_(&document), format_(format), file_(&file) {}

DocField DocField::item(std::size_t index) const {
  DocField field = *this;
  field.value_ = &value_->items[index];
  const bool member = value_->kind == Kind::kMap;
  if (format_ == DocFormat::kJson) {
    field.path_ += member ? pointer_step(field.key()) : "/" + std::to_string(index);
  } else if (member) {
    field.path_ += (path_.empty() ? "" : ".") + printable(field.key());
  } else {
    field.path_ += "[" + std::to_string(index) + "]";
  }
  return field;
}

bool DocField::unset() const {
  if (format_ == DocFormat::kJson || !value_->is_scalar()) return false;
  return value_->kind == Kind::kNull || value_->text.empty();
}

Error DocField::problem(const std::string& text) const {
  const std::string line = value_->line > 0 ? ":" + std::to_string(value_->line) : "";
  const std::string path = path_.empty() ? "" : path_ + ": ";
  const std::string message = *file_ + line + ": " + path + text;
  return format_ == DocFormat::kJson ? task_error(message) : usage_error(message);
}

Error DocField::expected(const std::string& what) const {
  return problem(shown(*value_, format_) + ": expected " + what);
}

Error DocField::placed(const Error& error) const {
  return problem(error.text);
}

Result<std::string> read_line(const DocField& field) {
  const DocValue& value = field.value();
  if (value.kind != Kind::kText || value.text.empty() || has_control(value.text)) {
    return field.expected("a text of one line");
  }
  return value.text;
}

Result<std::string> read_line_or_empty(const DocField& field) {
  if (field.value().kind == Kind::kText && field.value().text.empty()) return std::string();
  return read_line(field);
}

Result<std::string> read_absolute_path(const DocField& field) {
  COMPUTE_SCALE_TRY(path, read_line(field));
  if (path[0] != '/') return field.expected("an absolute path");
  return path;
}

Result<std::int64_t> read_whole(const DocField& field, std::int64_t least, std::int64_t most) {
  const auto number =
      is_text_or_number(field.value()) ? parse_whole(field.value().text) : std::nullopt;
  if (!number || *number < least || *number > most) {
    return field.expected("a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most));
  }
  return *number;
}

Result<int> read_count(const DocField& field, int least) {
  constexpr int kMost = 1000000;
  COMPUTE_SCALE_TRY(number, read_whole(field, least, kMost));
  return static_cast<int>(number);
}

Result<bool> read_bool(const DocField& field) {
  const DocValue& value = field.value();
  if (value.kind == Kind::kBool) return value.text == "true";
  if (field.format() == DocFormat::kYaml && value.kind == Kind::kText) {
    const std::string word = to_lower(value.text);
    if (word == "true" || word == "yes" || word == "on") return true;
    if (word == "false" || word == "no" || word == "off") return false;
  }
  return field.expected("true or false");
}

Result<std::vector<std::string>> read_lines(const DocField& field) {
  COMPUTE_SCALE_CHECK(expect_list(field, "a list of texts"));
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < field.size(); ++i) {
    COMPUTE_SCALE_TRY(line, read_line(field.item(i)));
    lines.push_back(std::move(line));
  }
  return lines;
}

Result<std::vector<std::int64_t>> read_seeds(const DocField& field) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  COMPUTE_SCALE_CHECK(expect_list(field, "a list of whole numbers, such as [42, 43]"));
  std::vector<std::int64_t> seeds;
  std::unordered_set<std::int64_t> known;
  for (std::size_t i = 0; i < field.size(); ++i) {
    COMPUTE_SCALE_TRY(seed, read_whole(field.item(i), 0, kMost));
    if (!known.insert(seed).second) {
      return field.item(i).problem(std::to_string(seed) + ": the seed is there twice");
    }
    seeds.push_back(seed);
  }
  return seeds;
}

namespace {

bool is_env_name(std::string_view name) {
  constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  constexpr std::string_view kNext =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return !name.empty() && kFirst.find(name[0]) != std::string_view::npos &&
         name.find_first_not_of(kNext) == std::string_view::npos;
}

Status check_env_setting(const DocField& setting) {
  constexpr std::size_t kMostBytes =
      std::size_t{128} * 1024;  // Linux: MAX_ARG_STRLEN, with '=' and the NUL
  const std::string& name = setting.key();
  if (!is_env_name(name)) {
    return setting.problem(quoted(name) +
                           ": not a variable name: expected letters, digits and _, and no digit "
                           "first");
  }
  if (starts_with(name, "SLURM_") || starts_with(name, "SPANK_")) {
    return setting.problem(quoted(name) +
                           ": SLURM_* and SPANK_* variables are Slurm's; expected another name");
  }
  if (!is_text_or_number(setting.value())) return setting.expected("a text or a number");
  if (name.size() + setting.value().text.size() + 2 > kMostBytes) {
    return setting.problem("the value has " + std::to_string(setting.value().text.size()) +
                           " bytes; expected less than 128 KiB with its name");
  }
  return Done{};
}

}  // namespace

Result<EnvList> read_env(const DocField& field) {
  COMPUTE_SCALE_CHECK(
      expect_map(field, "an object of variables, such as {\"BATCH_SIZE\": \"64\"}"));
  EnvList env;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const DocField setting = field.item(i);
    COMPUTE_SCALE_CHECK(check_env_setting(setting));
    env.emplace_back(setting.key(), setting.value().text);
  }
  return env;
}

Status expect_map(const DocField& field, const std::string& what) {
  if (field.value().kind != Kind::kMap) return field.expected(what);
  return Done{};
}

Status expect_list(const DocField& field, const std::string& what) {
  if (field.value().kind != Kind::kList) return field.expected(what);
  return Done{};
}

Error unknown_key(const DocField& field, const std::vector<std::string>& valid) {
  const std::string hint = did_you_mean(field.key(), valid);
  return field.problem("unknown key" + (hint.empty() ? "; expected " + join(valid, ", ") : hint));
}

Status refuse_misspelt(const DocField& field, const std::vector<std::string>& valid) {
  if (nearest(field.key(), valid).empty()) return Done{};
  return unknown_key(field, valid);
}

}  // namespace compute_scale
