// Reading a whole file that the library is given.
#ifndef COMPUTE_SCALE_LIB_READ_FILE_H_
#define COMPUTE_SCALE_LIB_READ_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "result.h"

namespace compute_scale {

// The most bytes of a file that people write (a config, task, package or script), and of one that a
// run keeps for itself.
inline constexpr std::size_t kMostWritten = std::size_t{4} << 20;
inline constexpr std::size_t kMostRecorded = std::size_t{1} << 30;

// The bytes of a regular file (links followed), without a UTF-8 byte order mark, CRLF as LF. Errors
// name the file and the reason: missing, unreadable, a folder or device, more than `most` bytes,
// NUL.
Result<std::string> read_text_file(const std::string& file, std::size_t most = kMostWritten);

// The same bytes of any kind, as they are: NUL is no error.
Result<std::string> read_binary_file(const std::string& file, std::size_t most = 64u << 20);

// `bytes` without a UTF-8 byte order mark and with CRLF as LF.
std::string unix_text(std::string_view bytes);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_READ_FILE_H_
