#include "sbatch_wrapper/cluster_nodes.h"

#include <gtest/gtest.h>

namespace compute_scale {
namespace {

TEST(ClusterNodes, EachIsThereOnceWithItsDefaultPartition) {
  const auto nodes = parse_nodes(
      "n0|long|idle|22.05.8|gpu:h200:8(S:0-1),shard:32\nn0|gpu*|idle|22.05.8|gpu:h200:8\n"
      "n1|gpu*|down*|22.05.8|(null)\n");
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].name + " " + nodes[0].partition, "n0 gpu");
  EXPECT_EQ(nodes[0].gpus, 8);
  EXPECT_EQ(nodes[0].shards, 32);
  EXPECT_EQ(nodes[1].gpus, 0);
  EXPECT_TRUE(nodes[0].has_room());
  EXPECT_FALSE(nodes[1].has_room());
}

TEST(ClusterNodes, OtherLinesArePassedOver) {
  EXPECT_TRUE(parse_nodes("").empty());
  EXPECT_TRUE(parse_nodes("Welcome | to | the | cluster\n|gpu|idle|22.05.8|gpu:8\n").empty());
}

TEST(ClusterNodes, CountsThatCannotBeDoNotOverflow) {
  const auto nodes =
      parse_nodes("n0|gpu|idle|1|shard:9223372036854775807,shard:9223372036854775807");
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].shards, 2000000);
}

TEST(ClusterPartitions, TheDefaultOneHasAStar) {
  const auto partitions = parse_partitions("Welcome | to | us\n|gpu*|\n|a b|\n||\n|*|\n|cpu|x\n");
  ASSERT_EQ(partitions.size(), 2u);
  EXPECT_EQ(partitions[0].name, "gpu");
  EXPECT_TRUE(partitions[0].is_default);
  EXPECT_EQ(partitions[1].name, "a b");
  EXPECT_FALSE(partitions[1].is_default);
}

}  // namespace
}  // namespace compute_scale
