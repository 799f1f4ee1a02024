// Running another program: the seam at which tests put a fake.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_PROCESS_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_PROCESS_H_

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

// What waitpid() told of a process, as a shell tells it: its exit code, or 128 + the signal.
int exit_code_of(int wait_status);

// The environment of this program, as "NAME=value".
std::vector<std::string> present_environment();

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_PROCESS_H_
