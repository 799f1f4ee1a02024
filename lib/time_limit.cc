#include "time_limit.h"

#include <array>
#include <optional>
#include <vector>

#include "text.h"

namespace compute_scale {
namespace {

constexpr std::int64_t kMostMinutes = std::int64_t{365} * 24 * 60;

// The seconds of `parts`, whose first is worth units[0] seconds and so on.
template <std::size_t N>
std::optional<std::int64_t> seconds(const std::vector<std::string_view>& parts,
                                    const std::array<std::int64_t, N>& units) {
  if (parts.size() > N) return std::nullopt;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = parse_digits(parts[i]);
    if (!number || *number > kMostMinutes * 60) return std::nullopt;
    sum += *number * units[i];
  }
  return sum;
}

std::optional<std::int64_t> parse_seconds(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    const std::vector<std::string_view> parts = split(text, ':');
    if (parts.size() == 3) return seconds<3>(parts, {3600, 60, 1});
    return seconds<2>(parts, {60, 1});
  }
  const auto days = seconds<1>({text.substr(0, dash)}, {86400});
  const auto rest = seconds<3>(split(text.substr(dash + 1), ':'), {3600, 60, 1});
  if (!days || !rest) return std::nullopt;
  return *days + *rest;
}

std::string two_digits(std::int64_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

}  // namespace

Result<TimeLimit> parse_time_limit(std::string_view text) {
  const auto total = parse_seconds(text);
  const std::int64_t minutes = total ? (*total + 59) / 60 : 0;
  if (minutes < 1 || minutes > kMostMinutes) {
    return usage_error(quoted(text) +
                       ": not a time limit: expected minutes, H:MM:SS or D-HH:MM:SS, from 1 minute "
                       "to 365 days");
  }
  return TimeLimit{minutes};
}

std::string to_string(TimeLimit limit) {
  const std::int64_t hours = limit.minutes / 60;
  const std::string days = hours >= 24 ? std::to_string(hours / 24) + "-" : "";
  return days + two_digits(hours % 24) + ":" + two_digits(limit.minutes % 60) + ":00";
}

}  // namespace compute_scale
