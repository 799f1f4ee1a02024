// Requests whose nodes or tasks cannot carry another number of GPUs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu_rewrite.h"
#include "tests/unit/request_options.h"

namespace compute_scale {
namespace {

struct TargetCase {
  std::string options;
  std::int64_t before;
  std::int64_t after;
  std::string expected;
};

TEST(GpuRewriteRefusal, Retargeting) {
  const std::vector<TargetCase> cases = {
      {"gres=gpu:2 nodes=3", 6, 4, "4 GPUs cannot be divided evenly over 3 nodes (--gres=gpu:2)"},
      {"gres=gpu:1 nodes=4", 4, 2, "2 GPUs cannot be shared by 4 nodes: give a smaller --nodes"},
      {"gpus=4 nodes=4", 4, 2, "2 GPUs cannot be shared by 4 nodes: give a smaller --nodes"},
      {"gpus=8 nodes=4-8", 8, 2, "2 GPUs cannot be shared by 4 nodes: give a smaller --nodes"},
      {"gpus=8 gpus-per-node=4", 8, 3,
       "3 GPUs cannot be divided evenly over 2 nodes (--gpus=8 --gpus-per-node=4)"},
      {"gpus-per-task=2 ntasks=3", 6, 4,
       "4 GPUs cannot be divided evenly over 3 tasks (--gpus-per-task=2)"},
      {"gpus-per-task=2 ntasks=3", 6, 2,
       "2 GPUs cannot be divided evenly over 3 tasks (--gpus-per-task=2)"},
      {"gpus-per-socket=1 sockets-per-node=2", 2, 1,
       "1 GPU cannot be divided evenly over 2 sockets (--gpus-per-socket=1)"},
      {"gres=gpu:h200:3,gpu:a100:1", 4, 2,
       "--gres=gpu:h200:3,gpu:a100:1: its parts cannot keep their proportion at 2 instead of 4 "
       "GPUs"},
      {"gpus=6 ntasks-per-node=3 nodes=2", 6, 3,
       "--ntasks-per-node=3 is one task per GPU, but 3 GPUs cannot be divided evenly over 2 nodes"},
      {"gpus=2 ntasks=2 ntasks-per-node=3 nodes=1", 2, 4,
       "4 tasks, one per GPU, do not fit into --ntasks-per-node=3 on 1 node"},
      {"gres=gpu:4 nodes=2-4", 4, 2,
       "--nodes=2-4 leaves the number of GPUs open: give one number of nodes"},
      {"nodes=2-4", 4, 2, "--nodes=2-4 leaves the number of GPUs open: give one number of nodes"},
      {"nodes=3", 4, 4, "4 GPUs cannot be divided evenly over 3 nodes"},
      // The tasks of a node are one for each GPU, and two.
      {"ntasks-per-gpu=2 ntasks-per-node=4", 4, 2,
       "at 2 GPUs: contradicting GPU options: --gres=gpu:2 is 2 GPUs, --ntasks=2 with "
       "--ntasks-per-gpu=2 is 1 GPU"},
  };
  for (const TargetCase& c : cases) {
    const Result<GpuRequest> request = read_gpu_request(options_of(c.options));
    ASSERT_TRUE(request.ok()) << c.options;
    EXPECT_EQ(shown(retarget_request(*request, c.before, c.after, "gres", std::nullopt)),
              "error: " + c.expected)
        << c.options;
  }
}

TEST(GpuRewriteRefusal, Rescaling) {
  struct Case {
    std::string options, factor, expected;
  };
  const std::vector<Case> cases = {
      {"gpus=4 nodes=4", "0.5", "2 GPUs cannot be shared by 4 nodes: give a smaller --nodes"},
      {"gres=gpu:h200:1,gpu:a100:2", "0.5",
       "--gres=gpu:h200:1,gpu:a100:2: 1 GPU of type \"h200\" times 0.5 is not a whole number"},
      {"gpus=6 gpus-per-task=3 ntasks=2", "0.5",
       "3 GPUs cannot be divided evenly over 2 tasks (--gpus=6 --gpus-per-task=3)"},
      {"gpus-per-task=1 nodes=2-4", "0.5",
       "--nodes=2-4 leaves the number of GPUs open: give one number of nodes"},
      {"gres=gpu:4 gpus-per-task=1 nodes=2-4", "0.5",
       "--nodes=2-4 leaves the number of GPUs open: give one number of nodes"},
      {"gpus=1001", "1000", "1001 GPUs would become 1001000 GPUs, more than 1,000,000"},
      {"gres=gpu:1000000", "1000",
       "1000000 GPUs would become 1000000000 GPUs, more than 1,000,000"},
  };
  for (const Case& c : cases) {
    const Result<GpuRequest> request = read_gpu_request(options_of(c.options));
    ASSERT_TRUE(request.ok()) << c.options;
    EXPECT_EQ(shown(rescale_request(*request, *ScaleFactor::parse(c.factor))),
              "error: " + c.expected)
        << c.options;
  }
}

}  // namespace
}  // namespace compute_scale
