// What a payload does to an environment. Knows neither Slurm nor where the environment is; as
// payload_wire.h it needs libc only.
#ifndef COMPUTE_SCALE_LIB_PAYLOAD_ENV_H_
#define COMPUTE_SCALE_LIB_PAYLOAD_ENV_H_

#include "environment.h"
#include "payload_wire.h"

namespace compute_scale {

// Longest name of an entry's variable: Slurm drops variables whose name, here with
// SINGULARITYENV_ in front, has 256 bytes or more (src/common/env.c).
inline constexpr unsigned kVariableNameMost = 240;

// Sets a variable unless it has that value: each one that is set costs a task of Slurm a cleared
// buffer of 256 KiB (ENV_BUFSIZE, Slurm's src/common/env.c), and a step mostly has them already.
bool set_variable(const Environment& environment, const char* name, const char* value);

// Sets the entry's variables with their container twins, SLURM_COMPUTE_SCALE, _ENTRY and _HARDWARE,
// and, before that, the record of what they displace; a record that is there stays, because then
// the variables are already the entry's. Returns null, or what is wrong with the payload, in which
// case the environment is untouched.
const char* apply_payload(const Environment& environment, const WireRecord& payload);

// Corrects the counts of tasks that the payload lists, where Slurm set them. For a batch step.
void correct_task_counts(const Environment& environment, const WireRecord& payload);

// Takes a payload out again: variables of the entry that still have its value get back what they
// displaced, and everything of ours is unset. `payload` may be empty.
void undo_payload(const Environment& environment, const WireRecord& payload);

// The number of devices that a process with this environment sees; -1 where the environment does
// not tell.
int visible_devices(const Environment& environment);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_PAYLOAD_ENV_H_
