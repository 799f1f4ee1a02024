#include "mem_size.h"

#include "text.h"

namespace compute_scale {
namespace {

constexpr std::int64_t kMostMib = std::int64_t{1} << 40;

// KiB in one unit, or 0 where the letter is none.
std::int64_t kib_per(char unit) {
  switch (unit) {
    case 'K':
    case 'k':
      return 1;
    case 'M':
    case 'm':
      return std::int64_t{1} << 10;
    case 'G':
    case 'g':
      return std::int64_t{1} << 20;
    case 'T':
    case 't':
      return std::int64_t{1} << 30;
    default:
      return 0;
  }
}

bool ends_with_unit(std::string_view text) {
  return !text.empty() && kib_per(text.back()) != 0;
}

}  // namespace

Result<MemSize> parse_mem_size(std::string_view text, char bare_unit) {
  std::string_view number = text;
  const bool has_byte_letter = !number.empty() && (number.back() == 'B' || number.back() == 'b');
  if (has_byte_letter && ends_with_unit(number.substr(0, number.size() - 1))) {
    number.remove_suffix(1);
  }
  char unit = bare_unit;
  if (ends_with_unit(number)) {
    unit = number.back();
    number.remove_suffix(1);
  }
  const auto micro = parse_decimal_micro(number);
  __extension__ using Wide = __int128;  // up to 2^63 x 2^30
  const Wide kib_micro = static_cast<Wide>(micro.value_or(0)) * kib_per(unit);
  constexpr Wide kMibMicro = Wide{1024} * 1000000;
  const Wide mib = (kib_micro + kMibMicro - 1) / kMibMicro;
  if (mib < 1 || mib > kMostMib) {
    return usage_error(quoted(text) +
                       ": not a memory size: expected a number above 0 with K, M, G or T, such as "
                       "200G");
  }
  return MemSize{static_cast<std::int64_t>(mib)};
}

std::string to_string(MemSize size) {
  const bool whole_gib = size.mib % 1024 == 0;
  return whole_gib ? std::to_string(size.mib / 1024) + "G" : std::to_string(size.mib) + "M";
}

}  // namespace compute_scale
