// Submissions that name an entry, through the C face.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/client_site.h"

namespace compute_scale {
namespace {

constexpr char kPayload[] = "SLURM_COMPUTE_SCALE_PAYLOAD";
constexpr char kTrainPayload[] =
    "1;scale=0.5;hardware=h200;entry=llm/train;base=4;gpus=2;het=0;env.BATCH_SIZE=64;"
    "env.GRAD_ACCUM=8";

Submission entry(const std::string& name, const std::string& request,
                 const std::string& scale = "0.5") {
  Submission submission;
  submission.scale = scale;
  submission.entry = name;
  submission.request = request;
  return submission;
}

TEST(ClientEntry, SetsTheProfilesCountAndCarriesItsEnvironment) {
  const Site site;
  for (const char* command : {"sbatch", "srun"}) {
    Submission submission = entry("llm/train", "gres=gres:gpu:4");
    submission.command = command;
    const Decision decision = submit(site, submission);
    EXPECT_FALSE(decision.refused) << decision.message;
    EXPECT_EQ(decision.request, (Settings{{"gres", "gpu:2"}}));
    EXPECT_EQ(decision.environment, (Settings{{kPayload, kTrainPayload}}));
    EXPECT_EQ(decision.message, "llm/train on h200 (0.5): gpu 4 -> 2, BATCH_SIZE=64 GRAD_ACCUM=8");
    EXPECT_EQ(decision.record,
              "compute-scale:scale=0.5,hardware=h200,entry=llm/train,base=4,gpus=2,"
              "env.BATCH_SIZE=64,env.GRAD_ACCUM=8");
    EXPECT_EQ(decision.comment, decision.record);
  }
}

struct Case {
  std::string entry, request, expected, message;
};

TEST(ClientEntry, FitsRequestsOfEveryForm) {
  const Site site;
  const std::vector<Case> cases = {
      {"llm/train", "gpus=4", "gpus=2", "gpu 4 -> 2"},
      {"llm/train", "gpus-per-node=h200:4", "gpus-per-node=h200:2", "gpu 4 -> 2"},
      {"llm/train", "gpus-per-node=2 nodes=2", "gpus-per-node=1", "gpu 4 -> 2"},
      {"llm/train", "gpus-per-task=4 tres-per-task=gres/gpu=4 tres-bind=gres/gpu:per_task:4",
       "gpus-per-task=2 tres-per-task=gres/gpu=2 tres-bind=gres/gpu:per_task:2", "gpu 4 -> 2"},
      {"llm/train", "gres=gpu:4,vmem:10g gpus=4", "gres=gpu:2,vmem:10g gpus=2", "gpu 4 -> 2"},
      // The count is the profile's already.
      {"llm/train", "gres=gpu:2", "", "gpu 2"},
      {"llm/train", "gres=gpu:2 ntasks=2", "", "gpu 2"},
      // No count is named.
      {"llm/train", "", "gres=gpu:2", "gpu 2"},
      {"llm/train", "nodes=1-0 gres=vmem:10g", "gres=vmem:10g,gpu:2", "gpu 2"},
      {"llm/train", "nodes=2", "gres=gpu:1", "gpu 2"},
      {"llm/train", "gres=none", "", ""},
  };
  for (const Case& c : cases) {
    const Decision decision = submit(site, entry(c.entry, c.request));
    EXPECT_EQ(shown(decision), c.expected) << c.request;
    const std::string gpus = c.message.empty() ? "" : c.message + ", ";
    EXPECT_EQ(decision.message, "llm/train on h200 (0.5): " + gpus + "BATCH_SIZE=64 GRAD_ACCUM=8");
  }
}

TEST(ClientEntry, TasksFollowOrAreNamed) {
  const Site site;
  const Decision ranks = submit(site, entry("llm/train", "gres=gpu:4 ntasks-per-node=4"));
  EXPECT_EQ(shown(ranks), "gres=gpu:2 ntasks-per-node=2 ntasks=2");
  EXPECT_EQ(ranks.message,
            "llm/train on h200 (0.5): gpu 4 -> 2, BATCH_SIZE=64 GRAD_ACCUM=8, ntasks now 2, "
            "ntasks-per-node now 2");
  EXPECT_EQ(ranks.variable(kPayload),
            std::string(kTrainPayload) +
                ";slurm.SLURM_NTASKS_PER_NODE=2;slurm.SLURM_NTASKS=2;slurm.SLURM_NPROCS=2");
  const Decision others = submit(site, entry("llm/train", "gres=gpu:4 ntasks=3"));
  EXPECT_EQ(shown(others), "gres=gpu:2");
  EXPECT_EQ(others.message,
            "llm/train on h200 (0.5): gpu 4 -> 2, BATCH_SIZE=64 GRAD_ACCUM=8, ntasks 3 kept");
  EXPECT_EQ(others.variable(kPayload), kTrainPayload);
}

TEST(ClientEntry, SmallEntriesKeepTheirDevice) {
  const Site site;
  const std::vector<Case> cases = {
      {"llm/eval", "gres=gpu:1", "", "llm/eval on h200 (0.5): gpu 1"},
      {"llm/eval", "", "gres=gpu:1", "llm/eval on h200 (0.5): gpu 1"},
      {"llm/small", "gres=gpu:1", "", "llm/small on h200 (0.5): gpu 1"},
      {"llm/cpu", "", "", "llm/cpu on h200 (0.5)"},
      {"llm/other", "gres=gpu:2", "gres=gpu:1",
       "llm/other on h200 (0.5): gpu 2 -> 1, LEVEL=1 TP_SIZE=1"},
  };
  for (const Case& c : cases) {
    const Decision decision = submit(site, entry(c.entry, c.request));
    EXPECT_EQ(shown(decision), c.expected) << c.entry;
    EXPECT_EQ(decision.message, c.message);
  }
}

TEST(ClientEntry, SmallEntriesUseShardsWhereTheSiteHasThem) {
  const Site site;
  site.config("tasks_dir: tasks\nslurm:\n  shards_per_gpu: 10\n");
  const std::vector<Case> cases = {
      {"llm/eval", "gres=gpu:1", "gres=shard:5", "llm/eval on h200 (0.5): gpu 1 -> shard:5"},
      {"llm/small", "gres=gpu:1", "gres=shard:2", "llm/small on h200 (0.5): gpu 1 -> shard:2"},
      {"llm/small", "", "gres=shard:2", "llm/small on h200 (0.5): shard:2"},
      {"llm/small", "gpus=1", "", "llm/small on h200 (0.5): gpu 1"},
      {"llm/small", "gres=gpu:h200:1", "", "llm/small on h200 (0.5): gpu 1"},
      {"llm/other", "gres=gpu:2", "gres=gpu:1",
       "llm/other on h200 (0.5): gpu 2 -> 1, LEVEL=1 TP_SIZE=1"},
  };
  for (const Case& c : cases) {
    const Decision decision = submit(site, entry(c.entry, c.request));
    EXPECT_EQ(shown(decision), c.expected) << c.entry << " " << c.request;
    EXPECT_EQ(decision.message, c.message);
  }
  EXPECT_EQ(submit(site, entry("llm/eval", "gres=gpu:1")).variable(kPayload),
            "1;scale=0.5;hardware=h200;entry=llm/eval;base=1;gpus=1;shards=5;het=0");
}

TEST(ClientEntry, UnprofiledEntriesStayWithAWarning) {
  const Site site;
  const std::string warning =
      "vae/train: compute 8 kept at scale 0.5 (h200): more than one GPU and no \"h200\" block; add "
      "\"h200\": {\"compute\": 4, \"env\": {...}} to keep the macro-batch";
  const Decision kept = submit(site, entry("vae", "gres=gpu:8"));
  EXPECT_EQ(shown(kept), "");
  EXPECT_EQ(kept.message, warning);
  EXPECT_EQ(kept.variable(kPayload),
            "1;scale=0.5;hardware=h200;entry=vae/train;base=8;gpus=8;het=0;env.LEVEL=3");
  EXPECT_EQ(shown(submit(site, entry("vae", ""))), "gres=gpu:8");
  EXPECT_EQ(shown(submit(site, entry("vae", "gres=gpu:4"))),
            "refused: the request has 4 GPUs, but vae/train takes 8");
  for (const char* policy : {"refuse", "scale"}) {
    Submission submission = entry("vae", "gres=gpu:8");
    submission.unprofiled = policy;
    EXPECT_EQ(shown(submit(site, submission)),
              "refused: " + warning + "; refused by --compute-unprofiled=" + policy);
  }
}

TEST(ClientEntry, ScaleOneChangesNothing) {
  const Site site;
  for (const char* scale : {"1", "1.0", "h100", "H100"}) {
    for (const char* request :
         {"gres=gpu:4", "gpus=4 ntasks=4", "gres=none", "gres=gpu:4 nodes=1"}) {
      const Decision decision = submit(site, entry("llm/train", request, scale));
      EXPECT_EQ(shown(decision), "") << request;
      EXPECT_EQ(decision.environment, Settings{});
      EXPECT_EQ(decision.message, "");
      EXPECT_EQ(decision.comment, "");
    }
  }
  const Decision open = submit(site, entry("llm/train", "", "1"));
  EXPECT_EQ(shown(open), "");
  EXPECT_EQ(open.environment, Settings{});
  EXPECT_EQ(open.message,
            "llm/train: the request names no GPU and scale 1 sets none; it takes 4 GPUs");
  EXPECT_EQ(submit(site, entry("llm/cpu", "", "1")).message, "");
}

TEST(ClientEntry, FindsItsScale) {
  const Site site;
  const auto message = [&](const Submission& submission) {
    return submit(site, submission).message.substr(0, 24);
  };
  EXPECT_EQ(message(entry("llm/train", "gres=gpu:4", "h200")), "llm/train on h200 (0.5):");
  EXPECT_EQ(message(entry("llm/train", "gres=gpu:h200:4", "auto")), "llm/train on h200 (0.5):");
  EXPECT_EQ(message(entry("llm/train", "tres-per-task=gres/gpu:h200=4", "auto")),
            "llm/train on h200 (0.5):");
  EXPECT_EQ(message(entry("llm/train", "gres=gpu:h100:4", "auto")), "");
  // Without one, the config's; a user's config lies over the site's.
  Submission submission = entry("llm/train", "gres=gpu:4");
  submission.scale.reset();
  EXPECT_EQ(message(submission), "");
  site.config("tasks_dir: tasks\ncompute_scale: h200\n");
  EXPECT_EQ(message(submission), "llm/train on h200 (0.5):");
  site.write("mine.yaml", "compute_scale: 1.0\n");
  submission.user_config = site.path("mine.yaml");
  EXPECT_EQ(message(submission), "");
  submission.user_config = "";
  EXPECT_EQ(message(submission), "llm/train on h200 (0.5):");
  site.config(
      "tasks_dir: tasks\ncompute_scale: auto\nhardware:\n  h200: {compute_scale: 0.5, "
      "partitions: [big]}\n");
  submission.request = "gres=gpu:4 partition=big";
  EXPECT_EQ(message(submission), "llm/train on h200 (0.5):");
}

TEST(ClientEntry, UsersTasksReplaceTheSites) {
  const Site site;
  site.write("mine.yaml", "tasks_dir: mine\n");
  site.write("mine/llm/config.json",
             R"({"test_cmds": [{"cmd": "a", "compute": 2, "h200": {"compute": 1}}]})");
  Submission submission = entry("llm", "gres=gpu:2");
  submission.user_config = site.path("mine.yaml");
  EXPECT_EQ(shown(submit(site, submission)), "gres=gpu:1");
}

TEST(ClientEntry, AsksTheSitesWay) {
  const Site site;
  site.config("tasks_dir: tasks\nslurm:\n  gpu_flag: gpus-per-node\n");
  EXPECT_EQ(shown(submit(site, entry("llm/train", "nodes=2"))), "gpus-per-node=1");
  site.config("tasks_dir: tasks\nslurm:\n  gpu_flag: gpus\n");
  EXPECT_EQ(shown(submit(site, entry("llm/train", "nodes=2"))), "gpus=2");
}

TEST(ClientEntry, ValuesTravelUnchanged) {
  const Site site;
  site.task("odd", R"({"test_cmds": [{"cmd": "a", "compute": 2, "h200": {"compute": 1, "env": {
    "EMPTY": "", "COMMA": "a,b", "QUOTE": "it's \"x\"", "LINES": "a\nb", "UTF": "é=ü", "E": "a=b"
  }}}]})");
  const Decision decision = submit(site, entry("odd", "gres=gpu:2"));
  EXPECT_EQ(decision.variable(kPayload),
            "1;scale=0.5;hardware=h200;entry=odd/test;base=2;gpus=1;het=0;env.EMPTY=;"
            "env.COMMA=a%2Cb;env.QUOTE=it%27s%20%22x%22;env.LINES=a%0Ab;env.UTF=%C3%A9%3D%C3%BC;"
            "env.E=a%3Db");
  EXPECT_EQ(decision.message,
            "odd/test on h200 (0.5): gpu 2 -> 1, EMPTY='' COMMA=a,b QUOTE='it'\\''s \"x\"' "
            "LINES=$'a\\nb' UTF='é=ü' E=a=b");
}

