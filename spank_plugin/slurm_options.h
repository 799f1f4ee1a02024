// The request of sbatch, salloc or srun, read and changed by the names of its options.
//
// The only part that knows how Slurm holds it: each of the three programs exports its option record
// as the symbol `opt`, and libslurmfull exports slurm_option_get, _set, _isset and _reset, the
// calls that cli_filter plugins use (Slurm's src/common/slurm_opt.h; unchanged from 20.11
// to 26.05). They are looked up at run time, so that a Slurm without them refuses our options and
// nothing else.
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_SLURM_OPTIONS_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_SLURM_OPTIONS_H_

#include <stddef.h>

#include "client_api.h"

namespace compute_scale {

enum class Command { kOther, kSbatch, kSalloc, kSrun };

// Which program this process is; scrontab and scrun are kOther.
Command running_command();
const char* command_name(Command command);

// The name of a symbol that this Slurm does not offer, or null where a request can be rewritten.
// Where it is not null, no option is set for the functions below, and none can be.
const char* missing_request_symbol();

inline constexpr size_t kRequestOptionsMost = 24;

// The options that matter to a rewrite, as far as they are given. Filled by read_request.
struct Request {
  compute_scale_request_option options[kRequestOptionsMost];
  size_t size;
};

// Reads the request. `repeats_environment`: mark values that only repeat SLURM_GPUS and its like,
// which srun takes over from the job that it runs in.
// The values stay Slurm's allocations and are never freed: the command ends soon, and Slurm's own
// function for it is no interface.
Request read_request(bool repeats_environment);

// Whether anybody typed an option that asks for GPUs.
bool asks_for_gpus(const Request& request);

// A null value takes the option back. False where Slurm does not take the value.
bool set_option(const char* name, const char* value);

bool option_is_set(const char* name);

// The component that srun --het-group names; -1 where it names none.
int het_group();

// On the node: the component of a het job that `variable` of a step's environment, for example
// SLURM_JOB_ID_HET_GROUP_1=42, tells for job 42; -1 if it does not.
int component_told(const char* variable, unsigned job);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_SLURM_OPTIONS_H_
