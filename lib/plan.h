// The plan of a run: every step (entry x seed), the jobs that they share, and what each job asks
// for. Pure data, made before anything is written or submitted.
#ifndef COMPUTE_SCALE_LIB_PLAN_H_
#define COMPUTE_SCALE_LIB_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "entry.h"
#include "hardware.h"
#include "pack.h"

namespace compute_scale {

// What a job gets where its entries name nothing (run_config.h, `slurm`).
struct DefaultResources {
  int cpus_per_gpu = 12;
  MemSize mem_per_gpu{102400};
  int cpus_per_task = 8;        // of a step without GPU
  MemSize mem_per_task{32768};  // of a step without GPU
};

// The chosen entries of one task, as its config.json has them. An entry that uses no GPU has
// `compute` 0. `run_env` is the environment of the run (a baseline's), the same for all entries.
struct PlanTask {
  std::string name;
  std::vector<Entry> entries;
  std::vector<std::int64_t> seeds;
  EnvList run_env;
};

struct PlanEntry {
  Entry entry;             // at the scale of the plan, without profiles
  GpuAmount base_compute;  // as written
  std::size_t task = 0;    // index into Plan::tasks
  int group = 0;           // as written; entries without one follow the task's highest number
  int stage = 0;           // rank of its group among the task's groups in the plan, from 0
};

struct Step {
  std::size_t entry = 0;  // index into Plan::entries
  std::int64_t seed = 0;
};

struct Job {
  // Unique within the plan: "llm-pretrain-loss-g1-s42", and where steps of several tasks or seeds
  // share a job "all-g1-3" (the third of the first stage).
  std::string name;
  std::vector<Lane> lanes;  // of indices into Plan::steps
  int devices = 0;
  TimeLimit time;  // of the longest lane
  MemSize mem;     // of all lanes together, as are the CPUs
  int cpus = 0;
  // Jobs that must have succeeded, in ascending order: for each task and seed that it holds, those
  // of the stage before, which in turn wait for the ones before them.
  std::vector<std::size_t> after;
};

struct PlannedTask {
  std::string name;
  EnvList run_env;
};

struct Plan {
  Scale scale;
  PackScope pack = PackScope::kGroup;
  std::vector<PlannedTask> tasks;
  std::vector<PlanEntry> entries;     // by task, in the order of config.json
  std::vector<Step> steps;            // by task, stage, seed, entry
  std::vector<Job> jobs;              // a job comes after those it depends on
  std::vector<std::string> warnings;  // of the transform, one line each
};

// What one node has, as far as it is known: steps do not share a job that no node could hold.
struct NodeLimits {
  int devices = 8;
  std::optional<MemSize> mem;
  std::optional<int> cpus;
};

struct PlanOptions {
  Scale scale;
  PackScope pack = PackScope::kGroup;
  DefaultResources resources;
  NodeLimits node;
};

// Steps, jobs and dependencies of `tasks` at `options.scale`. Task names are distinct.
Plan build_plan(const std::vector<PlanTask>& tasks, const PlanOptions& options);

// Sums in GPU minutes x 1e-6, so that they stay exact.
struct GpuTime {
  std::int64_t micro_minutes = 0;
  double hours() const { return static_cast<double>(micro_minutes) / 60e6; }
};

// Devices x time limit over the jobs: what the run occupies if every job uses its whole limit.
GpuTime requested_gpu_time(const Job& job);
GpuTime requested_gpu_time(const Plan& plan);
// Compute x time over the steps: no packing can request less.
GpuTime lower_bound_gpu_time(const Plan& plan);
// What the same steps would request with a job for each (PackScope::kNone).
GpuTime unpacked_gpu_time(const Plan& plan);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_PLAN_H_
