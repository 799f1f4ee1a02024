// Site and run configuration: one YAML schema, layered (defaults < site < run < environment <
// flag).
#ifndef COMPUTE_SCALE_LIB_RUN_CONFIG_H_
#define COMPUTE_SCALE_LIB_RUN_CONFIG_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hardware.h"
#include "mem_size.h"
#include "result.h"

namespace compute_scale {

// What happens to a request of more than one GPU that no profile covers.
enum class Unprofiled { kKeep, kScale, kRefuse };
Result<Unprofiled> parse_unprofiled(std::string_view text);  // "keep", "scale", "refuse"
std::string to_string(Unprofiled policy);

// Every field is optional: unset is its own state, so that layers can be laid over one another.
// All values are text as written unless typed (`partition: no` is the text "no", `0123` is "0123").
struct SlurmConfig {
  std::optional<std::string> partition, account, constraint, qos, nodelist, exclude;
  std::optional<std::string> default_partition;  // the one that Slurm takes where none is named
  std::optional<std::string> mail_user;          // null and "" are unset
  std::optional<std::string> logs_dir;           // absolute after loading
  std::optional<int> cpus_per_gpu;               // default 12
  std::optional<MemSize> mem_per_gpu;            // default 100G
  std::optional<int> gpus_per_node;              // default 8: the most of a job that shares devices
  std::optional<int> cpus_per_node;     // unset: jobs that share devices may ask for any number
  std::optional<MemSize> mem_per_node;  // the same
  std::optional<std::string> cpu_partition;
  std::optional<int> cpus_per_task;     // default 8, for entries without GPU
  std::optional<std::string> gpu_flag;  // "gres" (default), "gpus", "gpus-per-node"
  std::optional<int> shards_per_gpu;    // unset: shards are not used
  std::optional<bool> plugin;           // true: the site promises the SPANK plugin
  std::optional<std::string> prologue;  // shell lines after the directives
  std::optional<std::vector<std::string>> extra_directives;  // "--exclusive", …
  std::optional<int> max_running;
};

struct RunConfig {
  std::optional<std::string> compute_scale;  // factor, hardware name or "auto"
  std::optional<std::vector<Hardware>> hardware;
  std::optional<std::string> tasks_dir, packages_dir, workspace_root, data_root, save_path;
  std::optional<std::vector<std::int64_t>> seeds;
  std::optional<std::string> container_runtime;
  // Further options of a runtime, by its name.
  std::optional<std::map<std::string, std::vector<std::string>>> container_flags;
  std::optional<Unprofiled> unprofiled;
  std::optional<std::vector<Unprofiled>>
      unprofiled_allowed;  // the site's (site_limits.h); not empty
  SlurmConfig slurm;
};

// Reads one YAML text. Relative paths become absolute against `base_dir` (the file's folder), and
// "~", "$HOME", "${HOME}" at the start of a path become `home`. Errors carry `file:line:`; unknown
// and duplicate keys are errors with the nearest valid key. `time: 12:00:00`-like and boolean-like
// scalars stay text. null and "" leave a key unset. BOM and CRLF are accepted; nesting over 64
// levels, aliases and a second document are refused. All errors are usage errors. Never throws.
Result<RunConfig> parse_run_config(std::string_view text, const std::string& file,
                                   const std::string& base_dir, const std::string& home);

// parse_run_config of a file; an unreadable or missing file is an error.
Result<RunConfig> load_run_config(const std::string& file, const std::string& home);

// `over` laid upon `under`, key by key (also within `slurm`); a list or the hardware table of
// `over` replaces the whole one of `under`.
RunConfig merge(RunConfig under, const RunConfig& over);

// What holds where no layer says otherwise (hardware: h100 1.0, h200 0.5; seeds 42; …).
RunConfig default_run_config();

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_RUN_CONFIG_H_
