// What the client refuses, each in one line and with nothing done.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/client_site.h"

namespace compute_scale {
namespace {

Submission with(const std::string& scale, const std::string& entry, const std::string& request) {
  Submission submission;
  submission.scale = scale;
  submission.entry = entry;
  submission.request = request;
  return submission;
}

std::string refusal(const Site& site, const Submission& submission) {
  const Decision decision = submit(site, submission);
  EXPECT_EQ(decision.request, Settings{});
  EXPECT_EQ(decision.environment, Settings{});
  EXPECT_EQ(decision.comment, "");
  return decision.refused ? decision.message : "not refused: " + decision.message;
}

TEST(ClientRefusal, Factors) {
  const Site site;
  for (const char* scale : {"", "nan", "inf", "-1", "+1", "0", "0.0", "0,5", "2x", "1e400", "1e0",
                            "0x1", " ", "0.5 ", "1001", "0.0000001", "h300"}) {
    for (const char* entry : {"llm/train", ""}) {
      Submission submission = with(scale, entry, "gres=gpu:4");
      if (*entry == '\0') submission.entry.reset();
      const std::string text = refusal(site, submission);
      EXPECT_EQ(text.rfind("--compute-scale: ", 0), 0u) << scale << ": " << text;
    }
  }
}

TEST(ClientRefusal, Entries) {
  const Site site;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "--compute-entry: \"\": expected <task>[/<label>]"},
      {"/train", "--compute-entry: \"/train\": expected <task>[/<label>]"},
      {"llm/", "--compute-entry: \"llm/\": expected <task>[/<label>]"},
      {"lm", "--compute-entry: no task \"lm\" in " + site.path("tasks") + "; did you mean llm?"},
      {"llm",
       "--compute-entry: task \"llm\" has several entries; name one of them "
       "(train, other, eval, small, cpu)"},
      {"llm/tran",
       "--compute-entry: task \"llm\" has no entry \"tran\"; did you mean train? "
       "(train, other, eval, small, cpu)"},
      {"..",
       "--compute-entry: \"..\": not a task name: expected the name of a folder of the tasks "
       "folder"},
  };
  for (const auto& [entry, expected] : cases) {
    EXPECT_EQ(refusal(site, with("0.5", entry, "gres=gpu:4")), expected);
    // A typo is refused at scale 1, too.
    EXPECT_EQ(refusal(site, with("1", entry, "gres=gpu:4")), expected);
  }
}

TEST(ClientRefusal, Counts) {
  const Site site;
  struct Case {
    std::string scale, entry, request, expected;
  };
  const std::vector<Case> cases = {
      {"0.5", "llm/train", "gres=gpu:3",
       "the request has 3 GPUs, but llm/train takes 4, or 2 on h200 (0.5)"},
      {"0.5", "llm/train", "gres=gpu:4 nodes=2",
       "the request has 8 GPUs, but llm/train takes 4, or 2 on h200 (0.5)"},
      {"0.5", "llm/train", "gres=gpu:0",
       "the request has 0 GPUs, but llm/train takes 4, or 2 on h200 (0.5)"},
      {"1", "llm/train", "gres=gpu:2", "the request has 2 GPUs, but llm/train takes 4"},
      {"0.5", "llm/eval", "gres=gpu:2", "the request has 2 GPUs, but llm/eval takes 1"},
      {"0.5", "llm/cpu", "gres=gpu:1", "the request has 1 GPU, but llm/cpu takes 0"},
      {"0.5", "llm/train", "gres=gpu:2 gpus-per-node=4",
       "contradicting GPU options: --gres=gpu:2 is 2 GPUs, --gpus-per-node=4 is 4 GPUs"},
      {"0.5", "llm/train", "gres=gpu:1 nodes=4",
       "2 GPUs cannot be shared by 4 nodes: give a smaller --nodes"},
      {"0.5", "llm/train", "gres=gpu:4 gpus=4 nodes=2-4",
       "contradicting GPU options: --gres=gpu:4 on 2 nodes is 8 GPUs, --gpus=4 is 4 GPUs"},
      {"0.5", "llm/train", "gres=gpu:4 nodes=2-4",
       "--nodes=2-4 leaves the number of GPUs open: give one number of nodes"},
      {"0.5", "llm/train",
       "gres=gpu:", "--gres: \"gpu:\" is not a resource: name[:type][:count] is expected"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(refusal(site, with(c.scale, c.entry, c.request)), c.expected) << c.request;
  }
}

TEST(ClientRefusal, Policies) {
  const Site site;
  Submission submission = with("0.5", "llm/train", "gres=gpu:4");
  submission.unprofiled = "kep";
  EXPECT_EQ(refusal(site, submission),
            "--compute-unprofiled: \"kep\": expected keep, scale or refuse; did you mean keep?");
  submission.scale.reset();
  submission.entry.reset();
  EXPECT_EQ(refusal(site, submission).rfind("--compute-unprofiled: ", 0), 0u);
}

TEST(ClientRefusal, BrokenConfigs) {
  const Site site;
  const Submission submission = with("0.5", "llm/train", "gres=gpu:4");
  const std::string file = site.path("site.yaml");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"tasks_dir: [", file + ":"},
      {"task_dir: tasks\n", file + ":1: task_dir: unknown key"},
      {"compute_scale: 0.5\n",
       file + ": tasks_dir is not set; --compute-entry needs the folder of the tasks"},
      {"tasks_dir: elsewhere\n", "--compute-entry: " + site.path("elsewhere")},
      {"tasks_dir: tasks\nhardware: {a: {compute_scale: 0.5}, b: {compute_scale: 0.5}}\n",
       "--compute-scale: \"0.5\": the factor of both a and b"},
  };
  for (const auto& [yaml, beginning] : cases) {
    site.config(yaml);
    EXPECT_EQ(refusal(site, submission).substr(0, beginning.size()), beginning);
  }
  std::filesystem::remove(file);
  EXPECT_EQ(refusal(site, submission).substr(0, file.size() + 1), file + ":");
}

