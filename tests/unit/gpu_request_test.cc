#include "gpu_request.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/request_options.h"

namespace compute_scale {
namespace {

// "total on nodes, tasks", with "-" for what is not known and "~" where all of it is inherited.
std::string summary(const std::string& options) {
  const Result<GpuRequest> request = read_gpu_request(options_of(options));
  if (!request) return "error: " + request.error().text;
  std::string text = request->total ? std::to_string(*request->total) : "-";
  text += " on " + std::to_string(request->nodes.least);
  if (request->nodes.is_range()) text += "-" + std::to_string(request->nodes.most);
  text += ", " + std::to_string(request->tasks);
  if (request->gpus_inherited) text += " ~";
  return text;
}

struct SummaryCase {
  std::string options;
  std::string expected;
};

TEST(GpuRequest, CountsGpus) {
  const std::vector<SummaryCase> cases = {
      {"", "- on 1, 1"},
      {"gres=unset gpus=", "- on 1, 1"},
      {"gres=gres:gpu:4", "4 on 1, 1"},
      {"gres=gres/gpu:4", "4 on 1, 1"},
      {"gres=gpu:h200:4", "4 on 1, 1"},
      {"gres=gpu:h200:2,gpu:a100:2", "4 on 1, 1"},
      {"gres=gpu:4,vmem:10g", "4 on 1, 1"},
      {"gres=vmem:10g,shard:2", "- on 1, 1"},
      {"gres=gpu:0", "0 on 1, 1"},
      {"gres=none", "- on 1, 1"},
      {"gpus=4", "4 on 1, 1"},
      {"gpus=h200:4", "4 on 1, 1"},
      {"gpus-per-node=4", "4 on 1, 1"},
      {"gpus-per-node=4 nodes=2", "8 on 2, 2"},
      {"gpus-per-node=4 nodes=2-2", "8 on 2, 2"},
      {"gres=gpu:4 nodes=2-0", "8 on 2, 2"},
      {"gres=gpu:4 nodes=1-0", "4 on 1, 1"},
      {"gres=gpu:4 nodes=1-1", "4 on 1, 1"},
      {"gpus-per-socket=2 sockets-per-node=2", "4 on 1, 1"},
      {"gpus-per-socket=2 sockets-per-node=2 nodes=3", "12 on 3, 3"},
      {"gpus-per-task=1 ntasks=4", "4 on 1, 4"},
      {"gpus-per-task=1 ntasks-per-node=4", "4 on 1, 4"},
      {"gpus-per-task=1 ntasks-per-node=4 nodes=2", "8 on 2, 8"},
      {"gpus-per-task=1 nodes=2", "2 on 2, 2"},
      {"gpus-per-task=2", "2 on 1, 1"},
      {"tres-per-task=gres/gpu=4", "4 on 1, 1"},
      {"tres-per-task=cpu=8,gres/gpu:h200=2 ntasks=2", "4 on 1, 2"},
      {"tres-per-task=cpu=8 ntasks=2", "- on 1, 2"},
      {"ntasks=4 ntasks-per-gpu=1", "4 on 1, 4"},
      {"ntasks=8 ntasks-per-gpu=2", "4 on 1, 8"},
      {"ntasks=8 ntasks-per-tres=2", "4 on 1, 8"},
      {"ntasks=8 ntasks-per-gpu=2 gpus=4", "4 on 1, 8"},
      {"ntasks-per-gpu=2 gpus=4", "4 on 1, 1"},
      {"ntasks=4294967294 gres=gpu:4", "4 on 1, 1"},
      {"ntasks=-2 gres=gpu:4", "4 on 1, 1"},
  };
  for (const SummaryCase& c : cases) EXPECT_EQ(summary(c.options), c.expected) << c.options;
}

TEST(GpuRequest, ReadsSeveralViewsTogether) {
  const std::vector<SummaryCase> cases = {
      {"gres=gpu:2 gpus-per-node=2", "2 on 1, 1"},
      {"gres=gpu:1 gpus-per-task=1", "1 on 1, 1"},
      {"gres=gpu:1 gpus-per-task=1 ntasks=1", "1 on 1, 1"},
      {"gpus=256 gpus-per-node=4 ntasks-per-node=4 nodes=64", "256 on 64, 256"},
      {"gpus=8 gpus-per-node=4", "8 on 2, 2"},
      {"gpus=8 gpus-per-node=4 nodes=1-4", "8 on 2, 2"},
      {"gpus=4 gpus-per-task=1", "4 on 1, 4"},
      {"gres=gpu:4 gpus-per-task=2", "4 on 1, 2"},
      {"gpus-per-task=4 tres-per-task=gres/gpu=4 tres-bind=gres/gpu:per_task:4", "4 on 1, 1"},
      {"gres=gpu:4 ntasks=8 ntasks-per-node=4", "8 on 2, 8"},
      {"gres=gpu:4 ntasks=2 ntasks-per-node=4", "4 on 1, 2"},
      {"gres=gpu:h200:4 gpus=4", "4 on 1, 1"},
      {"gres=gpu:h200:4 gpus=h200:8 nodes=2", "8 on 2, 2"},
      {"gres=gpu:4 gpus-per-socket=2 sockets-per-node=2", "4 on 1, 1"},
      // A range of nodes leaves counts per node open, but not totals.
      {"gres=gpu:4 nodes=2-4", "- on 2-4, 2"},
      {"gpus=8 nodes=2-4", "8 on 2-4, 2"},
      {"gpus-per-task=1 ntasks=8 gres=gpu:4 nodes=1-4", "8 on 2, 8"},
  };
  for (const SummaryCase& c : cases) EXPECT_EQ(summary(c.options), c.expected) << c.options;
}

TEST(GpuRequest, RefusesContradictions) {
  const std::vector<SummaryCase> cases = {
      {"gres=gpu:2 gpus-per-node=4",
       "contradicting GPU options: --gres=gpu:2 is 2 GPUs, --gpus-per-node=4 is 4 GPUs"},
      {"gres=gres/gpu:2 gpus=8 nodes=2",
       "contradicting GPU options: --gres=gpu:2 on 2 nodes is 4 GPUs, --gpus=8 is 8 GPUs"},
      {"gpus=4 gpus-per-task=1 ntasks=3",
       "contradicting GPU options: --gpus=4 is 4 GPUs, --gpus-per-task=1 for 3 tasks is 3 GPUs"},
      {"gres=gpu:3 gpus=4",
       "contradicting GPU options: --gres=gpu:3 is 3 GPUs, --gpus=4 is 4 GPUs"},
      {"gres=gpu:4 gpus-per-socket=1 sockets-per-node=2",
       "contradicting GPU options: --gres=gpu:4 is 4 GPUs, "
       "--gpus-per-socket=1 for 2 sockets is 2 GPUs"},
      {"gpus-per-task=2 tres-per-task=gres/gpu=1",
       "contradicting GPU options: --gpus-per-task=2 for 1 task is 2 GPUs, "
       "--tres-per-task=gres/gpu=1 for 1 task is 1 GPU"},
      {"gres=gpu:h200:4 gpus=a100:4",
       "contradicting GPU options: --gres=gpu:h200:4 and --gpus=a100:4 differ in the types of GPU"},
      {"gres=gpu:h200:1,gpu:a100:3 gpus=h200:2,a100:2",
       "contradicting GPU options: --gres=gpu:h200:1,gpu:a100:3 and --gpus=h200:2,a100:2 differ in "
       "the types of GPU"},
      {"gpus=2 ntasks=8 ntasks-per-gpu=2",
       "contradicting GPU options: --gpus=2 is 2 GPUs, --ntasks=8 with --ntasks-per-gpu=2 is 4 "
       "GPUs"},
      {"ntasks=7 ntasks-per-gpu=2", "--ntasks=7 is not a multiple of --ntasks-per-gpu=2"},
      {"gpus-per-socket=1", "--gpus-per-socket needs --sockets-per-node"},
      {"gres=gpu:", "--gres: \"gpu:\" is not a resource: name[:type][:count] is expected"},
      {"gpus=x:y:z", "--gpus: \"x:y:z\" is not a number of GPUs: [type:]count is expected"},
      {"gpus=a:1000000,b:1000000", "--gpus=a:1000000,b:1000000 asks for more than 1,000,000 GPUs"},
      {"gpus-per-task=1000000 ntasks=1000000",
       "--gpus-per-task=1000000 for 1000000 tasks is more than 1,000,000 GPUs"},
      {"gres=gpu:2 nodes=500001", "--gres=gpu:2 on 500001 nodes is more than 1,000,000 GPUs"},
      {"gres=gpu:" + std::string(300, 'h') + ":4 gpus=2",
       "contradicting GPU options: --gres=gpu:" + std::string(196, 'h') +
           "... is 4 GPUs, --gpus=2 is 2 GPUs"},
  };
  for (const SummaryCase& c : cases) {
    EXPECT_EQ(summary(c.options), "error: " + c.expected) << c.options;
  }
}

// What srun finds in SLURM_* is no request of its own and cannot contradict one.
TEST(GpuRequest, InheritedCountsYield) {
  const std::vector<SummaryCase> cases = {
      {"~gpus=2", "2 on 1, 1 ~"},
      {"~gpus=2 gres=gpu:4", "4 on 1, 1"},
      {"~gpus=2 ~gpus-per-node=4", "2 on 1, 1 ~"},
      {"~gpus=2 ~gpus-per-task=1 ~ntasks=3", "2 on 1, 3 ~"},
      {"~ntasks=8 ~ntasks-per-gpu=2", "4 on 1, 8 ~"},
      {"~ntasks=7 ~ntasks-per-gpu=2", "3 on 1, 7 ~"},
      {"~ntasks=8 ~ntasks-per-gpu=2 gres=gpu:1", "1 on 1, 8"},
      {"~nodes=2 ~ntasks=2 gres=gpu:1", "2 on 2, 2"},
  };
  for (const SummaryCase& c : cases) EXPECT_EQ(summary(c.options), c.expected) << c.options;
}

}  // namespace
}  // namespace compute_scale
