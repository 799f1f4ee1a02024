// The bash functions that every job script carries.
#ifndef COMPUTE_SCALE_LIB_SCRIPT_FUNCTIONS_H_
#define COMPUTE_SCALE_LIB_SCRIPT_FUNCTIONS_H_

#include <string_view>

namespace compute_scale {

// For bash 4.2 and later. Expects `run_dir` and `compute_scale`; a step is a function that sets
//   name, log, result, record (members of its record's JSON object), argv
// and calls make_output_dir, use_devices, start_in, bind_path and make_scratch as it needs. A step
// that cannot start sets `problem` through them.
extern const std::string_view kScriptFunctions;

// What comes before the lanes: the devices of the job, and signals passed on to its steps.
extern const std::string_view kJobStart;

// require_scale, for scripts whose values belong to one scale.
extern const std::string_view kFixedFunctions;

// use_all_devices and take_entry_env, for scripts that take their scale from the plugin.
extern const std::string_view kNeutralFunctions;

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_SCRIPT_FUNCTIONS_H_
