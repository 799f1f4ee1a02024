#include "text.h"

#include <algorithm>
#include <limits>

namespace compute_scale {
namespace {

constexpr std::int64_t kMicro = 1000000;
constexpr std::size_t kMicroPlaces = 6;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string to_lower(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  return lowered;
}

std::optional<std::int64_t> parse_digits(std::string_view text) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (text.empty()) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    const std::int64_t digit = c - '0';
    if (number > (kMost - digit) / 10) return std::nullopt;
    number = number * 10 + digit;
  }
  return number;
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return parse_digits(text);
  const std::string_view zeros = text.substr(point + 1);
  if (zeros.empty() || zeros.find_first_not_of('0') != std::string_view::npos) return std::nullopt;
  return parse_digits(text.substr(0, point));
}

std::optional<std::int64_t> parse_decimal_micro(std::string_view text) {
  const std::size_t point = text.find('.');
  const bool has_point = point != std::string_view::npos;
  const std::string_view whole = text.substr(0, point);
  std::string places(has_point ? text.substr(point + 1) : "0");
  if (places.empty() || (whole.empty() && !has_point)) return std::nullopt;
  if (places.find_first_not_of('0', kMicroPlaces) != std::string::npos) return std::nullopt;
  places.resize(kMicroPlaces, '0');
  const auto units = whole.empty() ? 0 : parse_digits(whole);
  const auto micro = parse_digits(places);
  if (!units || !micro || *units >= std::numeric_limits<std::int64_t>::max() / kMicro) {
    return std::nullopt;
  }
  return *units * kMicro + *micro;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string micro_to_string(std::int64_t micro) {
  const bool negative = micro < 0;
  // Unsigned, because the most negative number has no positive twin.
  const std::uint64_t size =
      negative ? 0 - static_cast<std::uint64_t>(micro) : static_cast<std::uint64_t>(micro);
  std::string text = (negative ? "-" : "") + std::to_string(size / kMicro);
  const std::string places = std::to_string(size % kMicro + kMicro).substr(1);
  const std::size_t last = places.find_last_not_of('0');
  if (last != std::string::npos) text += "." + places.substr(0, last + 1);
  return text;
}

namespace {

using Row = std::vector<std::size_t>;

// The number of letters inserted, removed, changed or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  Row before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, row);
  }
  return previous[b.size()];
}

}  // namespace

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates,
                                 std::size_t most) {
  const std::string wanted = to_lower(word);
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    const auto [shorter, longer] = std::minmax({candidate.size(), word.size()});
    if (longer - shorter > limit) continue;
    const std::size_t distance = edit_distance(wanted, to_lower(candidate));
    if (distance <= limit) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < near.size() && i < most; ++i) names.push_back(near[i].second);
  return names;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string> names = nearest(word, candidates);
  if (names.empty()) return "";
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += printable(names[i]);
  }
  return text + "?";
}

namespace {

// Whether the class at the start of `pattern` ("[...]") holds `c`; `size` becomes its length, or 0
// where the ']' is missing.
bool class_matches(std::string_view pattern, char c, std::size_t& size) {
  const bool negated = pattern.size() > 1 && pattern[1] == '!';
  const std::size_t first = negated ? 2 : 1;
  // A ']' at the very start is a member, as in the shell.
  const std::size_t end = pattern.find(']', first + 1);
  size = end == std::string_view::npos ? 0 : end + 1;
  if (size == 0) return false;
  bool found = false;
  for (std::size_t i = first; i < end; ++i) {
    if (i + 2 < end && pattern[i + 1] == '-') {
      found = found || (pattern[i] <= c && c <= pattern[i + 2]);
      i += 2;
    } else {
      found = found || pattern[i] == c;
    }
  }
  return found != negated;
}

// The number of pattern bytes that match the one byte `c`, or 0.
std::size_t match_one(std::string_view pattern, char c) {
  if (pattern.empty()) return 0;
  if (pattern[0] == '?') return 1;
  if (pattern[0] == '[') {
    std::size_t size = 0;
    const bool matches = class_matches(pattern, c, size);
    if (size > 0) return matches ? size : 0;
  }
  return pattern[0] == c ? 1 : 0;
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  // Where to go on when the text behind the last '*' does not fit: that '*' takes one byte more.
  std::size_t after_star = std::string_view::npos, star_end = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      star_end = t;
    } else if (const std::size_t used = match_one(pattern.substr(p), text[t]); used > 0) {
      p += used;
      ++t;
    } else if (after_star != std::string_view::npos) {
      p = after_star;
      t = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace compute_scale