// The command that salloc starts runs in salloc's own environment.
TEST(ClientEntry, SallocGetsTheEnvironmentAtOnce) {
  const Site site;
  Submission submission = entry("llm/train", "gres=gpu:4 ntasks-per-node=4");
  submission.command = "salloc";
  submission.environment = {"BATCH_SIZE=7", "HOME=/home", "SLURM_NTASKS_PER_NODE=4"};
  const Decision decision = submit(site, submission);
  EXPECT_EQ(decision.environment, (Settings{{"APPTAINERENV_BATCH_SIZE", "64"},
                                            {"APPTAINERENV_GRAD_ACCUM", "8"},
                                            {"BATCH_SIZE", "64"},
                                            {"GRAD_ACCUM", "8"},
                                            {"SINGULARITYENV_BATCH_SIZE", "64"},
                                            {"SINGULARITYENV_GRAD_ACCUM", "8"},
                                            {"SLURM_COMPUTE_ENTRY", "llm/train"},
                                            {"SLURM_COMPUTE_GPUS", "2"},
                                            {"SLURM_COMPUTE_HARDWARE", "h200"},
                                            {"SLURM_COMPUTE_SCALE", "0.5"},
                                            {"SLURM_COMPUTE_SCALE_DISPLACED", "1;BATCH_SIZE=7"},
                                            {kPayload, kTrainPayload},
                                            {"SLURM_NTASKS_PER_NODE", "2"}}));
}

TEST(ClientEntry, HetComponents) {
  const Site site;
  Submission submission = entry("llm/train", "gres=gpu:4");
  submission.het_component = 1;
  EXPECT_EQ(shown(submit(site, submission)),
            "refused: component 1 of a het job cannot carry the environment of llm/train: make it "
            "the first component, or leave it to its step: srun --het-group=1 --compute-scale=0.5 "
            "--compute-entry=llm/train");
  submission.command = "srun";
  EXPECT_EQ(submit(site, submission).variable(kPayload).find("het=1") != std::string::npos, true);
  submission.command = "sbatch";
  submission.scale = "1";
  EXPECT_EQ(shown(submit(site, submission)), "");
  // An entry without an environment of its own loses nothing.
  submission = entry("llm/eval", "");
  submission.het_component = 1;
  EXPECT_EQ(shown(submit(site, submission)), "gres=gpu:1");
}

}  // namespace
}  // namespace compute_scale
