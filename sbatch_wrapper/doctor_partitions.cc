// doctor: the partitions that the configs name, against Slurm's. A limit on a partition that Slurm
// does not have, or on requests that go elsewhere, holds for nothing, and nobody is told.
#include <algorithm>

#include "doctor_checks.h"
#include "partition_list.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr char kCheck[] = "partition";

bool has_limits(const RunConfig& config) {
  const auto hardware = config.hardware.value_or(std::vector<Hardware>());
  return std::any_of(hardware.begin(), hardware.end(),
                     [](const Hardware& one) { return !one.partitions.empty(); });
}

// A place in a config, and the partition that it names.
struct Named {
  std::string key;
  std::string partition;
};

std::vector<Named> named_partitions(const RunConfig& config) {
  std::vector<Named> out;
  const auto add = [&](const std::string& key, const std::optional<std::string>& value) {
    for (const std::string& name : partition_names(value.value_or(""))) out.push_back({key, name});
  };
  add("slurm.partition", config.slurm.partition);
  add("slurm.cpu_partition", config.slurm.cpu_partition);
  for (const Hardware& hardware : config.hardware.value_or(std::vector<Hardware>())) {
    for (const std::string& name : hardware.partitions) {
      out.push_back({"hardware." + hardware.name + ".partitions", name});
    }
  }
  return out;
}

bool check_names(Site& site, const RunConfig& config, const std::string& whose,
                 const std::vector<ClusterPartition>& partitions) {
  bool sound = true;
  for (const Named& named : named_partitions(config)) {
    const bool known =
        std::any_of(partitions.begin(), partitions.end(),
                    [&](const ClusterPartition& one) { return one.name == named.partition; });
    if (known) continue;
    site.problem(kCheck, whose + named.key + " names " + named.partition + ", which Slurm lacks",
                 "name one of those that sinfo --all shows");
    sound = false;
  }
  return sound;
}

// A job_submit plugin of the site may send requests elsewhere, and only the site knows where.
bool may_be_sent_elsewhere(Site& site) {
  const std::string& plugins = site.conf["JobSubmitPlugins"];
  return !plugins.empty() && plugins != "(null)";
}

// `slurms`: Slurm's default partition; empty: there is none.
bool check_default(Site& site, const RunConfig& config, const std::string& whose,
                   const std::string& slurms) {
  const std::string ours = config.slurm.default_partition.value_or("");
  if (ours == slurms || (ours.empty() && !has_limits(config))) return true;
  const std::string is =
      slurms.empty() ? "Slurm has no default partition" : "Slurm's default partition is " + slurms;
  if (ours.empty()) {
    site.problem(kCheck,
                 is + ", but " + whose +
                     "hardware limits partitions and slurm.default_partition is not set: a request "
                     "that names no partition is not checked",
                 "set slurm.default_partition: " + slurms);
    return false;
  }
  const std::string found = is + ", but " + whose + "slurm.default_partition is " + ours;
  if (may_be_sent_elsewhere(site)) {
    site.warn(kCheck, found,
              "name the one that the site's JobSubmitPlugins (" + site.conf["JobSubmitPlugins"] +
                  ") choose where a request names none");
    return false;
  }
  site.problem(kCheck, found,
               slurms.empty() ? "take slurm.default_partition out"
                              : "set slurm.default_partition: " + slurms);
  return false;
}

bool check_config_partitions(Site& site, const RunConfig& config, const std::string& whose,
                             const std::vector<ClusterPartition>& partitions,
                             const std::string& slurms_default) {
  const bool names = check_names(site, config, whose, partitions);
  return check_default(site, config, whose, slurms_default) && names;
}

}  // namespace

void check_partitions(Site& site) {
  if (site.conf.empty()) return;
  const auto partitions = site.slurm.partitions();
  if (!partitions.ok()) {
    return site.problem(kCheck, "they cannot be asked for: " + partitions.error().text,
                        "see what sinfo says");
  }
  const auto first = std::find_if(partitions->begin(), partitions->end(),
                                  [](const ClusterPartition& one) { return one.is_default; });
  const std::string slurms_default = first == partitions->end() ? "" : first->name;
  bool sound = check_config_partitions(site, site.config, "", *partitions, slurms_default);
  if (site.plugin_config) {
    sound = check_config_partitions(site, *site.plugin_config, "the plugin's ", *partitions,
                                    slurms_default) &&
            sound;
  }
  if (!sound) return;
  const std::string count = counted(static_cast<std::int64_t>(partitions->size()), "partition");
  site.ok(kCheck, slurms_default.empty() ? count + ", none is the default"
                                         : count + ", the default is " + slurms_default);
}

}  // namespace compute_scale
