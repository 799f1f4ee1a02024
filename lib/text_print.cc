// The part of text.h that makes foreign bytes fit for a message.
#include <array>

#include "text.h"

namespace compute_scale {
namespace {

struct Utf8Form {
  unsigned char mask, lead;  // of the first byte
  std::size_t size;
  std::uint32_t least;  // smaller code points have a shorter form
};

constexpr std::array<Utf8Form, 4> kForms = {
    {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}}};

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;  // bytes; 0: not UTF-8
};

bool is_scalar(std::uint32_t value, const Utf8Form& form) {
  return value >= form.least && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
}

CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (const Utf8Form& form : kForms) {
    if ((byte(0) & form.mask) != form.lead) continue;
    if (text.size() < form.size) return {};
    std::uint32_t value = byte(0) & static_cast<unsigned char>(~form.mask);
    for (std::size_t i = 1; i < form.size; ++i) {
      if ((byte(i) & 0xc0) != 0x80) return {};
      value = (value << 6) | (byte(i) & 0x3fu);
    }
    return is_scalar(value, form) ? CodePoint{value, form.size} : CodePoint{};
  }
  return {};
}

// What would break the line, move the terminal's cursor or reorder the text around it.
bool is_disturbing(std::uint32_t value) {
  return value < 0x20 || (value >= 0x7f && value < 0xa0) || (value >= 0x2028 && value <= 0x202e) ||
         (value >= 0x2066 && value <= 0x2069);
}

std::string escaped(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
  }
  return text;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = decode(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

bool has_control(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return true;
  }
  return false;
}

std::string printable(std::string_view value, std::size_t most) {
  std::string text;
  std::size_t used = 0;
  while (used < value.size()) {
    const CodePoint point = decode(value.substr(used));
    const std::size_t size = point.size == 0 ? 1 : point.size;
    if (used + size > most) return text + "...";
    const std::string_view bytes = value.substr(used, size);
    const bool plain = point.size > 0 && !is_disturbing(point.value);
    text += plain ? std::string(bytes) : escaped(bytes);
    used += size;
  }
  return text;
}

std::string on_one_line(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!trim(line).empty()) lines.push_back(printable(trim(line), 500));
  }
  return join(lines, "; ");
}

std::string quoted(std::string_view value) {
  return "\"" + printable(value) + "\"";
}

}  // namespace compute_scale
