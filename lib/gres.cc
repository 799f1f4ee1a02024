#include "gres.h"

#include <cctype>
#include <optional>

#include "text.h"

namespace compute_scale {
namespace {

constexpr std::string_view kSuffixes = "kmgtp";

// "4", "10g": a count, or nothing where it is none or does not fit.
std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t unit = 1;
  if (!text.empty()) {
    const std::size_t power = kSuffixes.find(to_lower(text.substr(text.size() - 1)));
    if (power != std::string_view::npos) {
      unit = std::int64_t{1} << (10 * (power + 1));
      text.remove_suffix(1);
    }
  }
  const std::optional<std::int64_t> number = parse_digits(text);
  std::int64_t count = 0;
  if (!number || __builtin_mul_overflow(*number, unit, &count)) return std::nullopt;
  return count;
}

std::vector<std::string_view> split_outside_parentheses(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')' && depth > 0) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const std::string_view part = trim(text.substr(begin, i - begin));
    if (!part.empty()) parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

void take_prefix(std::string_view& token, GresItem& item) {
  while (starts_with(token, "gres/") || starts_with(token, "gres:")) {
    item.prefix += token.substr(0, 5);
    token.remove_prefix(5);
  }
}

Error malformed(std::string_view token) {
  return usage_error(quoted(token) + " is not a resource: name[:type][:count] is expected");
}

// Splits "name:type" or "name" at the head of an item.
bool read_name(std::string_view head, GresItem& item) {
  const std::vector<std::string_view> parts = split(head, ':');
  if (parts.size() > 2 || parts.front().empty() || parts.back().empty()) return false;
  // What stands before a count has none: "gpu:a=1=2" says nothing.
  if (head.find('=') != std::string_view::npos) return false;
  item.name = parts.front();
  if (parts.size() == 2) item.type = parts.back();
  // "gpu:-1" is a mistake, not a type.
  return !item.is_gpu() || item.type.empty() ||
         std::isalnum(static_cast<unsigned char>(item.type[0]));
}

Result<GresItem> parse_item(std::string_view token) {
  GresItem item;
  const std::string_view written = token;
  if (has_control(token) || !is_utf8(token)) return malformed(written);
  take_prefix(token, item);
  item.text = token;
  const std::size_t parenthesis = token.find('(');
  if (parenthesis != std::string_view::npos) {
    item.suffix = token.substr(parenthesis);
    token = token.substr(0, parenthesis);
  }
  std::size_t separator = token.rfind('=');
  if (separator == std::string_view::npos) separator = token.rfind(':');
  std::optional<std::int64_t> count;
  if (separator != std::string_view::npos) {
    item.separator = token[separator];
    count = parse_count(token.substr(separator + 1));
    if (!count && item.separator == '=') return malformed(written);
  }
  item.head = count ? token.substr(0, separator) : token;
  item.count = count.value_or(1);
  if (!read_name(item.head, item)) return malformed(written);
  if (item.is_gpu() && item.count > kMostGpus) {
    return usage_error(quoted(written) + " asks for more than 1,000,000 GPUs");
  }
  return item;
}

}  // namespace

Result<std::vector<GresItem>> parse_gres(std::string_view text) {
  std::vector<GresItem> items;
  for (const std::string_view token : split_outside_parentheses(text)) {
    COMPUTE_SCALE_TRY(item, parse_item(token));
    items.push_back(std::move(item));
  }
  return items;
}

Result<std::vector<GresItem>> parse_gpu_counts(std::string_view text) {
  std::vector<GresItem> items;
  for (const std::string_view token : split_outside_parentheses(text)) {
    const Result<GresItem> parsed = parse_item("gpu:" + std::string(token));
    if (!parsed) {
      return usage_error(quoted(token) + " is not a number of GPUs: [type:]count is expected");
    }
    GresItem item = *parsed;
    item.text = token;
    item.head = item.type;
    items.push_back(std::move(item));
  }
  return items;
}

bool is_gres_keyword(std::string_view text) {
  const std::string word = to_lower(text);
  return word == "none" || word == "help" || word == "list";
}

GresItem with_count(GresItem item, std::int64_t count) {
  item.count = count;
  item.text = item.head.empty() ? "" : item.head + item.separator;
  item.text += std::to_string(count) + item.suffix;
  return item;
}

std::string to_string(const std::vector<GresItem>& items, GresPrefix prefix) {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const GresItem& item : items) {
    texts.push_back((prefix == GresPrefix::kKeep ? item.prefix : "") + item.text);
  }
  return join(texts, ",");
}

std::int64_t gpu_count(const std::vector<GresItem>& items) {
  std::int64_t sum = 0;
  for (const GresItem& item : items) sum += item.is_gpu() ? item.count : 0;
  return sum;
}

}  // namespace compute_scale
