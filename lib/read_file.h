// Reading a whole file that the library is given.
#ifndef COMPUTE_SCALE_LIB_READ_FILE_H_
#define COMPUTE_SCALE_LIB_READ_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "result.h"

namespace compute_scale {

// The bytes of a regular file (links followed), without a UTF-8 byte order mark, CRLF as LF. Errors
// name the file and the reason: missing, unreadable, a folder or device, more than `most` bytes,
// NUL.
Result<std::string> read_text_file(const std::string& file, std::size_t most = 16u << 20);

// The same bytes of any kind, as they are: NUL is no error.
Result<std::string> read_binary_file(const std::string& file, std::size_t most = 64u << 20);

// `bytes` without a UTF-8 byte order mark and with CRLF as LF.
std::string unix_text(std::string_view bytes);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_READ_FILE_H_
