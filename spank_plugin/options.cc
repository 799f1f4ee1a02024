#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "payload_wire.h"

namespace compute_scale {
namespace {

// Slurm writes option and plugin name into these (_opt_env_name in its src/common/spank.c).
#define PASSED_ON "_SLURM_SPANK_OPTION_" COMPUTE_SCALE_PLUGIN_NAME "_"

struct OptionText {
  // SPANK's struct has no const; it copies the texts.
  char name[24];
  char argument[24];
  char usage[120];
  const char* twin;         // with SBATCH_, SALLOC_ or SLURM_ in front
  const char* job_control;  // with SLURM_SPANK_ in front where Slurm reads it back
  const char* payload_key;  // what the job shows under SLURM_<twin>, or null
};

OptionText texts[kOptionCount] = {
    {"compute-scale", "factor|hardware|auto",
     "scale the GPU counts of the request: a factor, a hardware name or auto", "COMPUTE_SCALE",
     PASSED_ON "compute_scale", "scale"},
    {"compute-entry", "task[/label]",
     "the task entry that the job runs: its profile gives GPU count and environment",
     "COMPUTE_ENTRY", PASSED_ON "compute_entry", "entry"},
    {"compute-unprofiled", "keep|scale|refuse",
     "what to do with several GPUs that no profile covers (default: the site's, keep)",
     "COMPUTE_UNPROFILED", PASSED_ON "compute_unprofiled", nullptr},
};

struct OptionState {
  char* value;  // for the present component
  char* twin;   // what the environment named; null where Slurm reads it for every component
};

OptionState states[kOptionCount];
bool registered;
bool used;

void replace(char** target, const char* value) {
  free(*target);
  *target = value == nullptr ? nullptr : strdup(value);
}

struct VariableName {
  char text[80];
};

VariableName passed_on_name(const OptionText& option) {
  VariableName name;
  snprintf(name.text, sizeof name.text, "SLURM_SPANK_%s", option.job_control);
  return name;
}

const char* twin_prefix(Command command) {
  switch (command) {
    case Command::kSbatch:
      return "SBATCH_";
    case Command::kSalloc:
      return "SALLOC_";
    default:
      return "SLURM_";
  }
}

// srun's twins have the names under which a scaled job shows its payload.
bool repeats_payload(const OptionText& option, const char* value, const WireRecord& payload) {
  const char* shown =
      option.payload_key == nullptr ? nullptr : wire_get(&payload, option.payload_key);
  return shown != nullptr && strcmp(shown, value) == 0;
}

// Runs once per source that names the option, the last one is the one that counts. It must not fail
// on a bad value: Slurm would add a second line to ours. The library judges the values.
int remember(int which, const char* value, int remote) {
  if (remote != 0) return ESPANK_SUCCESS;
  replace(&states[which].value, value);
  used = true;
  const char* twin = getenv(passed_on_name(texts[which]).text);
  if (twin != nullptr && strcmp(twin, value) == 0) replace(&states[which].twin, value);
  return ESPANK_SUCCESS;
}

}  // namespace

void register_options(spank_t spank) {
  if (registered) return;
  registered = true;
  for (int i = 0; i < kOptionCount; ++i) {
    OptionText& text = texts[i];
    spank_option option = {text.name, text.argument, text.usage, 1, i, remember};
    spank_option_register(spank, &option);
  }
}

// Slurm reads a variable of its own form between directives and command line, so the twin is handed
// to it in that form: then the precedence is Slurm's.
void take_twins(Command command, const char* job_payload) {
  WireRecord payload = {nullptr, 0, nullptr};
  if (job_payload != nullptr && command == Command::kSrun) wire_decode(job_payload, &payload);
  for (const OptionText& option : texts) {
    VariableName twin;
    snprintf(twin.text, sizeof twin.text, "%s%s", twin_prefix(command), option.twin);
    const char* value = getenv(twin.text);
    const VariableName passed_on = passed_on_name(option);
    unsetenv(passed_on.text);
    if (value != nullptr && !repeats_payload(option, value, payload)) {
      setenv(passed_on.text, value, 1);
    }
  }
  wire_free(&payload);
}

const char* option_value(Option option) {
  return states[static_cast<int>(option)].value;
}

bool any_option_named() {
  for (const OptionState& state : states) {
    if (state.value != nullptr) return true;
  }
  return false;
}

// The variable in Slurm's form stays in sbatch alone, where a directive of a later component must
// still lose against it; slurmstepd takes it out of the job. salloc's would reach the user's shell.
void finish_component(spank_t spank, Command command) {
  if (!used) return;
  for (int i = 0; i < kOptionCount; ++i) {
    spank_job_control_unsetenv(spank, texts[i].job_control);
    unsetenv(texts[i].job_control);
    const bool read_again = command == Command::kSbatch;
    if (!read_again) unsetenv(passed_on_name(texts[i]).text);
    replace(&states[i].value, read_again ? nullptr : states[i].twin);
  }
}

void unset_passed_on(const Environment& environment) {
  for (const OptionText& option : texts) {
    const VariableName name = passed_on_name(option);
    if (environment.get(environment.handle, name.text) != nullptr) {
      environment.unset(environment.handle, name.text);
    }
  }
}

}  // namespace compute_scale
