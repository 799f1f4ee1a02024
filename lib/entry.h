// One element of a task's `test_cmds`: a command with the resources it was tuned for.
#ifndef COMPUTE_SCALE_LIB_ENTRY_H_
#define COMPUTE_SCALE_LIB_ENTRY_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu_amount.h"
#include "mem_size.h"
#include "time_limit.h"

namespace compute_scale {

// Environment in the order in which it was written; names are unique.
using EnvList = std::vector<std::pair<std::string, std::string>>;

// `base` with every variable of `over` set on top: a known name keeps its place, a new one is last.
EnvList overlay(EnvList base, const EnvList& over);

// The words NAME=value of each variable.
std::vector<std::string> assignments(const EnvList& env);

// What an entry needs on one named hardware; what is absent is as in the entry itself.
struct Profile {
  std::optional<GpuAmount> compute;
  EnvList env;
  std::optional<TimeLimit> time;
  std::optional<MemSize> mem;
  std::optional<int> cpus;
};

// An entry at one scale: what is left of it when its profiles are taken away.
struct BaseEntry {
  std::string task;            // the task it belongs to
  std::string cmd;             // relative to the task folder, arguments allowed behind it
  std::string label = "test";  // as written
  std::optional<int> group;    // none: a group of its own after the numbered ones
  GpuAmount compute = GpuAmount::whole(1);
  TimeLimit time{60};
  std::string package;  // empty: the task's first, or none
  bool hidden = false;
  std::optional<MemSize> mem;
  std::optional<int> cpus;
  std::optional<bool> use_cuda;  // absent: the package's
  EnvList env;
  std::string workdir;  // empty: the package's
};

struct Entry : BaseEntry {
  std::map<std::string, Profile> profiles;  // by hardware name in lower case
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_ENTRY_H_
