// Our three options: their registration, and who named them.
//
// An option can be named on the command line, by its twin in the environment (SBATCH_COMPUTE_SCALE
// and so on), or by a #SBATCH line; Slurm's precedence holds. What Slurm itself passes on from a
// surrounding job is no naming: the meaning of that is in the payload.
#ifndef COMPUTE_SCALE_SPANK_PLUGIN_OPTIONS_H_
#define COMPUTE_SCALE_SPANK_PLUGIN_OPTIONS_H_

#include "environment.h"
#include "slurm_options.h"
#include "spank.h"

namespace compute_scale {

enum class Option { kScale, kEntry, kUnprofiled };
inline constexpr int kOptionCount = 3;

// In slurm_spank_init only. A second call does nothing.
void register_options(spank_t spank);

// In slurm_spank_init of a command: drops what a surrounding job passed on, and makes Slurm see the
// twins of this command. `job_payload`: the surrounding job's, or null.
void take_twins(Command command, const char* job_payload);

// What the option was set to for the present component; null where nobody named it.
const char* option_value(Option option);
bool any_option_named();

// After a component is dealt with: the next one starts from the twins, and nothing that Slurm
// passes on to the job names an option again.
void finish_component(spank_t spank, Command command);

// Unsets the variables by which Slurm passes our options on.
void unset_passed_on(const Environment& environment);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SPANK_PLUGIN_OPTIONS_H_
