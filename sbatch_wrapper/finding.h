// What doctor has to say of one thing.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_FINDING_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_FINDING_H_

#include <string>
#include <vector>

namespace compute_scale {

enum class Grade { kOk, kWarning, kProblem };

struct Finding {
  Grade grade = Grade::kOk;
  std::string check;  // "slurm", "plugstack", …
  std::string found;  // one line
  std::string mend;   // what to do; empty: nothing
};
using Findings = std::vector<Finding>;

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_FINDING_H_
