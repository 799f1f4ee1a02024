// The text form of what a scaled job carries with it: `1;key=value;key=value`.
//
// The plugin reads it in slurmstepd, so this file needs libc only: no std:: types, no exceptions,
// no operator new. Bytes of keys and values outside [A-Za-z0-9_.:/+-] are written as %XX.
#ifndef COMPUTE_SCALE_LIB_PAYLOAD_WIRE_H_
#define COMPUTE_SCALE_LIB_PAYLOAD_WIRE_H_

#include <stddef.h>

namespace compute_scale {

// The variables that hold it. The prefix lets them survive `sbatch --export=NONE` on every version.
// The payload's keys are listed in payload.h. The displaced record has one pair NAME=value for each
// variable that was set before the entry's environment took its place (APPTAINERENV_NAME and
// SINGULARITYENV_NAME included); a variable without a pair was unset.
inline constexpr char kPayloadVariable[] = "SLURM_COMPUTE_SCALE_PAYLOAD";
inline constexpr char kDisplacedVariable[] = "SLURM_COMPUTE_SCALE_DISPLACED";

// What a job and its steps see (the twin of srun's options has the same name for the first two).
inline constexpr char kScaleVariable[] = "SLURM_COMPUTE_SCALE";
inline constexpr char kEntryVariable[] = "SLURM_COMPUTE_ENTRY";
inline constexpr char kHardwareVariable[] = "SLURM_COMPUTE_HARDWARE";
inline constexpr char kGpusVariable[] = "SLURM_COMPUTE_GPUS";

// A variable of an entry is also set under these prefixes, for containers that the job starts.
inline constexpr const char* kTwinPrefixes[] = {"APPTAINERENV_", "SINGULARITYENV_"};

// Linux refuses a string of 128 KiB in an environment (MAX_ARG_STRLEN in execve(2)): a text, with
// its variable's name, '=' and the closing NUL, has to stay below.
inline constexpr size_t kEnvironmentStringMost = 131071;
inline constexpr size_t kWirePairsMost = 4096;

struct WirePair {
  const char* key;
  const char* value;
};

// Owned by wire_decode's caller; wire_free it. All null or 0 where nothing was decoded.
struct WireRecord {
  WirePair* pairs;
  size_t size;
  char* storage;
};

enum class WireError {
  kNone,
  kVersion,    // does not begin with "1"
  kSyntax,     // a pair without '=' or key, a bad %XX, a byte that should be %XX, %00
  kDuplicate,  // a key twice
  kTooLong,    // more than kEnvironmentStringMost bytes or kWirePairsMost pairs
  kMemory,
};

// One sentence per error, for messages.
const char* wire_error_text(WireError error);

// Fills `record` from `text`; on an error it is left empty. Any input is safe.
WireError wire_decode(const char* text, WireRecord* record);
void wire_free(WireRecord* record);

// The text of the pairs in their order, to be freed with free(); null without memory.
char* wire_encode(const WirePair* pairs, size_t size);

// The value of `key`, or null.
const char* wire_get(const WireRecord* record, const char* key);

// Whether an entry may set a variable of this name: [A-Za-z_][A-Za-z0-9_]*, and not one by which
// Slurm or the dynamic linker is steered (SLURM_, SPANK_, SBATCH_, SALLOC_, SRUN_, LD_).
bool payload_env_name_allowed(const char* name);

// Whether `name` is one of Slurm's counts of tasks, which the batch step may correct because sbatch
// captures them before a plugin can change the request (_opt_verify in Slurm's src/sbatch/opt.c).
bool payload_slurm_name_allowed(const char* name);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_PAYLOAD_WIRE_H_
