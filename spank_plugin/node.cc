#include "node.h"

#include <slurm/slurm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit_record.h"
#include "environment.h"
#include "log.h"
#include "options.h"
#include "payload_env.h"
#include "slurm_options.h"

namespace compute_scale {
namespace {

// Where sbatch --export-file left the payload (client.cc).
constexpr char kPayloadFromJobControl[] = "SLURM_SPANK_COMPUTE_SCALE_PAYLOAD";

char** step_variables(spank_t spank) {
  char** variables = nullptr;
  return spank_get_item(spank, S_JOB_ENV, &variables) == ESPANK_SUCCESS ? variables : nullptr;
}

// spank_getenv would copy into a buffer of guessed size.
const char* get(void* handle, const char* name) {
  const size_t length = strlen(name);
  char** variables = step_variables(static_cast<spank_t>(handle));
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const char* variable = *variables;
    if (strncmp(variable, name, length) == 0 && variable[length] == '=') {
      return variable + length + 1;
    }
  }
  return nullptr;
}

bool set(void* handle, const char* name, const char* value) {
  return spank_setenv(static_cast<spank_t>(handle), name, value, 1) == ESPANK_SUCCESS;
}

void unset(void* handle, const char* name) {
  spank_unsetenv(static_cast<spank_t>(handle), name);
}

bool is_batch_step(spank_t spank) {
  uint32_t id = 0;
  return spank_get_item(spank, S_JOB_STEPID, &id) == ESPANK_SUCCESS && id == SLURM_BATCH_SCRIPT;
}

int component_of_step(spank_t spank) {
  uint32_t job = 0;
  if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS) return -1;
  char** variables = step_variables(spank);
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const int component = component_told(*variables, job);
    if (component >= 0) return component;
  }
  return -1;
}

bool belongs_to_other_component(spank_t spank, const WireRecord& payload) {
  const char* component = wire_get(&payload, "het");
  const int own = component_of_step(spank);
  return own >= 0 && own != (component == nullptr ? 0 : atoi(component));
}

// What the environment does not say of the devices, the payload's count of the job does.
void count_devices(const Environment& environment, const WireRecord& payload) {
  const int devices = visible_devices(environment);
  char count[24];
  snprintf(count, sizeof count, "%d", devices);
  const char* told = devices >= 0 ? count : wire_get(&payload, "gpus");
  if (told != nullptr) set_variable(environment, kGpusVariable, told);
}

// Once for the step on this node. Slurm puts job and step in front, and the line into slurmd's log.
void log_payload(spank_t spank, const WireRecord& payload) {
  int task = 0;
  if (spank_get_item(spank, S_TASK_ID, &task) != ESPANK_SUCCESS || task != 0) return;
  char* text = audit_text(payload);
  if (text != nullptr) slurm_verbose("%s", text);
  free(text);
}

// Returns why the task must not run, or null.
const char* use_payload(spank_t spank, const Environment& environment, const WireRecord& payload) {
  if (belongs_to_other_component(spank, payload)) {
    undo_payload(environment, payload);
    return nullptr;
  }
  if (const char* fault = apply_payload(environment, payload); fault != nullptr) return fault;
  if (is_batch_step(spank)) correct_task_counts(environment, payload);
  log_payload(spank, payload);
  count_devices(environment, payload);
  return nullptr;
}

// Moves the payload to the variable that the steps of this job pass on.
void take_from_job_control(const Environment& environment) {
  const char* left = environment.get(environment.handle, kPayloadFromJobControl);
  char* payload = left == nullptr ? nullptr : strdup(left);
  if (payload == nullptr) return;
  environment.unset(environment.handle, kPayloadFromJobControl);
  environment.set(environment.handle, kPayloadVariable, payload);
  free(payload);
}

}  // namespace

void node_task_init(spank_t spank) {
  const Environment environment = {spank, get, set, unset};
  unset_passed_on(environment);
  take_from_job_control(environment);
  const char* text = environment.get(environment.handle, kPayloadVariable);
  if (text == nullptr) return;
  WireRecord payload = {nullptr, 0, nullptr};
  const WireError error = wire_decode(text, &payload);
  const char* fault =
      error == WireError::kNone ? use_payload(spank, environment, payload) : wire_error_text(error);
  wire_free(&payload);
  if (fault == nullptr) return;
  complain("%s cannot be used: %s", kPayloadVariable, fault);
  _exit(1);
}

}  // namespace compute_scale
