// A parsed JSON or YAML document, with every value as it was written.
#ifndef COMPUTE_SCALE_LIB_DOC_VALUE_H_
#define COMPUTE_SCALE_LIB_DOC_VALUE_H_

#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace compute_scale {

struct DocValue {
  enum class Kind { kNull, kBool, kNumber, kText, kList, kMap };

  Kind kind = Kind::kNull;
  int line = 0;                 // where it starts, 1-based; YAML only
  std::string key;              // its name, where it is a member of a map
  std::string text;             // of a scalar: "true", "4.0"; a text without its quotes
  std::vector<DocValue> items;  // of a list or map, in the order in which they were written

  bool is_scalar() const { return kind != Kind::kList && kind != Kind::kMap; }
};

constexpr std::size_t kMostNesting = 64;

// Both parsers keep every key of a map once, and refuse in one line that starts with `file`:
// syntax errors (with the line), duplicate keys, NUL in a text, deeper nesting than
// kMostNesting. Neither throws, and neither needs more stack for a deeper text.

// JSON (RFC 8259). Errors are task errors.
Result<DocValue> parse_json(std::string_view text, const std::string& file);

// One YAML document in which every scalar but null is a text, whatever it looks like; an empty
// document is null. Aliases and keys that are not scalars are refused as well. Errors are usage
// errors.
Result<DocValue> parse_yaml(std::string_view text, const std::string& file);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_DOC_VALUE_H_
