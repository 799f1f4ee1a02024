// Small pure helpers on text that the standard library lacks.
#ifndef COMPUTE_SCALE_LIB_TEXT_H_
#define COMPUTE_SCALE_LIB_TEXT_H_

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
std::string_view trim(std::string_view text);
bool starts_with(std::string_view text, std::string_view prefix);

// A number of decimal digits only, or nothing (also on overflow).
std::optional<std::int64_t> parse_digits(std::string_view text);

// A plain decimal ("12", "0.5", ".5") as a whole number of 1e-6, or nothing: sign, exponent, more
// than six significant places, overflow.
std::optional<std::int64_t> parse_decimal_micro(std::string_view text);
// The shortest decimal of a whole number of 1e-6.
std::string micro_to_string(std::int64_t micro);

// `value` in double quotes for a message: control characters as \xNN, cut after 60 bytes with
// "...".
std::string quoted(std::string_view value);

// The up to `most` candidates nearest to `word` (edit distance at most a third of its length, at
// least 1), nearest first.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates,
                                 std::size_t most = 3);
// "; did you mean A or B?" for the nearest candidates, or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// Shell-style glob: * ? [abc] [!a-z].
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_TEXT_H_
