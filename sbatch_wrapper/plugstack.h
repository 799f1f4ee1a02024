// Slurm's plugstack.conf with what it includes, read as Slurm does.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_PLUGSTACK_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_PLUGSTACK_H_

#include <string>
#include <vector>

#include "finding.h"

namespace compute_scale {

inline constexpr char kPluginFile[] = "spank_compute_scale.so";

// A line that loads the plugin.
struct PlugstackLine {
  std::string place;  // "FILE:LINE"
  bool required = false;
  std::string plugin;  // as written
  std::vector<std::string> arguments;
  std::string cut;  // the argument in which a '#' begins a comment; empty: none
};

struct Plugstack {
  std::vector<PlugstackLine> lines;  // that load the plugin, in Slurm's order
  Findings faults;                   // of any line
};

// Reads `file` and its includes (globs; relative ones from the including file's folder). A missing
// file is an empty one, as for Slurm. Source: _spank_stack_load in Slurm's src/common/spank.c.
Plugstack read_plugstack(const std::string& file);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_PLUGSTACK_H_
