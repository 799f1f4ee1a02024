#include "shell_quote.h"

#include <algorithm>
#include <cstdio>

#include "text.h"

namespace compute_scale {
namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

// Characters that neither bash nor `#SBATCH` gives a meaning, at any place of a word.
bool is_plain(char c) {
  const bool letter_or_digit =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter_or_digit || std::string_view("_-./:,+@%=").find(c) != std::string_view::npos;
}

bool all_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_plain);
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// Octal escapes have at most three digits in bash, so a digit behind one is never taken in.
std::string ansi_c_quoted(std::string_view text) {
  std::string out = "$'";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_control(c)) {
      char octal[5];
      std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned char>(c));
      out += octal;
    } else if (c == '\'' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

std::string shell_quote(std::string_view text) {
  if (all_plain(text)) return std::string(text);
  if (std::any_of(text.begin(), text.end(), is_control)) return ansi_c_quoted(text);
  return single_quoted(text);
}

std::string single_quote(std::string_view text) {
  return all_plain(text) ? std::string(text) : single_quoted(text);
}

std::string shell_join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += shell_quote(word);
  }
  return out;
}

Result<std::string> directive_quote(std::string_view text) {
  if (text.find('\n') != std::string_view::npos) {
    return usage_error(quoted(text) + ": a newline cannot stand in an #SBATCH line");
  }
  if (all_plain(text)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace compute_scale
