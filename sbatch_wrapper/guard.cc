#include "guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace compute_scale {
namespace {

// Memory is taken as they are used. The first one holds how many are.
constexpr pid_t kSlots = 1 << 22;
constexpr std::size_t kBytes = sizeof(pid_t) * kSlots;

[[noreturn]] void guard_main(int pipe, const pid_t* groups) {
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  // Nothing that the caller waits for the end of must stay open here.
  dup2(pipe, STDIN_FILENO);
  syscall(SYS_close_range, STDIN_FILENO + 1, ~0U, 0);
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
  }
  const auto used = static_cast<std::size_t>(groups[0]);
  for (std::size_t slot = 1; slot <= used; ++slot) {
    if (groups[slot] > 0) kill(-groups[slot], SIGKILL);
  }
  _exit(0);
}

}  // namespace

Guard::~Guard() {
  if (pipe_ >= 0) close(pipe_);
  while (pid_ > 0 && waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (groups_ != nullptr) munmap(groups_, kBytes);
}

Status Guard::start() {
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return submit_error(std::string("mmap: ") + std::strerror(errno));
  groups_ = static_cast<pid_t*>(memory);
  std::array<int, 2> ends = {-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return submit_error(std::string("pipe: ") + std::strerror(errno));
  }
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[1]);
    guard_main(ends[0], groups_);
  }
  close(ends[0]);
  pipe_ = ends[1];
  if (pid_ < 0) return submit_error(std::string("fork: ") + std::strerror(errno));
  return Done{};
}

void Guard::watch(std::size_t slot, pid_t group) {
  if (slot + 1 >= kSlots) return;
  groups_[slot + 1] = group;
  groups_[0] = std::max(groups_[0], static_cast<pid_t>(slot + 1));
}

}  // namespace compute_scale
