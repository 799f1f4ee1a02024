#include "run_config.h"

#include "text.h"

namespace compute_scale {

Result<Unprofiled> parse_unprofiled(std::string_view text) {
  for (const Unprofiled policy : {Unprofiled::kKeep, Unprofiled::kScale, Unprofiled::kRefuse}) {
    if (text == to_string(policy)) return policy;
  }
  return usage_error(quoted(text) + ": expected keep, scale or refuse" +
                     did_you_mean(text, {"keep", "scale", "refuse"}));
}

std::string to_string(Unprofiled policy) {
  switch (policy) {
    case Unprofiled::kKeep:
      return "keep";
    case Unprofiled::kScale:
      return "scale";
    case Unprofiled::kRefuse:
      return "refuse";
  }
  return "";
}

namespace {

template <typename T>
void lay(std::optional<T>& under, const std::optional<T>& over) {
  if (over) under = over;
}

// Runtime by runtime.
void lay_flags(RunConfig& under, const RunConfig& over) {
  if (!over.container_flags) return;
  auto flags = *over.container_flags;
  if (under.container_flags)
    flags.insert(under.container_flags->begin(), under.container_flags->end());
  under.container_flags = std::move(flags);
}

void lay(SlurmConfig& under, const SlurmConfig& over) {
  lay(under.partition, over.partition);
  lay(under.default_partition, over.default_partition);
  lay(under.account, over.account);
  lay(under.constraint, over.constraint);
  lay(under.qos, over.qos);
  lay(under.nodelist, over.nodelist);
  lay(under.exclude, over.exclude);
  lay(under.mail_user, over.mail_user);
  lay(under.logs_dir, over.logs_dir);
  lay(under.cpus_per_gpu, over.cpus_per_gpu);
  lay(under.mem_per_gpu, over.mem_per_gpu);
  lay(under.gpus_per_node, over.gpus_per_node);
  lay(under.cpus_per_node, over.cpus_per_node);
  lay(under.mem_per_node, over.mem_per_node);
  lay(under.cpu_partition, over.cpu_partition);
  lay(under.cpus_per_task, over.cpus_per_task);
  lay(under.gpu_flag, over.gpu_flag);
  lay(under.shards_per_gpu, over.shards_per_gpu);
  lay(under.plugin, over.plugin);
  lay(under.prologue, over.prologue);
  lay(under.extra_directives, over.extra_directives);
  lay(under.max_running, over.max_running);
}

Hardware reference_hardware(const std::string& name, std::string_view factor) {
  Hardware hardware;
  hardware.name = name;
  hardware.scale = ScaleFactor::parse(factor).value();  // a literal of ours
  hardware.gres_types = {name};
  return hardware;
}

}  // namespace

RunConfig merge(RunConfig under, const RunConfig& over) {
  lay(under.compute_scale, over.compute_scale);
  lay(under.hardware, over.hardware);
  lay(under.tasks_dir, over.tasks_dir);
  lay(under.packages_dir, over.packages_dir);
  lay(under.workspace_root, over.workspace_root);
  lay(under.data_root, over.data_root);
  lay(under.save_path, over.save_path);
  lay(under.seeds, over.seeds);
  lay(under.container_runtime, over.container_runtime);
  lay_flags(under, over);
  lay(under.unprofiled, over.unprofiled);
  lay(under.unprofiled_allowed, over.unprofiled_allowed);
  lay(under.slurm, over.slurm);
  return under;
}

RunConfig default_run_config() {
  RunConfig config;
  config.compute_scale = "1.0";
  config.hardware = {reference_hardware("h100", "1.0"), reference_hardware("h200", "0.5")};
  config.seeds = {42};
  config.container_runtime = "apptainer";
  config.unprofiled = Unprofiled::kKeep;
  config.slurm.cpus_per_gpu = 12;
  config.slurm.mem_per_gpu = MemSize{std::int64_t{100} * 1024};
  config.slurm.gpus_per_node = 8;
  config.slurm.cpus_per_task = 8;
  config.slurm.gpu_flag = "gres";
  config.slurm.plugin = false;
  return config;
}

}  // namespace compute_scale
