// Steps of scaled jobs, and submissions from within them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/client_site.h"

namespace compute_scale {
namespace {

constexpr char kPayload[] = "SLURM_COMPUTE_SCALE_PAYLOAD";
constexpr char kDisplaced[] = "SLURM_COMPUTE_SCALE_DISPLACED";
constexpr char kTrainPayload[] =
    "1;scale=0.5;hardware=h200;entry=llm/train;base=4;gpus=2;het=0;env.BATCH_SIZE=64;"
    "env.GRAD_ACCUM=8";

// What a job of llm/train at 0.5 shows to its script, whose user had BATCH_SIZE=7.
std::vector<std::string> job_environment() {
  return {"HOME=/home",
          "BATCH_SIZE=64",
          "APPTAINERENV_BATCH_SIZE=64",
          "SINGULARITYENV_BATCH_SIZE=64",
          "GRAD_ACCUM=8",
          "APPTAINERENV_GRAD_ACCUM=8",
          "SINGULARITYENV_GRAD_ACCUM=8",
          "SLURM_COMPUTE_SCALE=0.5",
          "SLURM_COMPUTE_ENTRY=llm/train",
          "SLURM_COMPUTE_HARDWARE=h200",
          "SLURM_COMPUTE_GPUS=2",
          std::string(kDisplaced) + "=1;BATCH_SIZE=7",
          std::string(kPayload) + "=" + kTrainPayload};
}

// Leaving that job.
Settings undone() {
  return {{"APPTAINERENV_BATCH_SIZE", "(unset)"},
          {"APPTAINERENV_GRAD_ACCUM", "(unset)"},
          {"GRAD_ACCUM", "(unset)"},
          {"SINGULARITYENV_BATCH_SIZE", "(unset)"},
          {"SINGULARITYENV_GRAD_ACCUM", "(unset)"},
          {"SLURM_COMPUTE_ENTRY", "(unset)"},
          {"SLURM_COMPUTE_GPUS", "(unset)"},
          {"SLURM_COMPUTE_HARDWARE", "(unset)"},
          {"SLURM_COMPUTE_SCALE", "(unset)"},
          {kDisplaced, "(unset)"},
          {kPayload, "(unset)"},
          {"BATCH_SIZE", "7"}};
}

Submission in_job(const std::string& command, const std::string& request) {
  Submission submission;
  submission.command = command;
  submission.step = command == "srun";
  submission.request = request;
  submission.job_payload = kTrainPayload;
  submission.environment = job_environment();
  return submission;
}

// A step that names nothing needs no config.
TEST(ClientStep, InheritedCountsFollowTheJob) {
  const Site site;
  site.config("[broken");
  struct Case {
    std::string request, expected, message;
  };
  const std::string start = "llm/train on h200 (0.5): ";
  const std::vector<Case> cases = {
      {"gres=gpu:4", "gres=gpu:2", start + "gpu 4 -> 2"},
      {"gpus=4 ~ntasks=1", "gpus=2", start + "gpu 4 -> 2"},
      {"gres=gpu:4 ntasks=4", "gres=gpu:2 ntasks=2", start + "gpu 4 -> 2, ntasks now 2"},
      {"gres=gpu:4 ~ntasks=2", "gres=gpu:2", start + "gpu 4 -> 2"},
      {"gpus-per-task=1 ntasks=4", "ntasks=2", start + "gpu 4 -> 2, ntasks now 2"},
      // Anything else is the user's own affair.
      {"", "", ""},
      {"gres=gpu:2", "", ""},
      {"gres=gpu:1", "", ""},
      {"gres=none", "", ""},
      {"~gpus=2", "", ""},
      {"~gpus=4", "", ""},
      {"gres=gpu:4 gpus=2", "", ""},
      {"gres=gpu:", "", ""},
      {"gres=gpu:1 nodes=4", "", ""},
  };
  for (const Case& c : cases) {
    const Decision decision = submit(site, in_job("srun", c.request));
    EXPECT_EQ(shown(decision), c.expected) << c.request;
    EXPECT_EQ(decision.message, c.message) << c.request;
    EXPECT_EQ(decision.environment, Settings{}) << c.request;
    EXPECT_EQ(decision.comment, "");
  }
}

TEST(ClientStep, InheritedCountsOfOtherJobsStay) {
  const Site site;
  for (const char* payload : {"1;scale=0.5;het=0", "1;scale=0.5;base=4;gpus=4;het=0",
                              "1;scale=0.5;base=4;gpus=2;het=1", "broken", ""}) {
    Submission submission = in_job("srun", "gres=gpu:4");
    submission.job_payload = payload;
    EXPECT_EQ(shown(submit(site, submission)), "") << payload;
  }
  Submission sharded = in_job("srun", "gres=gpu:1");
  sharded.job_payload = "1;scale=0.5;entry=llm/small;base=1;gpus=1;shards=2;het=0";
  EXPECT_EQ(shown(submit(site, sharded)), "gres=shard:2");
}

TEST(ClientStep, NamesTheSameEntryAgain) {
  const Site site;
  Submission step = in_job("srun", "gres=gpu:4");
  step.entry = "llm/train";
  const Decision decision = submit(site, step);
  EXPECT_EQ(shown(decision), "gres=gpu:2");
  EXPECT_EQ(decision.message, "llm/train on h200 (0.5): gpu 4 -> 2, BATCH_SIZE=64 GRAD_ACCUM=8");
  // srun's environment is that from before the job; the payload itself stays as it is.
  EXPECT_EQ(decision.variable("BATCH_SIZE"), "7");
  EXPECT_EQ(decision.variable("GRAD_ACCUM"), "(unset)");
  EXPECT_EQ(decision.variable(kPayload), "(untouched)");
}

TEST(ClientStep, NamesAnotherEntry) {
  const Site site;
  for (const char* request : {"", "gres=gpu:2"}) {
    Submission step = in_job("srun", request);
    step.entry = "llm/other";
    const Decision decision = submit(site, step);
    EXPECT_EQ(shown(decision), "gres=gpu:1");
    Settings expected = undone();
    expected.erase(expected.begin() + 10);
    expected.emplace_back(kPayload,
                          "1;scale=0.5;hardware=h200;entry=llm/other;base=2;gpus=1;het=0;"
                          "env.LEVEL=1;env.TP_SIZE=1");
    EXPECT_EQ(decision.environment, expected);
  }
}

TEST(ClientStep, ValuesThatTheScriptChangedStay) {
  const Site site;
  Submission step = in_job("srun", "");
  step.entry = "llm/other";
  for (std::string& variable : step.environment) {
    if (variable == "BATCH_SIZE=64") variable = "BATCH_SIZE=99";
  }
  EXPECT_EQ(submit(site, step).variable("BATCH_SIZE"), "(untouched)");
}

TEST(ClientStep, TakesTheFactorOfItsJob) {
  const Site site;
  site.config("tasks_dir: tasks\ncompute_scale: 1.0\n");
  Submission step = in_job("srun", "");
  step.job_payload = "1;scale=0.5;hardware=h200;het=0";
  step.entry = "llm/train";
  EXPECT_EQ(submit(site, step).message,
            "llm/train on h200 (0.5): gpu 2, BATCH_SIZE=64 GRAD_ACCUM=8");
  // In a job without a payload the config's holds.
  step.job_payload.reset();
  EXPECT_EQ(submit(site, step).message, "");
  step.scale = "h200";
  EXPECT_EQ(shown(submit(site, step)), "gres=gpu:2");
}

TEST(ClientStep, TakesTheEntryOfItsJob) {
  const Site site;
  Submission step = in_job("srun", "gres=gpu:4");
  step.scale = "0.5";
  EXPECT_EQ(shown(submit(site, step)), "gres=gpu:2");
  // Another component has nothing of it.
  step.het_component = 1;
  step.unprofiled = "scale";
  EXPECT_EQ(submit(site, step).message, "scaled on h200 (0.5): gpu 4 -> 2");
}

TEST(ClientStep, ScaleOneIsTheBaseAgain) {
  const Site site;
  Submission step = in_job("srun", "");
  step.scale = "1.0";
  const Decision decision = submit(site, step);
  EXPECT_EQ(shown(decision), "");
  EXPECT_EQ(decision.message, "");
  EXPECT_EQ(decision.environment, undone());
}

TEST(ClientStep, CountsThatOnlyRepeatTheJobsAreAbsent) {
  const Site site;
  struct Case {
    std::string entry, request, expected;
  };
  const std::vector<Case> cases = {
      {"llm/train", "~gpus=2 ~nodes=1", ""},
      {"llm/other", "~gpus=2 ~nodes=1", "gpus=1"},
      {"llm/eval", "~gpus=2 ~ntasks=2 ~nodes=1", "gpus=1 ntasks=1"},
      {"llm/eval", "~ntasks=2 ~nodes=1", "gres=gpu:1 ntasks=1"},
      {"llm/train", "~ntasks=2 ~nodes=1", "gres=gpu:2"},
      {"llm/train", "~ntasks-per-node=2 ~nodes=1", "gres=gpu:2"},
      {"llm/eval", "~ntasks-per-node=2 ~nodes=1", "gres=gpu:1 ntasks-per-node=1 ntasks=1"},
      {"llm/eval", "~nodes=2",
       "refused: 1 GPU cannot be shared by 2 nodes: give a smaller --nodes"},
      {"llm/eval", "~gpus-per-socket=1", "gpus-per-socket=(unset) gres=gpu:1"},
      {"llm/eval", "~ntasks=2 ~ntasks-per-gpu=1", "gres=gpu:1 ntasks=1"},
      {"llm/train", "gres=none", ""},
  };
  for (const Case& c : cases) {
    Submission step = in_job("srun", c.request);
    step.entry = c.entry;
    EXPECT_EQ(shown(submit(site, step)), c.expected) << c.entry << " " << c.request;
  }
}

// A step cannot have shards where its job has whole GPUs, and no whole GPU where it has shards.
TEST(ClientStep, ShardsAsItsJob) {
  const Site site;
  site.config("tasks_dir: tasks\nslurm:\n  shards_per_gpu: 10\n");
  Submission step = in_job("srun", "");
  step.entry = "llm/small";
  EXPECT_EQ(shown(submit(site, step)), "gres=gpu:1");
  step.job_payload = "1;scale=0.5;hardware=h200;base=1;gpus=1;shards=2;het=0";
  EXPECT_EQ(shown(submit(site, step)), "gres=shard:2");
  // A job of its own has them whatever surrounds it.
  Submission nested = in_job("sbatch", "gres=gpu:1");
  nested.entry = "llm/small";
  nested.scale = "0.5";
  EXPECT_EQ(shown(submit(site, nested)), "gres=shard:2");
}

TEST(ClientStep, AutoGoesByTheJobsPartition) {
  const Site site;
  site.config("tasks_dir: tasks\nhardware: {h200: {compute_scale: 0.5, partitions: [big]}}\n");
  Submission step = in_job("srun", "");
  step.entry = "llm/train";
  step.scale = "auto";
  EXPECT_TRUE(submit(site, step).refused);
  step.environment.push_back("SLURM_JOB_PARTITION=big");
  EXPECT_EQ(shown(submit(site, step)), "gres=gpu:2");
}

TEST(ClientNested, UnnamedSubmissionsLeaveTheJobBehind) {
  const Site site;
  site.config("[broken");
  for (const char* command : {"sbatch", "salloc"}) {
    const Decision decision = submit(site, in_job(command, "gres=gpu:4"));
    EXPECT_EQ(shown(decision), "");
    EXPECT_EQ(decision.message, "");
    EXPECT_EQ(decision.environment, undone()) << command;
  }
  Submission own_allocation = in_job("srun", "gres=gpu:4");
  own_allocation.step = false;
  EXPECT_EQ(submit(site, own_allocation).environment, undone());
}

TEST(ClientNested, NamedSubmissionsAreScaledAfresh) {
  const Site site;
  Submission nested = in_job("sbatch", "gres=gpu:2");
  nested.entry = "llm/other";
  nested.scale = "0.5";
  const Decision decision = submit(site, nested);
  EXPECT_EQ(shown(decision), "gres=gpu:1");
  EXPECT_EQ(decision.variable("BATCH_SIZE"), "7");
  EXPECT_EQ(decision.variable("SLURM_COMPUTE_SCALE"), "(unset)");
  // Neither entry nor factor of the surrounding job is taken over.
  nested.entry.reset();
  nested.request = "gres=gpu:4";
  EXPECT_EQ(submit(site, nested).message.substr(0, 25), "4 GPUs kept on h200 (0.5)");
  nested.entry = "llm/train";
  nested.scale.reset();
  const Decision at_one = submit(site, nested);
  EXPECT_EQ(shown(at_one), "");
  EXPECT_EQ(at_one.environment, undone());
}

TEST(ClientNested, SallocDisplacesWhatWasThereBeforeTheJob) {
  const Site site;
  Submission nested = in_job("salloc", "gres=gpu:4");
  nested.entry = "llm/train";
  nested.scale = "0.5";
  const Decision decision = submit(site, nested);
  EXPECT_EQ(decision.variable(kDisplaced), "(untouched)");
  EXPECT_EQ(decision.variable("BATCH_SIZE"), "(untouched)");
  EXPECT_EQ(decision.variable("SLURM_COMPUTE_GPUS"), "(untouched)");
}

TEST(ClientNested, OutsideAJobNothingIsTouched) {
  const Site site;
  Submission submission;
  submission.request = "gres=gpu:4";
  submission.environment = {"BATCH_SIZE=7", "SLURM_COMPUTE_SCALE=0.5"};
  const Decision decision = submit(site, submission);
  EXPECT_EQ(shown(decision), "");
  EXPECT_EQ(decision.environment, Settings{});
}

}  // namespace
}  // namespace compute_scale
