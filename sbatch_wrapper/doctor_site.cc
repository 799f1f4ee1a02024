// doctor: the config, and what it says of folders, runtime, arrays and shards.
#include <algorithm>

#include "backend.h"
#include "context.h"
#include "doctor_checks.h"
#include "text.h"

namespace compute_scale {
namespace {

using Kind = ProbeItem::Kind;

std::string names_of(const std::vector<ClusterNode>& nodes, std::size_t most = 8) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const ClusterNode& node : nodes) names.push_back(node.name);
  if (names.size() <= most) return join(names, ",");
  const std::size_t more = names.size() - most;
  names.resize(most);
  return join(names, ",") + " and " + std::to_string(more) + " more";
}

void check_folder(Site& site, const std::string& check, const ProbeItem& item) {
  const ProbeAnswer answer = site.look_at({item}).front();
  if (!answer.ok) {
    site.problem(check, item.what + " " + answer.text,
                 "correct " + check + "_dir of the config, or make it readable for users");
  } else if (answer.text == "0") {
    site.warn(check, item.what + " holds none", "correct " + check + "_dir of the config");
  } else {
    site.ok(check, answer.text + " in " + item.what);
  }
}

}  // namespace

void check_config(Site& site) {
  auto config = load_config(site.options);
  const std::string file = site_config_file();
  if (!config.ok()) {
    site.config = default_run_config();
    site.config_broken = true;
    return site.problem("config", config.error().text, "correct the file");
  }
  site.config = std::move(config->config);
  std::vector<std::string> files;
  if (!file.empty()) files.push_back(file);
  if (site.options.config) files.push_back(absolute_path(*site.options.config));
  if (file.empty()) {
    site.warn("config",
              "there is no site config; the defaults hold" +
                  (files.empty() ? "" : ", with " + files.front()),
              "write " + installed_files().site_config);
  } else {
    site.ok("config", join(files, ", with "));
  }
}

void check_folders(Site& site) {
  if (site.config.tasks_dir) {
    check_folder(site, "tasks", {Kind::kTasks, absolute_path(*site.config.tasks_dir)});
  } else if (!site.config_broken) {
    site.problem("tasks", "the config names no folder of tasks", "set tasks_dir");
  }
  if (site.config.packages_dir) {
    check_folder(site, "packages", {Kind::kPackages, absolute_path(*site.config.packages_dir)});
  } else if (!site.config_broken) {
    site.warn("packages", "the config names no folder of packages", "set packages_dir");
  }
}

// A login node need not have what runs on compute nodes.
void check_runtime(Site& site) {
  const auto backend = parse_backend(site.config.container_runtime.value_or("apptainer"));
  if (!backend.ok()) {
    site.config_broken = true;
    return site.problem("runtime", backend.error().text, "correct container_runtime");
  }
  const std::string program = program_of(*backend);
  const std::string of = to_string(*backend) == program ? "" : " (of " + to_string(*backend) + ")";
  if (site.look_at({{Kind::kProgram, program}}).front().ok) {
    return site.ok("runtime", program + of + " is here");
  }
  site.warn("runtime", program + of + " is not on the PATH of this host",
            "nodes need it (doctor --nodes looks there); set container_runtime to what they have");
}

void check_arrays(Site& site) {
  if (site.conf.empty()) return;
  const auto size = parse_digits(site.conf["MaxArraySize"]);
  if (!size) {
    return site.warn("arrays", "scontrol show config names no MaxArraySize: 1001 is taken", "");
  }
  if (*size <= 1) {
    return site.warn("arrays",
                     "MaxArraySize " + std::to_string(*size) +
                         ": no job arrays; "
                         "submit calls sbatch for each job",
                     "set MaxArraySize in slurm.conf");
  }
  site.ok("arrays",
          "MaxArraySize " + std::to_string(*size) + ": indices up to " + std::to_string(*size - 1));
}

void check_shards(Site& site) {
  if (site.conf.empty()) return;
  const std::int64_t per_gpu = site.config.slurm.shards_per_gpu.value_or(0);
  std::vector<ClusterNode> with, other;
  for (const ClusterNode& node : site.nodes) {
    if (node.gpus == 0) continue;
    if (node.shards > 0) with.push_back(node);
    if (per_gpu > 0 && node.shards != per_gpu * node.gpus) other.push_back(node);
  }
  if (per_gpu == 0) {
    return site.ok("shards", with.empty() ? "none in the config, none on nodes"
                                          : "none in the config; nodes have some, which are not "
                                            "used: " +
                                                names_of(with));
  }
  const std::string promised = "shards_per_gpu is " + std::to_string(per_gpu);
  if (with.empty()) {
    return site.problem("shards", promised + ", but no node with GPUs has shards",
                        "set GresTypes and gres.conf, or take shards_per_gpu out of the config");
  }
  if (!other.empty()) {
    const ClusterNode& first = other.front();
    return site.problem("shards",
                        promised + ", but " + first.name + " has " +
                            counted(first.shards, "shard") + " for " + counted(first.gpus, "GPU") +
                            (other.size() > 1 ? ", and so on: " + names_of(other) : ""),
                        "correct shards_per_gpu or gres.conf");
  }
  site.ok("shards", promised + ", as on " + names_of(with));
}

}  // namespace compute_scale