TEST(ClientRefusal, BrokenUserConfigs) {
  const Site site;
  Submission submission = with("0.5", "llm/train", "gres=gpu:4");
  submission.user_config = site.path("mine.yaml");
  EXPECT_NE(refusal(site, submission).find("mine.yaml"), std::string::npos);
  site.write("mine.yaml", "compute_scale: [1]\n");
  EXPECT_NE(refusal(site, submission).find("mine.yaml:1"), std::string::npos);
  site.write("mine.yaml", "compute_scale: fast\n");
  submission.scale.reset();
  EXPECT_NE(refusal(site, submission).find("fast"), std::string::npos);
}

TEST(ClientRefusal, BrokenTasks) {
  const Site site;
  const Submission submission = with("0.5", "llm/train", "gres=gpu:4");
  for (const char* json :
       {"", "{", "[]", "{}", R"({"test_cmds": [{"cmd": "a", "label": "train", "compute": -1}]})",
        R"({"test_cmds": [{"cmd": "a", "label": "train", "computee": 4}]})",
        R"({"test_cmds": [{"cmd": "a", "label": "train", "h200": {"compute": 2, "envv": {}}}]})"}) {
    site.task("llm", json);
    const std::string text = refusal(site, submission);
    EXPECT_EQ(text.rfind("--compute-entry: " + site.path("tasks/llm/config.json"), 0), 0u) << text;
  }
}

TEST(ClientRefusal, EnvironmentsThatAJobCannotCarry) {
  const Site site;
  const auto with_env = [&](const std::string& env) {
    site.task("big", R"({"test_cmds": [{"cmd": "a", "compute": 2,
                                        "h200": {"compute": 1, "env": {)" +
                         env + "}}}]}");
    return refusal(site, with("0.5", "big", "gres=gpu:2"));
  };
  const std::string half(70000, 'x');
  EXPECT_EQ(
      with_env("\"A\": \"" + half + "\", \"B\": \"" + half + "\""),
      "big/test: an environment of 140074 bytes (encoded) in 2 variable(s) is more than a job "
      "can carry: 131043 in 2048");
  for (const char* name : {"SBATCH_X", "SALLOC_X", "LD_PRELOAD"}) {
    EXPECT_EQ(with_env("\"" + std::string(name) + "\": \"x\""),
              "big/test: an entry cannot set the variable \"" + std::string(name) + "\"");
  }
}

TEST(ClientRefusal, ForeignPayloads) {
  const Site site;
  Submission submission = with("0.5", "llm/train", "gres=gpu:4");
  submission.command = "srun";
  submission.step = true;
  submission.job_payload = "2;who=knows";
  EXPECT_EQ(refusal(site, submission), "SLURM_COMPUTE_SCALE_PAYLOAD: it is not of version 1");
}

TEST(ClientRefusal, OtherReleasesOfThePlugin) {
  compute_scale_client_input input = {};
  input.api_version = COMPUTE_SCALE_CLIENT_API_VERSION + 1;
  for (const compute_scale_client_input* given :
       {static_cast<const compute_scale_client_input*>(&input),
        static_cast<const compute_scale_client_input*>(nullptr)}) {
    const compute_scale_client_decision* decision = compute_scale_client_decide(given);
    EXPECT_EQ(decision->refused, 1);
    EXPECT_NE(std::string(decision->message).find("different releases"), std::string::npos);
    compute_scale_client_free(decision);
  }
  compute_scale_client_free(nullptr);
}

}  // namespace
}  // namespace compute_scale
