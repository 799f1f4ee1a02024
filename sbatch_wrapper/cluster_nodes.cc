#include "cluster_nodes.h"

#include <algorithm>

#include "gres.h"
#include "text.h"

namespace compute_scale {
namespace {

void count_gres(std::string_view text, ClusterNode& node) {
  const auto items = parse_gres(text == "(null)" ? "" : text);
  if (!items.ok()) return;
  node.gpus = gpu_count(*items);
  for (const GresItem& item : *items) {
    if (item.name == "shard") node.shards += std::min(item.count, kMostGpus);  // no overflow
  }
}

// "gpu*" is the default partition.
ClusterPartition partition_of(std::string_view field) {
  const bool is_default = !field.empty() && field.back() == '*';
  if (is_default) field.remove_suffix(1);
  return {std::string(field), is_default};
}

}  // namespace

// A '-' behind the state: planned for a job that comes later.
bool ClusterNode::has_room() const {
  const std::string_view plain = std::string_view(state).substr(0, state.find_last_not_of('-') + 1);
  return plain == "idle" || plain == "mixed" || plain == "completing" || plain == "planned";
}

std::vector<ClusterNode> parse_nodes(std::string_view output) {
  std::vector<ClusterNode> out;
  for (const std::string_view line : split(output, '\n')) {
    const auto fields = split(trim(line), '|');
    if (fields.size() != 5 || fields[0].empty()) continue;
    const ClusterPartition partition = partition_of(fields[1]);
    const auto known = std::find_if(
        out.begin(), out.end(), [&](const ClusterNode& node) { return node.name == fields[0]; });
    if (known != out.end()) {
      if (partition.is_default) known->partition = partition.name;
      continue;
    }
    ClusterNode node{std::string(fields[0]), partition.name, std::string(fields[2]),
                     std::string(fields[3])};
    count_gres(fields[4], node);
    out.push_back(std::move(node));
  }
  return out;
}

std::vector<ClusterPartition> parse_partitions(std::string_view output) {
  std::vector<ClusterPartition> out;
  for (const std::string_view line : split(output, '\n')) {
    const auto fields = split(trim(line), '|');
    if (fields.size() != 3 || !fields[0].empty() || !fields[2].empty()) continue;
    ClusterPartition partition = partition_of(fields[1]);
    if (!partition.name.empty()) out.push_back(std::move(partition));
  }
  return out;
}

}  // namespace compute_scale
