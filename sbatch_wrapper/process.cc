#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace compute_scale {
namespace {

// A pipe whose ends are closed when it goes.
struct Pipe {
  std::array<int, 2> ends = {-1, -1};
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  bool open() { return pipe2(ends.data(), O_CLOEXEC) == 0; }
  void close_end(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// Reads what there is; false at the end of the stream.
bool read_some(int fd, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t size = read(fd, buffer.data(), buffer.size());
  if (size > 0) into.append(buffer.data(), static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && errno == EINTR);
}

// Reads both streams at once, so that neither can fill up and stop the program.
void read_both(int out, int err, ProcessResult& result) {
  std::array<pollfd, 2> streams = {pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  const std::array<std::string*, 2> texts = {&result.output, &result.errors};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (poll(streams.data(), streams.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i].fd < 0 || streams[i].revents == 0) continue;
      if (!read_some(streams[i].fd, *texts[i])) streams[i].fd = -1;
    }
  }
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  return exit_code_of(status);
}

Error cannot_start(const std::string& program, int reason) {
  return submit_error(program + ": cannot be started: " + std::strerror(reason));
}

constexpr std::size_t kStackSize = std::size_t{64} * 1024;

struct Start {
  char* const* argv;
  char* const* environment;
  pid_t parent;
  int out, err;
  int reason;  // of a start that fails, an errno
};

// Becomes the program. It ends with this one, even where that is killed: an sbatch that goes on
// alone could submit a job after all while somebody resumes.
int child_main(void* argument) {
  Start& start = *static_cast<Start*>(argument);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start.parent) _exit(127);
  const int in = open("/dev/null", O_RDONLY);
  if (in >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(start.out, STDOUT_FILENO) >= 0 &&
      dup2(start.err, STDERR_FILENO) >= 0) {
    execvpe(start.argv[0], start.argv, start.environment);
  }
  start.reason = errno;
  _exit(127);
}

}  // namespace

int exit_code_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

pid_t start_borrowing(int (*child)(void*), void* argument) {
  alignas(16) std::array<char, kStackSize> stack;  // NOLINT: the child writes before it reads
  return clone(child, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, argument);
}

Result<ProcessResult> RealProcessRunner::run(const std::vector<std::string>& argv,
                                             const std::vector<std::string>& environment) {
  Pipe out;
  Pipe err;
  if (!out.open() || !err.open()) return cannot_start(argv.front(), errno);
  const std::vector<char*> words = pointers(argv);
  const std::vector<char*> variables = pointers(environment);
  Start start{words.data(), variables.data(), getpid(), out.ends[1], err.ends[1], 0};
  const pid_t pid = start_borrowing(child_main, &start);
  if (pid < 0) return cannot_start(argv.front(), errno);
  out.close_end(1);
  err.close_end(1);
  ProcessResult result;
  if (start.reason == 0) read_both(out.ends[0], err.ends[0], result);
  result.exit_code = wait_for(pid);
  if (start.reason != 0) return cannot_start(argv.front(), start.reason);
  return result;
}

std::vector<std::string> present_environment() {
  std::vector<std::string> out;
  for (char** variable = environ; *variable != nullptr; ++variable) out.emplace_back(*variable);
  return out;
}

}  // namespace compute_scale
