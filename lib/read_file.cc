#include "read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "text.h"

namespace compute_scale {
namespace {

class Descriptor {
 public:
  // Non-blocking: a pipe without a writer must not hang us before we can refuse it.
  explicit Descriptor(const std::string& file)
      : number_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

Error refuse(const std::string& file, const std::string& reason) {
  return usage_error(printable(file, 4096) + ": " + reason);
}

Error system_failure(const std::string& file) {
  return refuse(file, "cannot be read: " + std::generic_category().message(errno));
}

Status check_kind(int descriptor, const std::string& file) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return system_failure(file);
  if (S_ISDIR(status.st_mode)) return refuse(file, "is a folder; expected a file");
  if (!S_ISREG(status.st_mode)) return refuse(file, "is not a regular file");
  return Done{};
}

Result<std::string> read_bytes(int descriptor, const std::string& file, std::size_t most) {
  std::string bytes;
  std::array<char, 65536> part;
  for (;;) {
    const ssize_t size = read(descriptor, part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return system_failure(file);
    if (size == 0) return bytes;
    bytes.append(part.data(), static_cast<std::size_t>(size));
    if (bytes.size() > most) {
      return refuse(file, "is larger than " + std::to_string(most) + " bytes");
    }
  }
}

}  // namespace

std::string unix_text(std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (starts_with(bytes, kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool line_end = bytes[i] == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n';
    if (!line_end) text += bytes[i];
  }
  return text;
}

Result<std::string> read_binary_file(const std::string& file, std::size_t most) {
  if (file.find('\0') != std::string::npos) return refuse(file, "a file name cannot hold NUL");
  const Descriptor descriptor(file);
  if (descriptor.number() < 0) return system_failure(file);
  COMPUTE_SCALE_CHECK(check_kind(descriptor.number(), file));
  return read_bytes(descriptor.number(), file, most);
}

Result<std::string> read_text_file(const std::string& file, std::size_t most) {
  COMPUTE_SCALE_TRY(bytes, read_binary_file(file, most));
  if (bytes.find('\0') != std::string::npos) {
    return refuse(file, "holds a NUL byte; expected UTF-8 text");
  }
  return unix_text(bytes);
}

}  // namespace compute_scale
