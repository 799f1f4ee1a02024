// Submissions that name a scale and no entry.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/client_site.h"

namespace compute_scale {
namespace {

constexpr char kPayload[] = "SLURM_COMPUTE_SCALE_PAYLOAD";

struct Case {
  std::string scale, unprofiled, request, expected, message, payload;
};

void check(const Site& site, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    Submission submission;
    submission.scale = c.scale;
    if (!c.unprofiled.empty()) submission.unprofiled = c.unprofiled;
    submission.request = c.request;
    const Decision decision = submit(site, submission);
    EXPECT_EQ(shown(decision), c.expected) << c.request;
    EXPECT_EQ(decision.message, c.message) << c.request;
    EXPECT_EQ(decision.variable(kPayload), c.payload) << c.request;
    EXPECT_EQ(decision.record.rfind("compute-scale:scale=" + c.scale, 0), 0u) << decision.record;
    EXPECT_EQ(decision.comment, c.expected.empty() ? "" : decision.record);
  }
}

TEST(ClientUnprofiled, KeepsSeveralGpusWithAWarning) {
  const std::string why =
      ": no profile says what they become; name one by --compute-entry, or use "
      "--compute-unprofiled=scale";
  const std::vector<Case> cases = {
      {"0.5", "", "gres=gpu:4", "", "4 GPUs kept on h200 (0.5)" + why,
       "1;scale=0.5;hardware=h200;base=4;gpus=4;het=0"},
      {"0.5", "keep", "gpus-per-node=4 nodes=2", "", "8 GPUs kept on h200 (0.5)" + why,
       "1;scale=0.5;hardware=h200;base=8;gpus=8;het=0"},
      {"0.3", "keep", "gres=gpu:1 nodes=2", "", "2 GPUs kept (0.3)" + why,
       "1;scale=0.3;base=2;gpus=2;het=0"},
      {"0.5", "keep", "gres=gpu:4 nodes=2-4", "", "4 GPUs per node kept on h200 (0.5)" + why,
       "1;scale=0.5;hardware=h200;het=0"},
  };
  check(Site(), cases);
}

TEST(ClientUnprofiled, ScalesSeveralGpus) {
  const std::vector<Case> cases = {
      {"0.5", "scale", "gres=gpu:4", "gres=gpu:2", "scaled on h200 (0.5): gpu 4 -> 2",
       "1;scale=0.5;hardware=h200;base=4;gpus=2;het=0"},
      {"0.5", "scale", "gres=gpu:3", "gres=gpu:2", "scaled on h200 (0.5): gpu 3 -> 2",
       "1;scale=0.5;hardware=h200;base=3;gpus=2;het=0"},
      {"0.01", "scale", "gres=gpu:4", "gres=gpu:1", "scaled (0.01): gpu 4 -> 1",
       "1;scale=0.01;base=4;gpus=1;het=0"},
      {"2", "scale", "gres=gpu:2 gpus-per-node=2", "gres=gpu:4 gpus-per-node=4",
       "scaled (2): gpu 2 -> 4", "1;scale=2;base=2;gpus=4;het=0"},
      {"0.5", "scale", "gres=gpu:4 ntasks=4", "gres=gpu:2 ntasks=2",
       "scaled on h200 (0.5): gpu 4 -> 2, ntasks now 2",
       "1;scale=0.5;hardware=h200;base=4;gpus=2;het=0;slurm.SLURM_NTASKS=2;slurm.SLURM_NPROCS=2"},
      {"0.5", "scale", "gres=gpu:4 nodes=2-4", "gres=gpu:2",
       "scaled on h200 (0.5): gpu 4 -> 2 per node", "1;scale=0.5;hardware=h200;het=0"},
  };
  check(Site(), cases);
}

TEST(ClientUnprofiled, TheRecordHasTheCountsOfANodeWhereTheNodesAreOpen) {
  Submission submission;
  submission.scale = "0.5";
  submission.unprofiled = "scale";
  submission.request = "gres=gpu:4 nodes=2-4";
  EXPECT_EQ(submit(Site(), submission).record,
            "compute-scale:scale=0.5,hardware=h200,base_per_node=4,gpus_per_node=2");
}

TEST(ClientUnprofiled, OneGpuStays) {
  const std::vector<Case> cases = {
      {"0.5", "", "gres=gpu:1", "", "1 GPU stays 1 GPU on h200 (0.5)",
       "1;scale=0.5;hardware=h200;base=1;gpus=1;het=0"},
      {"0.5", "refuse", "gpus=1", "", "1 GPU stays 1 GPU on h200 (0.5)",
       "1;scale=0.5;hardware=h200;base=1;gpus=1;het=0"},
      {"0.5", "scale", "gres=gpu:1", "", "1 GPU stays 1 GPU on h200 (0.5)",
       "1;scale=0.5;hardware=h200;base=1;gpus=1;het=0"},
      {"2", "keep", "gres=gpu:1", "", "1 GPU stays 1 GPU (2)", "1;scale=2;base=1;gpus=1;het=0"},
      {"2", "scale", "gres=gpu:1", "gres=gpu:2", "scaled (2): gpu 1 -> 2",
       "1;scale=2;base=1;gpus=2;het=0"},
  };
  check(Site(), cases);
  const Site sharded;
  sharded.config("slurm:\n  shards_per_gpu: 4\n");
  const std::vector<Case> shard_cases = {
      {"0.3", "", "gres=gpu:1", "gres=shard:2", "scaled (0.3): gpu 1 -> shard:2",
       "1;scale=0.3;base=1;gpus=1;shards=2;het=0"},
      {"0.9", "", "gres=gpu:1", "", "1 GPU stays 1 GPU (0.9)", "1;scale=0.9;base=1;gpus=1;het=0"},
      {"0.3", "", "gpus=1", "", "1 GPU stays 1 GPU (0.3)", "1;scale=0.3;base=1;gpus=1;het=0"},
  };
  check(sharded, shard_cases);
}

TEST(ClientUnprofiled, NothingToScale) {
  const std::vector<Case> cases = {
      {"2", "", "ntasks=1", "", "nothing to scale (2): the request names no GPU",
       "1;scale=2;het=0"},
      {"0.5", "refuse", "", "", "nothing to scale on h200 (0.5): the request names no GPU",
       "1;scale=0.5;hardware=h200;het=0"},
      {"2", "scale", "gres=shard:2", "", "nothing to scale (2): the request names no GPU",
       "1;scale=2;het=0"},
      {"2", "scale", "gres=none", "", "nothing to scale (2): the request names no GPU",
       "1;scale=2;het=0"},
      {"2", "scale", "gres=gpu:0", "", "nothing to scale (2): the request names no GPU",
       "1;scale=2;het=0"},
  };
  check(Site(), cases);
}

TEST(ClientUnprofiled, Refuses) {
  const Site site;
  Submission submission;
  submission.scale = "0.5";
  submission.request = "gres=gpu:4";
  submission.unprofiled = "refuse";
  const std::string why =
      "refused: 4 GPUs on h200 (0.5): no profile says what they become; name one by "
      "--compute-entry (refused by --compute-unprofiled=refuse)";
  EXPECT_EQ(shown(submit(site, submission)), why);
  submission.unprofiled.reset();
  site.config("unprofiled: refuse\n");
  EXPECT_EQ(shown(submit(site, submission)), why);
  // The option beats the config.
  submission.unprofiled = "scale";
  EXPECT_EQ(shown(submit(site, submission)), "gres=gpu:2");
  submission.request = "gpus=4 nodes=4";
  EXPECT_EQ(shown(submit(site, submission)),
            "refused: 2 GPUs cannot be shared by 4 nodes: give a smaller --nodes");
}

TEST(ClientUnprofiled, ScaleOneChangesNothing) {
  const Site site;
  for (const char* request : {"gres=gpu:4", "", "gres=gpu:2 gpus=7", "gres=gpu:"}) {
    for (const char* policy : {"keep", "scale", "refuse"}) {
      Submission submission;
      submission.scale = "1.0";
      submission.request = request;
      submission.unprofiled = policy;
      const Decision decision = submit(site, submission);
      EXPECT_FALSE(decision.refused);
      EXPECT_EQ(decision.message, "");
      EXPECT_EQ(decision.request, Settings{});
      EXPECT_EQ(decision.environment, Settings{});
    }
  }
}

// A policy alone names nothing to do; no config is read for it.
TEST(ClientUnprofiled, PolicyAloneDoesNothing) {
  const Site site;
  site.config("[broken");
  Submission submission;
  submission.unprofiled = "scale";
  submission.request = "gres=gpu:4";
  const Decision decision = submit(site, submission);
  EXPECT_FALSE(decision.refused) << decision.message;
  EXPECT_EQ(decision.request, Settings{});
  EXPECT_EQ(decision.environment, Settings{});
}

// Variables of the same names mean nothing outside a job.
TEST(ClientUnprofiled, RepeatedVariablesCountOutsideAJob) {
  const Site site;
  Submission submission;
  submission.command = "srun";
  submission.scale = "0.5";
  submission.unprofiled = "scale";
  submission.request = "~gpus=4";
  EXPECT_EQ(shown(submit(site, submission)), "gpus=2");
  submission.step = true;
  EXPECT_EQ(shown(submit(site, submission)), "");
}

}  // namespace
}  // namespace compute_scale
