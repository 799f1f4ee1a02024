// The bash functions that every job script carries.
#ifndef COMPUTE_SCALE_LIB_SCRIPT_FUNCTIONS_H_
#define COMPUTE_SCALE_LIB_SCRIPT_FUNCTIONS_H_

#include <string_view>

namespace compute_scale {

// For bash 4.2 and later. Expects `run_dir`, `compute_scale` and `job_seconds`; a step is a
// function that sets
//   name, log, result, record (members of its record's JSON object), argv
//   limit (seconds; unset: only Slurm's limit of the job)
// and calls make_output_dir, use_devices, start_in, bind_path and make_scratch as it needs. A step
// that cannot start sets `problem` through them.
extern const std::string_view kScriptFunctions;

// What comes before the lanes: the devices of the job, and signals passed on to its steps.
extern const std::string_view kJobStart;

// name_container and what else the steps of docker and podman call; find_host_gpus is to be called
// behind kJobStart.
extern const std::string_view kContainerFunctions;
// start_session and in_session, for steps that share a container.
extern const std::string_view kSessionFunctions;
extern const std::string_view kPyxisFunctions;

// require_scale, for scripts whose values belong to one scale.
extern const std::string_view kFixedFunctions;

// use_all_devices and take_entry_env, for scripts that take their scale from the plugin.
extern const std::string_view kNeutralFunctions;

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_SCRIPT_FUNCTIONS_H_
