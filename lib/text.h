// Small pure helpers on text that the standard library lacks.
#ifndef COMPUTE_SCALE_LIB_TEXT_H_
#define COMPUTE_SCALE_LIB_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace compute_scale {

// The parts of `text` between `separator`s; an empty text has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
// Without the blanks, tabs and line ends at both ends.
std::string_view trim(std::string_view text);
bool starts_with(std::string_view text, std::string_view prefix);
// ASCII letters in lower case; other bytes as they are.
std::string to_lower(std::string_view text);

// A number of decimal digits only, or nothing (also on overflow).
std::optional<std::int64_t> parse_digits(std::string_view text);
// As parse_digits, but zeros may follow behind a point: "4", "4.0".
std::optional<std::int64_t> parse_whole(std::string_view text);

// A plain decimal ("12", "0.5", ".5") as a whole number of 1e-6, or nothing: sign, exponent, no
// digit behind the point, more than six significant places, overflow.
std::optional<std::int64_t> parse_decimal_micro(std::string_view text);
// The shortest decimal of a whole number of 1e-6: "0.5", "2", "-0.25".
std::string micro_to_string(std::int64_t micro);

// "1 GPU", "4 GPUs".
std::string counted(std::int64_t count, std::string_view noun);

// Whether `text` is well-formed UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view text);
// Whether `text` has an ASCII control character, which no one-line value may have.
bool has_control(std::string_view text);

// `value` for a message: control characters and bytes that are not UTF-8 as \xNN, cut after `most`
// bytes of it (never within a character) with "...".
std::string printable(std::string_view value, std::size_t most = 60);
// The lines of `text` that are not blank as one line, for a message.
std::string on_one_line(std::string_view text);
// printable(value) in double quotes.
std::string quoted(std::string_view value);
// Exact matches, because std::quoted (<iomanip>) would be the better one for a std::string.
inline std::string quoted(const std::string& value) {
  return quoted(std::string_view(value));
}
inline std::string quoted(const char* value) {
  return quoted(std::string_view(value));
}

// The up to `most` candidates nearest to `word`, nearest first: at most a third of its length, and
// at least 1, of letters inserted, removed, changed or swapped with the next; in either case.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates,
                                 std::size_t most = 3);
// "; did you mean A, B or C?" for the nearest candidates, or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// Shell-style glob over the whole of `text`: * ? [abc] [!a-z]. A '[' without its ']' is itself.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_TEXT_H_
