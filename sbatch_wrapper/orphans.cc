#include "orphans.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "text.h"

namespace compute_scale {
namespace {

std::vector<pid_t> children() {
  const std::string self = std::to_string(getpid());
  const int fd =
      open(("/proc/" + self + "/task/" + self + "/children").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  close(fd);
  std::vector<pid_t> out;
  for (const std::string_view word : split(text, ' ')) {
    if (const auto pid = parse_digits(trim(word))) out.push_back(static_cast<pid_t>(*pid));
  }
  return out;
}

}  // namespace

void end_children_but(pid_t kept) {
  for (;;) {
    bool any = false;
    for (const pid_t pid : children()) {
      if (pid == kept) continue;
      any = true;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    if (!any) return;
  }
}

}  // namespace compute_scale
