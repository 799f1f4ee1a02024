// The nodes and partitions of the cluster, as sinfo shows them.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_CLUSTER_NODES_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_CLUSTER_NODES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace compute_scale {

struct ClusterNode {
  std::string name;
  std::string partition;  // one that it is in, the default one where it is in that
  std::string state;      // as Slurm names it: "idle", "mixed", "down*", …
  std::string release;    // of its slurmd: "22.05.8"
  std::int64_t gpus = 0;
  std::int64_t shards = 0;

  // Whether a job may start there at once.
  bool has_room() const;
};

// The format for sinfo's --format, and the nodes in what it prints for it; each is there once, in
// sinfo's order. Other lines are passed over.
inline constexpr char kNodeFormat[] = "%N|%P|%T|%v|%G";
std::vector<ClusterNode> parse_nodes(std::string_view output);

struct ClusterPartition {
  std::string name;
  bool is_default = false;  // Slurm takes it where a request names none
};

// The same for partitions, in sinfo's order.
inline constexpr char kPartitionFormat[] = "|%P|";
std::vector<ClusterPartition> parse_partitions(std::string_view output);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_CLUSTER_NODES_H_
