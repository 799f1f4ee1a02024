// What the fuzz targets share. A target gets any bytes and must neither crash nor break a promise.
#ifndef COMPUTE_SCALE_TESTS_FUZZ_FUZZ_H_
#define COMPUTE_SCALE_TESTS_FUZZ_FUZZ_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "result.h"
#include "text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace compute_scale::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the run as a finding, with the promise that was broken.
inline void require(bool kept, const char* promise, std::string_view about = "") {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s: %.*s\n", promise, static_cast<int>(about.size()),
               about.data());
  std::abort();
}

// Every error is one line that a terminal can show.
inline void require_line(std::string_view text) {
  require(!text.empty(), "an error says something");
  require(!has_control(text), "an error is one line", text);
  require(is_utf8(text), "an error is UTF-8", text);
  require(text.size() < 2000, "an error is short", text);
}

// Whether there is a value to go on with.
template <typename T>
bool good(const Result<T>& result) {
  if (!result.ok()) require_line(result.error().text);
  return result.ok();
}

}  // namespace compute_scale::fuzz

#endif  // COMPUTE_SCALE_TESTS_FUZZ_FUZZ_H_
