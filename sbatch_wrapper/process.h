// Running another program: the seam at which tests put a fake.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_PROCESS_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "result.h"

namespace compute_scale {

struct ProcessResult {
  int exit_code = 0;  // 128 + signal where one ended it
  std::string output;
  std::string errors;  // stderr
};

class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  // Runs argv[0], found on PATH, with exactly this environment ("NAME=value" each) and an empty
  // stdin, to its end. Errors only where it cannot be started. It does not outlive this program.
  virtual Result<ProcessResult> run(const std::vector<std::string>& argv,
                                    const std::vector<std::string>& environment) = 0;
};

class RealProcessRunner : public ProcessRunner {
 public:
  Result<ProcessResult> run(const std::vector<std::string>& argv,
                            const std::vector<std::string>& environment) override;
};

// Calls `child` in a new process that borrows this one's memory, and returns once it has executed a
// program or has ended: its id, or -1 with errno. (To copy the page tables, and pages as they are
// written meanwhile, would cost more than the rest of a start.) `child` may call what is
// async-signal-safe only; what it writes is seen here.
pid_t start_borrowing(int (*child)(void*), void* argument);

// What waitpid() told of a process, as a shell tells it: its exit code, or 128 + the signal.
int exit_code_of(int wait_status);

// The environment of this program, as "NAME=value".
std::vector<std::string> present_environment();

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_PROCESS_H_
