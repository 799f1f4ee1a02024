// What a run's scripts depend on besides its plan.
#ifndef COMPUTE_SCALE_LIB_RUN_SETTINGS_H_
#define COMPUTE_SCALE_LIB_RUN_SETTINGS_H_

#include <map>
#include <string>
#include <vector>

#include "container.h"
#include "package.h"
#include "plan.h"
#include "run_config.h"

namespace compute_scale {

// Folders are absolute; those that no config sets are empty.
struct RunSettings {
  Backend backend = Backend::kApptainer;
  std::string exp_name;
  std::string run_dir;
  std::string save_path;
  std::string workspace_root;
  std::string data_root;
  std::string project_root;
  std::string home;
  std::vector<std::string> container_flags;  // the site's, for this backend
  SlurmConfig slurm;
  bool plugin = false;                   // scripts of one entry also carry the plugin's options
  bool neutral = false;                  // and leave the scale to the submission
  std::string config_file;               // the run config; empty: none
  std::vector<std::string> sbatch_args;  // the user's, for every submission of the run
  bool local = false;                    // a run on this machine, without Slurm
  std::map<std::string, std::string> task_dirs;  // by task name
  std::map<std::string, Package> packages;       // by name; those of the plan's entries
};

// What jobs get where their entries name nothing.
DefaultResources default_resources(const SlurmConfig& slurm);
// What a node has, as far as the config says so.
NodeLimits node_limits(const SlurmConfig& slurm);

// What the command of a step depends on besides its entry. Error: no file for its package. The
// context refers to `settings`.
Result<ContainerContext> step_context(const Plan& plan, const Step& step,
                                      const RunSettings& settings);

// The command of a step of `plan`; errors name the entry. `in_session`: see ContainerContext.
Result<StepCommand> step_command(const Plan& plan, const Step& step, const RunSettings& settings,
                                 bool in_session = false);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_RUN_SETTINGS_H_
