// The checks of doctor, and what they tell one another.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_DOCTOR_CHECKS_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_DOCTOR_CHECKS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster_nodes.h"
#include "doctor_probe.h"
#include "finding.h"
#include "options.h"
#include "plugstack.h"
#include "run_config.h"
#include "slurm_client.h"

namespace compute_scale {

// What is known of the site; each check adds to it.
struct Site {
  const Options& options;
  ProcessRunner& runner;
  SlurmClient& slurm;
  Findings findings;

  RunConfig config;
  std::optional<RunConfig> plugin_config;  // the plugin's, if it is another one
  bool config_broken = false;

  std::string release;                      // of Slurm's commands here: "22.05.8"; empty: unknown
  std::map<std::string, std::string> conf;  // scontrol show config; empty: it cannot be asked
  std::vector<ClusterNode> nodes;
  Plugstack plugstack;
  std::string plugin_release;  // that the plugin is built for; empty: unknown
  bool plugin_enabled = false;

  std::vector<ProbeItem> items;  // to look at, here and on nodes
  HostAnswer here;               // what this host says of them

  void ok(const std::string& check, const std::string& found);
  void warn(const std::string& check, const std::string& found, const std::string& mend);
  void problem(const std::string& check, const std::string& found, const std::string& mend);
  bool plugin_wanted() const;  // it is enabled here, or the config promises it
  // Looks at items on this host and adds them to those that nodes are asked for.
  std::vector<ProbeAnswer> look_at(const std::vector<ProbeItem>& more);
};

// In this order:
void check_config(Site& site);      // config
void check_slurm(Site& site);       // slurm, and asks for nodes
void check_plugin(Site& site);      // plugstack, plugin
void check_folders(Site& site);     // tasks, packages
void check_runtime(Site& site);     // runtime
void check_arrays(Site& site);      // arrays
void check_shards(Site& site);      // shards
void check_partitions(Site& site);  // partition
void check_nodes(Site& site);       // nodes

// Whether the releases "22.05.8" and "22.05.2" are of one major.minor, so that a plugin for one is
// loaded by the other.
bool same_release(const std::string& a, const std::string& b);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_DOCTOR_CHECKS_H_
