// doctor --nodes: the same looks on every node that has room, by a step.
#include <algorithm>
#include <ctime>

#include "doctor_checks.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr std::time_t kMostSeconds = 120;  // for nodes that have to be asked one by one

using Names = std::vector<std::string>;

// What nodes have in common is one finding.
class ByFinding {
 public:
  explicit ByFinding(Site& site) : site_(site) {}

  void add(const std::string& node, Grade grade, const std::string& found,
           const std::string& mend) {
    for (Entry& entry : entries_) {
      if (entry.finding.found == found && entry.finding.grade == grade) {
        entry.nodes.push_back(node);
        return;
      }
    }
    entries_.push_back({{grade, "nodes", found, mend}, {node}});
  }

  void report() {
    for (Entry& entry : entries_) {
      entry.finding.found = join(entry.nodes, ",") + ": " + entry.finding.found;
      site_.findings.push_back(std::move(entry.finding));
    }
  }

 private:
  struct Entry {
    Finding finding;
    Names nodes;
  };
  Site& site_;
  std::vector<Entry> entries_;
};

// What a node says of an item, beside what this host says.
void compare(const std::string& node, const ProbeItem& item, const ProbeAnswer& there,
             const ProbeAnswer& here, ByFinding& findings) {
  using Kind = ProbeItem::Kind;
  const bool is_folder = item.kind == Kind::kTasks || item.kind == Kind::kPackages;
  if (!there.ok) {
    const char* mend = "install compute-scale there, as here";
    if (is_folder) mend = "put it where nodes can read it";
    if (item.kind == Kind::kProgram) mend = "install it there, or set container_runtime";
    return findings.add(node, Grade::kProblem, item.what + " " + there.text, mend);
  }
  if (!here.ok || here.text == there.text) return;
  if (is_folder) {
    return findings.add(node, Grade::kWarning,
                        item.what + " holds " + there.text + ", here " + here.text,
                        "use one folder for all hosts");
  }
  findings.add(node, Grade::kWarning, item.what + " is another file than here",
               "install the same one");
}

class Nodes {
 public:
  explicit Nodes(Site& site) : site_(site), findings_(site) {}

  void check() {
    Names partitions;
    for (const ClusterNode& node : site_.nodes) {
      if (!node.has_room()) {
        findings_.add(node.name, Grade::kWarning, "not asked: the node is " + node.state,
                      "call doctor again when it is idle");
      } else if (std::find(partitions.begin(), partitions.end(), node.partition) ==
                 partitions.end()) {
        partitions.push_back(node.partition);
      }
    }
    for (const std::string& partition : partitions) ask_partition(partition);
    for (const ClusterNode& node : site_.nodes) judge(node);
    const std::string counts =
        std::to_string(asked_.size()) + " of " + std::to_string(site_.nodes.size());
    if (asked_.empty()) {
      findings_.report();
      return site_.problem("nodes", counts + " asked", "call doctor again when nodes are idle");
    }
    site_.ok("nodes", counts + " asked: " + join(asked_, ","));
    findings_.report();
  }

 private:
  // All at once; where Slurm cannot start that now, one by one.
  void ask_partition(const std::string& partition) {
    Names names;
    for (const ClusterNode& node : site_.nodes) {
      if (node.partition == partition && node.has_room()) names.push_back(node.name);
    }
    const std::string failure = ask(partition, names, 20);
    if (failure.empty()) return;
    const std::time_t end = std::time(nullptr) + kMostSeconds;
    for (const std::string& name : names) {
      std::string reason = failure;
      if (names.size() > 1 && answer_of(name) == nullptr && std::time(nullptr) < end) {
        reason = ask(partition, {name}, 3);
      }
      if (answer_of(name) != nullptr) continue;
      // A busy node is no fault; a node on which no step can be started is one.
      const bool busy = reason.find("Unable to allocate") != std::string::npos;
      findings_.add(name, busy ? Grade::kWarning : Grade::kProblem,
                    "no step could be started there: " + reason,
                    busy ? "call doctor again later; options for srun go behind --"
                         : "see the node's slurmd log");
    }
  }

  // Asks these nodes; returns why not all of them answer, or "".
  std::string ask(const std::string& partition, const Names& names, int seconds) {
    const std::string count = std::to_string(names.size());
    std::vector<std::string> argv = {"srun",
                                     "--job-name=compute-scale-doctor",
                                     "--partition=" + partition,
                                     "--nodelist=" + join(names, ","),
                                     "--nodes=" + count,
                                     "--ntasks=" + count,
                                     "--ntasks-per-node=1",
                                     "--mem=100M",
                                     "--time=5",
                                     "--immediate=" + std::to_string(seconds),
                                     "--kill-on-bad-exit=0"};
    const SlurmConfig& config = site_.config.slurm;
    if (config.account) argv.push_back("--account=" + *config.account);
    if (config.qos) argv.push_back("--qos=" + *config.qos);
    argv.insert(argv.end(), site_.options.sbatch_args.begin(), site_.options.sbatch_args.end());
    const auto probe = probe_command(site_.items);
    argv.insert(argv.end(), probe.begin(), probe.end());
    std::vector<std::string> environment = submission_environment(present_environment());
    environment.push_back(probe_variable());
    const auto result = site_.runner.run(argv, environment);
    if (!result.ok()) return result.error().text;
    for (HostAnswer& answer : parse_probe(result->output, site_.items)) {
      answers_.push_back(std::move(answer));
    }
    const bool all = std::all_of(names.begin(), names.end(), [this](const std::string& name) {
      return answer_of(name) != nullptr;
    });
    if (all) return "";
    const std::string said = on_one_line(result->errors);
    return said.empty() ? "srun ended with exit code " + std::to_string(result->exit_code) : said;
  }

  const HostAnswer* answer_of(const std::string& node) const {
    for (const HostAnswer& answer : answers_) {
      if (answer.host == node) return &answer;
    }
    return nullptr;
  }

  void judge(const ClusterNode& node) {
    const HostAnswer* answer = answer_of(node.name);
    if (answer == nullptr) return;
    asked_.push_back(node.name);
    if (site_.plugin_wanted() && !answer->plugin_loaded) {
      findings_.add(node.name, Grade::kProblem, "slurmstepd has not loaded the plugin",
                    "compute-scale-plugin enable there; without configuration files on nodes, put "
                    "the line into the controller's plugstack.conf and restart slurmd");
    }
    if (site_.plugin_wanted() && !site_.plugin_release.empty() &&
        !same_release(site_.plugin_release, node.release)) {
      findings_.add(
          node.name, Grade::kProblem,
          "Slurm " + node.release + " runs there, the plugin is built for " + site_.plugin_release,
          "install the compute-scale that is built for it");
    }
    for (std::size_t i = 0; i < site_.items.size(); ++i) {
      compare(node.name, site_.items[i], answer->items[i], site_.here.items[i], findings_);
    }
  }

  Site& site_;
  ByFinding findings_;
  std::vector<HostAnswer> answers_;
  Names asked_;
};

}  // namespace

void check_nodes(Site& site) {
  if (site.nodes.empty()) {
    return site.warn("nodes", "not asked: Slurm shows no node", "mend what is said of slurm");
  }
  Nodes(site).check();
}

}  // namespace compute_scale
