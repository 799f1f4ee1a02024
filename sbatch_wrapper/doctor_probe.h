// What a host has: one small shell script tells, on this host and in a step on every node alike.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_DOCTOR_PROBE_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_DOCTOR_PROBE_H_

#include <string>
#include <string_view>
#include <vector>

#include "process.h"
#include "result.h"

namespace compute_scale {

// One thing to look at.
struct ProbeItem {
  enum class Kind {
    kObject,    // a shared object: can it be loaded?
    kFile,      // can it be read?
    kTasks,     // the folder of the tasks, with what is in it
    kPackages,  // that of the packages
    kProgram,   // is it on PATH?
  };
  Kind kind = Kind::kFile;
  std::string what;  // path or name
};

// What one host says of one item.
struct ProbeAnswer {
  bool ok = false;
  std::string text;  // ok: what it is like, to be compared (a checksum, a number of files); else
                     // what is wrong: "is missing", …
};

struct HostAnswer {
  std::string host;
  bool plugin_loaded = false;  // slurmstepd of this step loaded the plugin
  std::vector<ProbeAnswer> items;
};

// sh with the script and its arguments.
std::vector<std::string> probe_command(const std::vector<ProbeItem>& items);

// The variable by which a step's slurmstepd shows that it has the plugin: "NAME=value".
std::string probe_variable();

// The answers for `items` in what the script printed on one or more hosts; other lines are passed
// over.
std::vector<HostAnswer> parse_probe(std::string_view output, const std::vector<ProbeItem>& items);

// What this host says. Error: no shell answers.
Result<HostAnswer> probe_here(const std::vector<ProbeItem>& items, ProcessRunner& runner);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_DOCTOR_PROBE_H_
