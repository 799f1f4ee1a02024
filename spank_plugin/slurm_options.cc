#include "slurm_options.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <initializer_list>

namespace compute_scale {
namespace {

// The record of the options, opaque.
using Record = void;

struct RequestApi {
  Record* record;
  char* (*get)(Record*, const char* name);
  bool (*is_set)(Record*, const char* name);
  int (*set)(Record*, const char* name, const char* value, bool early_pass);
  bool (*reset)(Record*, const char* name);
};

template <typename Pointer>
bool look_up(Pointer* target, const char* symbol) {
  *target = reinterpret_cast<Pointer>(dlsym(RTLD_DEFAULT, symbol));
  return *target != nullptr;
}

const char* look_up_all(RequestApi* found) {
  if (!look_up(&found->record, "opt")) return "opt";
  if (!look_up(&found->get, "slurm_option_get")) return "slurm_option_get";
  if (!look_up(&found->is_set, "slurm_option_isset")) return "slurm_option_isset";
  if (!look_up(&found->set, "slurm_option_set")) return "slurm_option_set";
  if (!look_up(&found->reset, "slurm_option_reset")) return "slurm_option_reset";
  return nullptr;
}

const RequestApi& api() {
  static RequestApi found;
  if (found.reset == nullptr) look_up_all(&found);
  return found;
}

const char* get_option(const char* name) {
  return api().get == nullptr ? nullptr : api().get(api().record, name);
}

// When an option counts as given. Slurm derives some without marking them as set: `nodes` from a
// node list, tres-per-task and tres-bind from gpus-per-task (24.11 and later). Numbers, on the
// other hand, have a value although nobody gave one.
enum class Given { kIfSet, kIfAnyValue };

struct KnownOption {
  const char* name;
  Given given;
  bool asks_for_gpus;
  const char* variable;  // what srun takes the value from in an allocation (srun(1)), or null
};

constexpr KnownOption kKnownOptions[] = {
    {"gres", Given::kIfAnyValue, true, "SLURM_GRES"},
    {"gpus", Given::kIfAnyValue, true, "SLURM_GPUS"},
    {"gpus-per-node", Given::kIfAnyValue, true, "SLURM_GPUS_PER_NODE"},
    {"gpus-per-socket", Given::kIfAnyValue, true, "SLURM_GPUS_PER_SOCKET"},
    {"gpus-per-task", Given::kIfAnyValue, true, "SLURM_GPUS_PER_TASK"},
    {"tres-per-task", Given::kIfAnyValue, true, "SLURM_TRES_PER_TASK"},
    {"tres-bind", Given::kIfAnyValue, false, "SLURM_TRES_BIND"},
    {"gpu-bind", Given::kIfSet, false, "SLURM_GPU_BIND"},
    {"nodes", Given::kIfAnyValue, false, "SLURM_JOB_NUM_NODES"},
    {"ntasks", Given::kIfSet, false, "SLURM_NTASKS"},
    {"ntasks-per-node", Given::kIfSet, false, "SLURM_NTASKS_PER_NODE"},
    {"ntasks-per-socket", Given::kIfSet, false, "SLURM_NTASKS_PER_SOCKET"},
    {"ntasks-per-gpu", Given::kIfSet, false, "SLURM_NTASKS_PER_GPU"},
    {"ntasks-per-tres", Given::kIfSet, false, "SLURM_NTASKS_PER_TRES"},
    {"sockets-per-node", Given::kIfSet, false, "SLURM_NSOCKETS_PER_NODE"},
    {"cpus-per-gpu", Given::kIfSet, false, "SLURM_CPUS_PER_GPU"},
    {"mem-per-gpu", Given::kIfSet, false, "SLURM_MEM_PER_GPU"},
    {"partition", Given::kIfSet, false, "SLURM_PARTITION"},
};
static_assert(sizeof(kKnownOptions) / sizeof(kKnownOptions[0]) <= kRequestOptionsMost);

// slurm_option_get puts "gres:" (22.05) or "gres/" (24.11) in front of each part of a gres list.
const char* skip_gres(const char* part) {
  const bool prefixed = strncmp(part, "gres:", 5) == 0 || strncmp(part, "gres/", 5) == 0;
  return prefixed ? part + 5 : part;
}

bool same_list(const char* left, const char* right) {
  while (true) {
    left = skip_gres(left);
    right = skip_gres(right);
    const size_t length = strcspn(left, ",");
    if (length != strcspn(right, ",") || strncmp(left, right, length) != 0) return false;
    left += length;
    right += length;
    if (*left == '\0' || *right == '\0') return *left == *right;
    ++left;
    ++right;
  }
}

// Slurm could tell where a value came from, but only by numbers that differ between its versions.
bool repeats_variable(const KnownOption& option, const char* value) {
  const char* variable = option.variable == nullptr ? nullptr : getenv(option.variable);
  return variable != nullptr && same_list(value, variable);
}

bool is_known_to_ask_for_gpus(const char* name) {
  for (const KnownOption& option : kKnownOptions) {
    if (strcmp(option.name, name) == 0) return option.asks_for_gpus;
  }
  return false;
}

}  // namespace

Command running_command() {
  if (dlsym(RTLD_DEFAULT, "sbopt") != nullptr) return Command::kSbatch;
  if (dlsym(RTLD_DEFAULT, "saopt") != nullptr) return Command::kSalloc;
  if (dlsym(RTLD_DEFAULT, "sropt") != nullptr) return Command::kSrun;
  return Command::kOther;
}

const char* command_name(Command command) {
  switch (command) {
    case Command::kSbatch:
      return "sbatch";
    case Command::kSalloc:
      return "salloc";
    case Command::kSrun:
      return "srun";
    case Command::kOther:
      break;
  }
  return "";
}

const char* missing_request_symbol() {
  RequestApi found;
  return look_up_all(&found);
}

Request read_request(bool repeats_environment) {
  Request request = {};
  for (const KnownOption& option : kKnownOptions) {
    if (option.given == Given::kIfSet && !option_is_set(option.name)) continue;
    const char* value = get_option(option.name);
    if (value == nullptr) continue;
    const int repeated = repeats_environment && repeats_variable(option, value);
    request.options[request.size++] = {option.name, value, repeated};
  }
  return request;
}

bool asks_for_gpus(const Request& request) {
  for (size_t i = 0; i < request.size; ++i) {
    const compute_scale_request_option& option = request.options[i];
    if (option.from_environment == 0 && is_known_to_ask_for_gpus(option.name)) return true;
  }
  return false;
}

bool set_option(const char* name, const char* value) {
  if (api().reset == nullptr) return false;
  if (value == nullptr) return api().reset(api().record, name);
  return api().set(api().record, name, value, false) == 0;
}

bool option_is_set(const char* name) {
  return api().is_set != nullptr && api().is_set(api().record, name);
}

int het_group() {
  const char* value = get_option("het-group");
  int group = -1;
  char end = '\0';
  return value != nullptr && sscanf(value, "%d%c", &group, &end) == 1 ? group : -1;
}

// Before 22.05 and in some steps of it the old word is the only one.
int component_told(const char* variable, unsigned job) {
  for (const char* pattern :
       {"SLURM_JOB_ID_HET_GROUP_%d=%u%c", "SLURM_JOB_ID_PACK_GROUP_%d=%u%c"}) {
    int component = -1;
    unsigned id = 0;
    char end = '\0';
    if (sscanf(variable, pattern, &component, &id, &end) == 2 && id == job) return component;
  }
  return -1;
}

}  // namespace compute_scale
