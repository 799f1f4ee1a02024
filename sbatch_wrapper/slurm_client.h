// Calls of Slurm's commands.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_SLURM_CLIENT_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_SLURM_CLIENT_H_

#include <string>
#include <string_view>
#include <vector>

#include "process.h"
#include "result.h"

namespace compute_scale {

struct JobId {
  std::string id;
  std::string cluster;  // empty unless sbatch names one (a federation)
};

// The answer of `sbatch --parsable`: its last line of the form "id" or "id;cluster"; what a login
// banner or a plugin printed around it is passed over. Error: there is none.
Result<JobId> parse_sbatch_answer(std::string_view output);

// `environment` without what a surrounding job or its submission left: the variables that the
// plugin set for its entry, SLURM_* but for SLURM_CONF, SBATCH_*, SALLOC_* and SRUN_*.
std::vector<std::string> submission_environment(std::vector<std::string> environment);

class SlurmClient {
 public:
  SlurmClient(ProcessRunner& runner, std::vector<std::string> environment)
      : runner_(runner), environment_(std::move(environment)) {}

  // Runs `argv` (sbatch with --parsable). What sbatch said on stderr although it succeeded is put
  // into `said`. Errors hold sbatch's own words on one line.
  Result<JobId> submit(const std::vector<std::string>& argv, std::string& said);

 private:
  ProcessRunner& runner_;
  std::vector<std::string> environment_;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_SLURM_CLIENT_H_
