#include "index_list.h"

#include <algorithm>

#include "text.h"

namespace compute_scale {

std::vector<std::string> index_lists(std::vector<std::int64_t> indices, std::size_t longest) {
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  std::vector<std::string> out;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::size_t first = i;
    while (i + 1 < indices.size() && indices[i + 1] == indices[i] + 1) ++i;
    std::string range = std::to_string(indices[first]);
    if (i > first) range += "-" + std::to_string(indices[i]);
    if (out.empty() || out.back().size() + 1 + range.size() > longest) {
      out.push_back(std::move(range));
    } else {
      out.back() += "," + range;
    }
  }
  return out;
}

std::vector<std::int64_t> parse_index_list(std::string_view text) {
  constexpr std::int64_t kMost = 4'000'000;
  if (text.size() > 1 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
    text = text.substr(0, text.find('%'));
  } else if (!parse_digits(text)) {
    return {};
  }
  std::vector<std::int64_t> out;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_digits(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_digits(part.substr(dash + 1));
    if (!first || !last || *last > kMost) return {};
    for (std::int64_t index = *first; index <= *last; ++index) out.push_back(index);
  }
  return out;
}

}  // namespace compute_scale
