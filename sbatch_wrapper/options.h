// What the command line (and the environment behind it) asked for.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_OPTIONS_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace compute_scale {

enum class Verb {
  kNone,
  kList,
  kCheck,
  kPlan,
  kRender,
  kSubmit,
  kResume,
  kRun,
  kStatus,
  kLogs,
  kCancel,
  kDoctor
};

struct Options {
  Verb verb = Verb::kNone;

  // Which tasks, entries and seeds.
  std::vector<std::string> patterns;  // "task", "task/label", with globs
  bool all = false;
  std::vector<std::string> labels;  // globs
  std::vector<int> groups;
  std::vector<std::int64_t> seeds;
  std::string baseline;

  // Over the config, key by key.
  std::optional<std::string> config;
  std::optional<std::string> compute_scale, tasks_dir, packages_dir, workspace_root, data_root,
      save_path, container_runtime;

  // The run.
  std::string pack = "group";
  std::string gantt;  // file of the picture; empty: none
  int devices = 16;   // that it shows
  std::string run_dir;
  std::string exp_name;
  bool neutral = false;
  std::optional<int> max_running;
  int parallel = 12;        // calls of sbatch at the same time
  int settle_seconds = 15;  // to look for a job after a call of sbatch whose end is unclear
  bool dry_run = false;
  std::vector<std::string> sbatch_args;  // behind "--"

  // A local run.
  std::optional<std::string> gpus;  // a count or a list
  std::optional<int> cpu_jobs;
  int kill_wait = 10;  // seconds

  // Following a run.
  bool watch = false;       // status
  bool containers = false;  // status
  bool follow = false;      // logs
  bool job_log = false;     // logs
  bool force = false;       // cancel
  bool wait = false;        // submit
  int interval = 10;        // seconds

  bool nodes = false;  // doctor: ask the nodes, too

  bool json = false;
  bool verbose = false;
  bool quiet = false;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_OPTIONS_H_
