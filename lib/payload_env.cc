#include "payload_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <initializer_list>

namespace compute_scale {
namespace {

constexpr size_t kNameSize = 320;
constexpr const char* kNoTwin = "";

const char* after(const char* text, const char* prefix) {
  const size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? text + length : nullptr;
}

const char* entry_variable(const WirePair& pair) {
  return after(pair.key, "env.");
}

const char* slurm_variable(const WirePair& pair) {
  return after(pair.key, "slurm.");
}

// `value` as a twin carries it, in new memory: apptainer and singularity write it between double
// quotes into a script that the container's start runs, where \, $ and ` have a meaning. (They
// write the quotes so that they stay.) Null: no memory.
char* twin_value(const char* value) {
  char* out = static_cast<char*>(malloc(2 * strlen(value) + 1));
  if (out == nullptr) return nullptr;
  char* end = out;
  for (; *value != '\0'; ++value) {
    if (strchr("\\$`", *value) != nullptr) *end++ = '\\';
    *end++ = *value;
  }
  *end = '\0';
  return out;
}

// Whether the entry sets the variable `name` itself.
bool sets(const WireRecord& payload, const char* name) {
  for (size_t i = 0; i < payload.size; ++i) {
    const char* variable = entry_variable(payload.pairs[i]);
    if (variable != nullptr && strcmp(variable, name) == 0) return true;
  }
  return false;
}

// Calls `work(name, value)` for each variable of the entry and for each of its container twins,
// where the entry does not set that itself: no name comes twice.
template <typename Work>
bool for_each_variable(const WireRecord& payload, Work work) {
  for (size_t i = 0; i < payload.size; ++i) {
    const char* variable = entry_variable(payload.pairs[i]);
    if (variable == nullptr) continue;
    const char* value = payload.pairs[i].value;
    char* twin = twin_value(value);
    bool goes_on = twin != nullptr;
    for (const char* prefix : {kNoTwin, kTwinPrefixes[0], kTwinPrefixes[1]}) {
      char name[kNameSize];
      snprintf(name, sizeof name, "%s%s", prefix, variable);
      if (prefix != kNoTwin && sets(payload, name)) continue;
      goes_on = goes_on && work(name, prefix == kNoTwin ? value : twin);
    }
    free(twin);
    if (!goes_on) return false;
  }
  return true;
}

const char* check_payload(const WireRecord& payload) {
  for (size_t i = 0; i < payload.size; ++i) {
    const char* variable = entry_variable(payload.pairs[i]);
    const char* count = slurm_variable(payload.pairs[i]);
    if (variable != nullptr && !payload_env_name_allowed(variable)) {
      return "it sets a variable that an entry may not set";
    }
    if (variable != nullptr && strlen(variable) > kVariableNameMost) {
      return "a variable's name is too long";
    }
    if (count != nullptr && !payload_slurm_name_allowed(count)) {
      return "it corrects a variable of Slurm that is no count of tasks";
    }
  }
  return nullptr;
}

// A displaced value that does not fit into the record is not kept: undoing then unsets the
// variable.
bool record_displaced(const Environment& environment, const WireRecord& payload) {
  if (environment.get(environment.handle, kDisplacedVariable) != nullptr) return true;
  const size_t most = 3 * payload.size;
  WirePair* pairs = static_cast<WirePair*>(calloc(most + 1, sizeof(WirePair)));
  if (pairs == nullptr) return false;
  size_t size = 0;
  bool complete = for_each_variable(payload, [&](const char* name, const char*) {
    const char* old = environment.get(environment.handle, name);
    char* key = old == nullptr ? nullptr : strdup(name);
    if (key != nullptr) pairs[size++] = {key, old};
    return old == nullptr || key != nullptr;
  });
  char* text = complete ? wire_encode(pairs, size) : nullptr;
  complete = text != nullptr;
  if (complete) {
    const bool fits = strlen(text) + sizeof kDisplacedVariable < kEnvironmentStringMost;
    complete = environment.set(environment.handle, kDisplacedVariable, fits ? text : "1");
  }
  free(text);
  for (size_t i = 0; i < size; ++i) free(const_cast<char*>(pairs[i].key));
  free(pairs);
  return complete;
}

bool set_if_known(const Environment& environment, const char* name, const char* value) {
  return value == nullptr || set_variable(environment, name, value);
}

bool set_all(const Environment& environment, const WireRecord& payload) {
  return for_each_variable(payload,
                           [&](const char* name, const char* value) {
                             return set_variable(environment, name, value);
                           }) &&
         set_if_known(environment, kScaleVariable, wire_get(&payload, "scale")) &&
         set_if_known(environment, kEntryVariable, wire_get(&payload, "entry")) &&
         set_if_known(environment, kHardwareVariable, wire_get(&payload, "hardware"));
}

void restore(const Environment& environment, const char* name, const char* displaced) {
  if (displaced != nullptr) {
    environment.set(environment.handle, name, displaced);
  } else {
    environment.unset(environment.handle, name);
  }
}

void set_if_present(const Environment& environment, const char* name, const char* value) {
  if (environment.get(environment.handle, name) != nullptr) {
    environment.set(environment.handle, name, value);
  }
}

int count_elements(const char* list) {
  int count = 0;
  while (*list != '\0') {
    const size_t length = strcspn(list, ",");
    // "-1" ends the list for CUDA, and Slurm writes NoDevFiles where there is no device.
    if (strncmp(list, "-1", length) == 0 && length == 2) break;
    if (strncmp(list, "NoDevFiles", length) == 0 && length == strlen("NoDevFiles")) break;
    count += length > 0 ? 1 : 0;
    list += length;
    if (*list == ',') ++list;
  }
  return count;
}

}  // namespace

bool set_variable(const Environment& environment, const char* name, const char* value) {
  const char* now = environment.get(environment.handle, name);
  if (now != nullptr && strcmp(now, value) == 0) return true;
  return environment.set(environment.handle, name, value);
}

const char* apply_payload(const Environment& environment, const WireRecord& payload) {
  if (const char* fault = check_payload(payload); fault != nullptr) return fault;
  if (!record_displaced(environment, payload) || !set_all(environment, payload)) {
    return "Slurm does not take its variables";
  }
  return nullptr;
}

void correct_task_counts(const Environment& environment, const WireRecord& payload) {
  const char* component = wire_get(&payload, "het");
  for (size_t i = 0; i < payload.size; ++i) {
    const char* variable = slurm_variable(payload.pairs[i]);
    if (variable == nullptr) continue;
    set_if_present(environment, variable, payload.pairs[i].value);
    for (const char* suffix : {"HET_GROUP", "PACK_GROUP"}) {
      char name[kNameSize];
      snprintf(name, sizeof name, "%s_%s_%s", variable, suffix,
               component == nullptr ? "0" : component);
      set_if_present(environment, name, payload.pairs[i].value);
    }
  }
}

void undo_payload(const Environment& environment, const WireRecord& payload) {
  const char* text = environment.get(environment.handle, kDisplacedVariable);
  WireRecord displaced = {nullptr, 0, nullptr};
  // Without the record nothing was put into this environment.
  if (text != nullptr && wire_decode(text, &displaced) == WireError::kNone) {
    for_each_variable(payload, [&](const char* name, const char* value) {
      const char* now = environment.get(environment.handle, name);
      if (now != nullptr && strcmp(now, value) == 0) {
        restore(environment, name, wire_get(&displaced, name));
      }
      return true;
    });
    wire_free(&displaced);
  }
  for (const char* name : {kPayloadVariable, kDisplacedVariable, kScaleVariable, kEntryVariable,
                           kHardwareVariable, kGpusVariable}) {
    environment.unset(environment.handle, name);
  }
}

int visible_devices(const Environment& environment) {
  // Slurm's gres plugin unsets them for a step without GPUs, whatever the user had set.
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"}) {
    const char* list = environment.get(environment.handle, name);
    if (list != nullptr) return count_elements(list);
  }
  return environment.get(environment.handle, "SLURM_JOB_GPUS") != nullptr ? 0 : -1;
}

}  // namespace compute_scale
