// Slurm's side of SPANK, as much of it as the plugin meets. The functions that a plugin calls
// (spank_*, slurm_error, ...) are exported from the test program, as from Slurm's own.
#ifndef COMPUTE_SCALE_TESTS_PLUGIN_FAKE_SLURM_H_
#define COMPUTE_SCALE_TESTS_PLUGIN_FAKE_SLURM_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

extern "C" {
#include <slurm/spank.h>
}

namespace compute_scale_test {

struct RegisteredOption {
  std::string name;
  spank_opt_cb_f callback;
  int value;
  bool used = false;
  std::string argument;
};

// One per process; the tests fork for each run.
struct FakeSlurm {
  spank_context_t context = S_CTX_ERROR;
  std::vector<RegisteredOption> options;
  std::map<std::string, std::string> job_control;  // spank_job_control_setenv and _unsetenv
  std::vector<std::string> step_environment;       // of a job step, "NAME=value"
  unsigned step_id = 0;
  unsigned job_id = 0;
  int task_id = 0;                              // on its node
  std::function<void(const std::string&)> log;  // takes "error: ...", "info: ..."
};

FakeSlurm& fake_slurm();

}  // namespace compute_scale_test

#endif  // COMPUTE_SCALE_TESTS_PLUGIN_FAKE_SLURM_H_
