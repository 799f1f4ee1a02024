#include "step_launch.h"

#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "process.h"

namespace compute_scale {
namespace {

// Shared with the child, which runs in the caller's memory until it executes the program. It may
// call what is async-signal-safe only.
struct Shared {
  Launch& launch;
  pid_t parent;
  Launched result;
};

int fail(Shared& shared, const char* what) {
  shared.result.error = errno;
  shared.result.failed = what;
  _exit(127);
}

void enter_folder(Shared& shared) {
  Launch& launch = shared.launch;
  if (launch.working_dir == nullptr || chdir(launch.working_dir) == 0) return;
  if (launch.fallback_dir == nullptr || chdir(launch.fallback_dir) != 0) fail(shared, "chdir");
  for (char*& variable : launch.environment) {
    if (variable != nullptr && std::strncmp(variable, "PWD=", 4) == 0) {
      variable = launch.fallback_pwd.data();
    }
  }
  const std::string& notice = launch.fallback_notice;
  if (write(STDOUT_FILENO, notice.data(), notice.size()) < 0) return;  // the step goes on
}

int child(void* argument) {
  Shared& shared = *static_cast<Shared*>(argument);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != shared.parent) _exit(127);  // it ended before the line above
  setsid();
  if (dup2(shared.launch.input, STDIN_FILENO) < 0 ||
      dup2(shared.launch.output, STDOUT_FILENO) < 0 ||
      dup2(shared.launch.output, STDERR_FILENO) < 0) {
    fail(shared, "dup2");
  }
  // Files that the caller inherited without close-on-exec. Kernels before 5.11 lack the call.
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  enter_folder(shared);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(shared.launch.program, shared.launch.argv.data(), shared.launch.environment.data());
  return fail(shared, "exec");
}

}  // namespace

Launched launch(Launch& launch) {
  Shared shared{launch, getpid(), {}};
  const pid_t pid = start_borrowing(child, &shared);
  if (pid < 0) return {-1, errno, "clone"};
  shared.result.pid = pid;
  return shared.result;
}

void use_default_signals() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action = {};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_IGN) continue;
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, nullptr);
  }
}

}  // namespace compute_scale
