#include "gpu_rewrite.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/request_options.h"

namespace compute_scale {
namespace {

GpuRequest request_of(const std::string& options) {
  const Result<GpuRequest> request = read_gpu_request(options_of(options));
  EXPECT_TRUE(request.ok()) << options << ": " << (request ? "" : request.error().text);
  return *request;
}

struct TargetCase {
  std::string options;
  std::int64_t before;
  std::int64_t after;
  std::string expected;
};

std::string retargeted(const TargetCase& c) {
  return shown(retarget_request(request_of(c.options), c.before, c.after, "gres", std::nullopt));
}

TEST(GpuRewrite, RetargetsOneView) {
  const std::vector<TargetCase> cases = {
      {"gres=gres:gpu:4", 4, 2, "4 -> 2: gres=gpu:2"},
      {"gres=gres/gpu:4", 4, 2, "4 -> 2: gres=gpu:2"},
      {"gres=gpu:h200:4", 4, 2, "4 -> 2: gres=gpu:h200:2"},
      {"gres=vmem:10g,gres:gpu:4,gres:tmpfs:1000G,shard:2", 4, 2,
       "4 -> 2: gres=vmem:10g,gpu:2,tmpfs:1000G,shard:2"},
      {"gres=gpu:h200:2,gpu:a100:2", 4, 2, "4 -> 2: gres=gpu:h200:1,gpu:a100:1"},
      {"gres=gpu", 1, 2, "1 -> 2: gres=gpu:2"},
      {"gpus=4", 4, 2, "4 -> 2: gpus=2"},
      {"gpus=h200:4", 4, 2, "4 -> 2: gpus=h200:2"},
      {"gpus-per-node=4", 4, 2, "4 -> 2: gpus-per-node=2"},
      {"gpus-per-node=2 nodes=2", 4, 2, "4 -> 2: gpus-per-node=1"},
      {"gpus=8 nodes=2-4", 8, 4, "8 -> 4: gpus=4"},
      {"gpus-per-socket=2 sockets-per-node=2", 4, 2, "4 -> 2: gpus-per-socket=1 gres=gpu:2"},
      {"gpus-per-socket=h200:2 sockets-per-node=2 gres=vmem:1g nodes=2", 8, 4,
       "8 -> 4: gpus-per-socket=h200:1 gres=vmem:1g,gpu:h200:2"},
      {"gpus-per-task=4", 4, 2, "4 -> 2: gpus-per-task=2"},
      {"gpus-per-task=4 ntasks=1", 4, 2, "4 -> 2: gpus-per-task=2"},
      {"gpus-per-task=2 ntasks=2", 4, 2, "4 -> 2: gpus-per-task=1; ntasks 2 kept"},
      {"tres-per-task=cpu=4,gres/gpu:h200=4", 4, 2, "4 -> 2: tres-per-task=cpu=4,gres/gpu:h200=2"},
      {"gres=gpu:2", 2, 1, "2 -> 1: gres=gpu:1"},
      {"gres=gpu:2", 2, 8, "2 -> 8: gres=gpu:8"},
  };
  for (const TargetCase& c : cases) EXPECT_EQ(retargeted(c), c.expected) << c.options;
}

TEST(GpuRewrite, RetargetsAllViews) {
  const std::vector<TargetCase> cases = {
      {"gres=gpu:4 gpus-per-node=4", 4, 2, "4 -> 2: gres=gpu:2 gpus-per-node=2"},
      {"gres=gpu:4 gpus=4 gpus-per-task=4", 4, 2, "4 -> 2: gres=gpu:2 gpus=2 gpus-per-task=2"},
      {"nodes=64 gpus=256 gpus-per-node=4 ntasks-per-node=4", 256, 128,
       "256 -> 128: gpus=128 gpus-per-node=2 ntasks-per-node=2 ntasks=128"},
      {"gpus=8 gpus-per-node=4", 8, 4, "8 -> 4: gpus=4 gpus-per-node=2"},
      {"gpus=4 gpus-per-task=1", 4, 2, "4 -> 2: gpus=2"},
      {"gres=gpu:4 gpus-per-task=1 ntasks=4", 4, 2, "4 -> 2: gres=gpu:2 ntasks=2"},
      {"gres=gpu:4 gpus-per-socket=2 sockets-per-node=2", 4, 2,
       "4 -> 2: gres=gpu:2 gpus-per-socket=1"},
      {"gres=gpu:4 gpus-per-socket=2 sockets-per-node=2 ntasks-per-socket=2", 4, 2,
       "4 -> 2: gres=gpu:2 gpus-per-socket=1 ntasks-per-socket=1"},
      // What Slurm derives from --gpus-per-task=4 on 24.11 and later.
      {"gpus-per-task=4 tres-per-task=gres/gpu=4 tres-bind=gres/gpu:per_task:4", 4, 2,
       "4 -> 2: gpus-per-task=2 tres-per-task=gres/gpu=2 tres-bind=gres/gpu:per_task:2"},
      {"tres-per-task=gres/gpu=4 tres-bind=gres/x:per_task:4+gres/gpu:verbose,per_task:4", 4, 2,
       "4 -> 2: tres-per-task=gres/gpu=2 tres-bind=gres/x:per_task:4+gres/gpu:verbose,per_task:2"},
      {"gpus-per-task=4 gpu-bind=per_task:4", 4, 2, "4 -> 2: gpus-per-task=2 gpu-bind=per_task:2"},
      {"gpus-per-task=4 gpu-bind=closest tres-bind=gres/gpu:single:4", 4, 2,
       "4 -> 2: gpus-per-task=2"},
      {"gpus-per-task=4 gpu-bind=per_task:44", 4, 2, "4 -> 2: gpus-per-task=2"},
  };
  for (const TargetCase& c : cases) EXPECT_EQ(retargeted(c), c.expected) << c.options;
}

TEST(GpuRewrite, OneTaskPerGpuStays) {
  const std::vector<TargetCase> cases = {
      {"gres=gpu:4 ntasks=4", 4, 2, "4 -> 2: gres=gpu:2 ntasks=2"},
      {"gres=gpu:4 ntasks-per-node=4", 4, 2, "4 -> 2: gres=gpu:2 ntasks-per-node=2 ntasks=2"},
      {"gres=gpu:4 ntasks=4 ntasks-per-node=4", 4, 2,
       "4 -> 2: gres=gpu:2 ntasks-per-node=2 ntasks=2"},
      {"gres=gpu:4 nodes=2 ntasks-per-node=4", 8, 4,
       "8 -> 4: gres=gpu:2 ntasks-per-node=2 ntasks=4"},
      {"gres=gpu:4 nodes=2 ntasks=8", 8, 4, "8 -> 4: gres=gpu:2 ntasks=4"},
      {"gpus=8 ntasks=8 nodes=2-4", 8, 4, "8 -> 4: gpus=4 ntasks=4"},
      {"gpus-per-task=1 ntasks=4", 4, 2, "4 -> 2: ntasks=2"},
      {"gpus-per-task=1 ntasks=1", 1, 2, "1 -> 2: ntasks=2"},
      {"gpus=4 ntasks=8 ntasks-per-gpu=2", 4, 2, "4 -> 2: gpus=2 ntasks=4"},
      {"ntasks=8 ntasks-per-gpu=2", 4, 2, "4 -> 2: ntasks=4"},
      // Any other number of tasks stays, and is named where it is more than one.
      {"gres=gpu:4 ntasks=1 ntasks-per-node=1", 4, 2, "4 -> 2: gres=gpu:2"},
      {"gres=gpu:4 ntasks=3", 4, 2, "4 -> 2: gres=gpu:2; ntasks 3 kept"},
      {"gres=gpu:4 ntasks-per-node=8", 4, 2, "4 -> 2: gres=gpu:2; ntasks-per-node 8 kept"},
      {"gres=gpu:1 ntasks=1", 1, 2, "1 -> 2: gres=gpu:2"},
      {"gres=gpu:1 nodes=4 ntasks-per-node=1", 4, 8, "4 -> 8: gres=gpu:2"},
      {"gres=gpu:1 nodes=4 ntasks-per-node=1 ntasks=4", 4, 8, "4 -> 8: gres=gpu:2; ntasks 4 kept"},
      {"gres=gpu:4 ntasks=4 ntasks-per-node=8", 4, 2,
       "4 -> 2: gres=gpu:2 ntasks=2; ntasks-per-node 8 kept"},
  };
  for (const TargetCase& c : cases) EXPECT_EQ(retargeted(c), c.expected) << c.options;
}

TEST(GpuRewrite, CorrectsWhatSbatchHasWrittenAlready) {
  using Variables = std::vector<std::pair<std::string, std::string>>;
  const auto variables = [](const std::string& options) {
    return retarget_request(request_of(options), 4, 2, "gres", std::nullopt)->task_variables;
  };
  EXPECT_EQ(variables("gres=gpu:4"), Variables{});
  EXPECT_EQ(variables("gres=gpu:4 ntasks=4"),
            (Variables{{"SLURM_NTASKS", "2"}, {"SLURM_NPROCS", "2"}}));
  EXPECT_EQ(
      variables("gres=gpu:4 ntasks-per-node=4"),
      (Variables{{"SLURM_NTASKS_PER_NODE", "2"}, {"SLURM_NTASKS", "2"}, {"SLURM_NPROCS", "2"}}));
}

TEST(GpuRewrite, AddsAViewWhereThereIsNone) {
  struct Case {
    std::string options, gpu_flag, expected;
  };
  const std::vector<Case> cases = {
      {"", "gres", "- -> 2: gres=gpu:2"},
      {"", "gpus", "- -> 2: gpus=2"},
      {"", "gpus-per-node", "- -> 2: gpus-per-node=2"},
      {"gres=gres:vmem:10g,gres:shard:2", "gres", "- -> 2: gres=vmem:10g,shard:2,gpu:2"},
      {"gres=gres:vmem:10g", "gpus", "- -> 2: gpus=2"},
      {"nodes=2", "gres", "- -> 2: gres=gpu:1"},
      {"nodes=2", "gpus-per-node", "- -> 2: gpus-per-node=1"},
      {"nodes=2-4", "gpus", "- -> 2: gpus=2"},
      {"ntasks=4", "gres", "- -> 2: gres=gpu:2 ntasks=2"},
      {"ntasks=3", "gres", "- -> 2: gres=gpu:2; ntasks 3 kept"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(shown(retarget_request(request_of(c.options), 4, 2, c.gpu_flag, std::nullopt)),
              c.expected)
        << c.options;
  }
}

TEST(GpuRewrite, InheritedCountsFollowTheJob) {
  struct Case {
    std::string options;
    std::int64_t before, after;
    std::optional<std::int64_t> job_gpus;
    std::string expected;
  };
  const std::vector<Case> cases = {
      // A step of one GPU in a job of two ranks on two GPUs.
      {"~ntasks=2 ~nodes=1", 1, 1, 2, "- -> 1: gres=gpu:1 ntasks=1"},
      {"~ntasks=2 ~nodes=1", 4, 2, 2, "- -> 2: gres=gpu:2"},
      {"~ntasks=2 ~nodes=1", 1, 1, std::nullopt, "- -> 1: gres=gpu:1"},
      {"ntasks=4 ~nodes=1", 4, 2, 2, "- -> 2: gres=gpu:2 ntasks=2"},
      {"~ntasks=2 ~ntasks-per-node=2 ~nodes=1", 1, 1, 2,
       "- -> 1: gres=gpu:1 ntasks-per-node=1 ntasks=1"},
      // Counts that only repeat the job's are changed in place.
      {"~gpus=2 ~nodes=1", 1, 1, 2, "- -> 1: gpus=1"},
      {"~gpus=2", 4, 2, 2, "- -> 2:"},
      {"~gpus-per-task=1 ~ntasks=2", 1, 1, 2, "- -> 1: ntasks=1"},
      {"~gpus=2 gres=gpu:4", 4, 2, 2, "4 -> 2: gres=gpu:2"},
      {"~gpus-per-socket=1 gres=gpu:4", 4, 2, 2, "4 -> 2: gres=gpu:2"},
      // Neither says by itself how many GPUs a step has.
      {"~gpus-per-socket=1", 1, 1, 2, "- -> 1: gres=gpu:1 (gpus-per-socket)"},
      {"~ntasks=2 ~ntasks-per-gpu=1", 1, 1, 2, "- -> 1: gres=gpu:1 ntasks=1"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(shown(retarget_request(request_of(c.options), c.before, c.after, "gres", c.job_gpus)),
              c.expected)
        << c.options;
  }
}

struct FactorCase {
  std::string options;
  std::string factor;
  std::string expected;
};

std::string rescaled(const FactorCase& c) {
  return shown(rescale_request(request_of(c.options), *ScaleFactor::parse(c.factor)));
}

TEST(GpuRewrite, RescalesAndRoundsUp) {
  const std::vector<FactorCase> cases = {
      {"gres=gpu:4", "0.5", "4 -> 2: gres=gpu:2"},
      {"gres=gpu:3", "0.5", "3 -> 2: gres=gpu:2"},
      {"gres=gpu:4", "0.01", "4 -> 1: gres=gpu:1"},
      {"gres=gpu:1", "2", "1 -> 2: gres=gpu:2"},
      {"gres=gpu:1", "0.5", "1 -> 1:"},
      {"gpus=3", "0.333333", "3 -> 1: gpus=1"},
      {"gpus=3", "0.333334", "3 -> 2: gpus=2"},
      {"gres=gpu:2 gpus-per-node=2", "2", "2 -> 4: gres=gpu:4 gpus-per-node=4"},
      {"gres=gpu:1 gpus-per-task=1", "2", "1 -> 2: gres=gpu:2 gpus-per-task=2"},
      {"gres=gpu:1 gpus-per-task=1 ntasks=1", "2", "1 -> 2: gres=gpu:2 ntasks=2"},
      {"gres=gpu:3 nodes=2", "0.5", "6 -> 4: gres=gpu:2"},
      {"gres=gpu:3 nodes=2 gpus=6", "0.5", "6 -> 4: gres=gpu:2 gpus=4"},
      {"gres=gpu:1 nodes=4", "0.5", "4 -> 4:"},
      {"gpus-per-task=3 ntasks=2", "0.5", "6 -> 4: gpus-per-task=2; ntasks 2 kept"},
      {"gpus-per-task=1 ntasks=5", "0.5", "5 -> 3: ntasks=3"},
      {"gpus-per-task=1 nodes=2", "2", "2 -> 4: gpus-per-task=2"},
      {"ntasks=6 ntasks-per-gpu=2", "0.5", "3 -> 2: ntasks=4"},
      {"gpus-per-socket=3 sockets-per-node=2", "0.5", "6 -> 4: gpus-per-socket=2"},
      {"gres=gpu:h200:2,gpu:a100:4", "0.5", "6 -> 3: gres=gpu:h200:1,gpu:a100:2"},
      {"gres=gpu:4,shard:2", "0.5", "4 -> 2: gres=gpu:2,shard:2"},
      // A range of nodes leaves the total open, but not what each node is to have.
      {"gres=gpu:4 nodes=2-4", "0.5", "4 -> 2 per node: gres=gpu:2"},
      {"gres=gpu:4 nodes=2-4 ntasks-per-node=4", "0.5",
       "4 -> 2 per node: gres=gpu:2 ntasks-per-node=2"},
      {"gres=gpu:4 nodes=2-4 ntasks=4", "0.5", "4 -> 2 per node: gres=gpu:2; ntasks 4 kept"},
      {"gpus=8 nodes=2-4", "0.5", "8 -> 4: gpus=4"},
  };
  for (const FactorCase& c : cases) EXPECT_EQ(rescaled(c), c.expected) << c.options;
}

TEST(GpuRewrite, LeavesARequest) {
  EXPECT_EQ(shown(leave_request(request_of(""))), "- -> -:");
  EXPECT_EQ(shown(leave_request(request_of("gres=gpu:4 ntasks=3"))), "4 -> 4:");
  EXPECT_EQ(shown(leave_request(request_of("gres=gpu:4 nodes=2-4"))), "4 -> 4 per node:");
}

TEST(GpuRewrite, MakesShards) {
  struct Case {
    std::string options, expected;
  };
  const std::vector<Case> cases = {
      {"gres=gpu:1", "1 -> 1 shards 3: gres=shard:3"},
      {"gres=gres/gpu", "1 -> 1 shards 3: gres=shard:3"},
      {"gres=vmem:10g,gpu:1", "1 -> 1 shards 3: gres=vmem:10g,shard:3"},
      {"", "- -> 1 shards 3: gres=shard:3"},
      {"gres=vmem:10g", "- -> 1 shards 3: gres=vmem:10g,shard:3"},
      // A shard has no type, and the other options count GPUs only.
      {"gres=gpu:h200:1", "no"},
      {"gres=gpu:2", "no"},
      {"gres=gpu:1,shard:1", "no"},
      {"gpus=1", "no"},
      {"gres=gpu:1 gpus=1", "no"},
      {"gres=gpu:1 cpus-per-gpu=8", "no"},
      {"gres=gpu:1 nodes=2", "no"},
      {"ntasks=1 ntasks-per-gpu=1", "no"},
  };
  for (const Case& c : cases) {
    const std::optional<RequestPlan> plan = shard_request(request_of(c.options), 3);
    EXPECT_EQ(plan ? shown(*plan) : "no", c.expected) << c.options;
  }
}

}  // namespace
}  // namespace compute_scale
