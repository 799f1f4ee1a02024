// The program that runs a step on this machine: what is executed, with which environment, where.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_STEP_PROGRAM_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_STEP_PROGRAM_H_

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "local_program.h"
#include "plan.h"
#include "result.h"
#include "run_settings.h"

namespace compute_scale {

struct StepProgram {
  std::string path;               // of what is executed; empty: it is not on PATH
  std::vector<std::string> argv;  // its words
  bool direct = false;            // without a shell; `in_shell` is the same with one
  std::vector<std::string> in_shell;
  std::vector<std::string> assignments;  // "NAME=value": over the caller's environment
  std::string output_dir;                // to be made before; empty: the program does it
  std::string working_dir, fallback_dir;
};

// Makes the programs of a run's steps. Without a container that is the step's own program, with one
// the step's job script, which takes the devices that it sees for those of its job.
class StepPrograms {
 public:
  // `environment`: the caller's, "NAME=value" each. Plan (of one step per job) and settings must
  // live as long as this.
  StepPrograms(const Plan& plan, const RunSettings& settings, std::vector<std::string> environment);

  // Whether steps write their logs and records themselves: job scripts do.
  bool by_script() const { return settings_.backend != Backend::kLocal; }

  // The program of step number `step` on `devices` ("0,1"). Errors are those of step_context().
  Result<StepProgram> make(std::size_t step, const std::string& devices);

  // The caller's environment with the program's assignments, a null pointer at its end. The words
  // belong to this and to `program`.
  std::vector<char*> environment(StepProgram& program) const;

 private:
  Result<StepProgram> make_local(const Step& step, const std::string& devices);
  StepProgram make_script(std::size_t step, const std::string& devices);
  void assign(const LocalProgram& from, StepProgram& program) const;
  const char* value_of(std::string_view name) const;
  std::string search_path(const StepProgram& program) const;
  const std::string& find(const std::string& word, const std::string& search_path);

  const Plan& plan_;
  const RunSettings& settings_;
  std::vector<std::string> base_;
  std::unordered_map<std::string_view, std::size_t> base_index_;  // by name, into base_
  bool bash_settings_ = false;                                    // the base has such variables
  std::vector<std::size_t> job_of_step_;
  std::map<std::pair<std::string, std::string>, std::string> found_;  // by search path and word
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_STEP_PROGRAM_H_
