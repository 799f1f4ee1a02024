// What the client tells the library, and what it does with the answer.
#include <gtest/gtest.h>

#include "run.h"

namespace compute_scale_test {
namespace {

constexpr char kPayload[] =
    "1;scale=0.5;hardware=h200;entry=a/x;base=4;gpus=2;het=0;env.BATCH_SIZE=64";
const char kDecision[] =
    "message a/x on h200 (0.5): gpu 4 -> 2\n"
    "comment scaled by 0.5\n"
    "option gres gpu:2,vmem:10G\n"
    "option ntasks 2\n"
    "set SLURM_COMPUTE_SCALE_PAYLOAD 1;scale=0.5;het=0\n"
    "unset OLD_VARIABLE\n";

using Log = std::vector<std::string>;

CommandRun scaled(const std::string& command) {
  CommandRun run;
  run.command = command;
  run.components[0].command_line = {{"compute-scale", "0.5"}};
  run.components[0].request = {{"gres", "gres:gpu:4,gres:vmem:10G"}, {"ntasks", "4"}};
  run.decision = kDecision;
  return run;
}

TEST(Client, AppliesTheDecisionInEveryCommand) {
  for (const char* command : {"sbatch", "salloc", "srun"}) {
    SCOPED_TRACE(command);
    CommandRun run = scaled(command);
    run.environment = {{"OLD_VARIABLE", "1"}, {"OTHER", "2"}};
    const Outcome outcome = run_command(run);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.log, Log{"info: compute-scale: a/x on h200 (0.5): gpu 4 -> 2"});
    EXPECT_EQ(outcome.option("gres"), "gpu:2,vmem:10G");
    EXPECT_EQ(outcome.option("ntasks"), "2");
    EXPECT_EQ(outcome.option("comment"), "scaled by 0.5");
    EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_PAYLOAD"), "1;scale=0.5;het=0");
    EXPECT_EQ(outcome.variable("OLD_VARIABLE"), kUnset);
    EXPECT_EQ(outcome.variable("OTHER"), "2");
  }
}

TEST(Client, WithoutAnOptionNothingHappens) {
  for (const char* command : {"sbatch", "salloc", "srun"}) {
    SCOPED_TRACE(command);
    CommandRun run;
    run.command = command;
    run.components[0].request = {{"gres", "gres:gpu:4"}};
    run.environment = {{"A", "1"}, {"FAKE_LIBRARY_FAULT", ""}, {"FAKE_LIBRARY_DECISION", ""}};
    run.library = "/nowhere/library.so";
    run.plugstack_arguments = {"config=/nowhere/site.yaml", "nonsense"};
    const Outcome outcome = run_command(run);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.log, Log{});
    EXPECT_EQ(outcome.requests[0], run.components[0].request);
    Variables environment = outcome.environments[0];
    environment.erase("FAKE_LIBRARY_LOG");
    EXPECT_EQ(environment, run.environment);
  }
}

TEST(Client, ReadsTheRequestAsTheContractSays) {
  CommandRun run = scaled("sbatch");
  run.components[0].request = {{"gres", "gres:gpu:4"},
                               {"nodes", "2-0"},
                               {"ntasks", "4"},
                               {"ntasks-per-gpu", "-2"},
                               {"tres-bind", "gres/gpu:per_task:4"},
                               {"partition", "long"},
                               {"time", "60"}};
  run.components[0].derived = {"nodes", "ntasks", "ntasks-per-gpu", "tres-bind"};
  run.environment = {{"COMPUTE_SCALE_CONFIG", "/home/me/c.yaml"}, {"SLURM_GRES", "gpu:4"}};
  run.plugstack_arguments = {"config=/etc/site.yaml"};
  const Outcome outcome = run_command(run);
  ASSERT_EQ(outcome.calls.size(), 1u);
  EXPECT_EQ(outcome.calls[0],
            "command=sbatch component=0 in_allocation=0\n"
            "scale=0.5 entry=(null) unprofiled=(null)\n"
            "site_config=/etc/site.yaml user_config=/home/me/c.yaml\n"
            "job_payload=(null)\n"
            "gres=gres:gpu:4\n"
            "tres-bind=gres/gpu:per_task:4\n"
            "nodes=2-0\n"
            "partition=long\n");
}

struct RepeatedCase {
  const char* option;
  const char* value;
  Variables environment;
  bool repeated;
};

const RepeatedCase kRepeated[] = {
    {"gpus", "2", {{"SLURM_GPUS", "2"}}, true},
    {"gpus", "4", {{"SLURM_GPUS", "2"}}, false},
    {"gpus", "2", {}, false},
    {"gpus", "h200:2,a100:1", {{"SLURM_GPUS", "h200:2,a100:1"}}, true},
    {"gpus", "h200:2", {{"SLURM_GPUS", "h200:2,a100:1"}}, false},
    {"gpus", "h200:2,a100:1", {{"SLURM_GPUS", "h200:2"}}, false},
    {"gres", "gres:gpu:2,gres:vmem:1", {{"SLURM_GRES", "gpu:2,vmem:1"}}, true},
    {"gres", "gres/gpu:2", {{"SLURM_GRES", "gpu:2"}}, true},
    {"gres", "gres/gpu:2", {{"SLURM_GRES", "gpu:20"}}, false},
    {"ntasks", "4", {{"SLURM_NTASKS", "4"}}, true},
};

TEST(Client, AStepKnowsWhatOnlyRepeatsTheJob) {
  for (const RepeatedCase& c : kRepeated) {
    SCOPED_TRACE(std::string(c.option) + "=" + c.value);
    CommandRun run = scaled("srun");
    run.components[0].request = {{"jobid", "12"}, {c.option, c.value}};
    run.environment = c.environment;
    const Outcome outcome = run_command(run);
    ASSERT_EQ(outcome.calls.size(), 1u);
    EXPECT_NE(outcome.calls[0].find("in_allocation=1"), std::string::npos);
    const std::string line = std::string(c.option) + "=" + c.value + (c.repeated ? " (env)" : "");
    EXPECT_NE(outcome.calls[0].find(line + "\n"), std::string::npos) << outcome.calls[0];
  }
}

TEST(Client, TheCommentOfTheUserStays) {
  CommandRun run = scaled("sbatch");
  run.components[0].request["comment"] = "mine";
  EXPECT_EQ(run_command(run).option("comment"), "mine");
}

TEST(Client, AStepHasNoComment) {
  CommandRun run = scaled("srun");
  run.components[0].request["jobid"] = "12";
  EXPECT_EQ(run_command(run).option("comment"), kUnset);
}

TEST(Client, TheLogIsToldInOneWord) {
  CommandRun run = scaled("sbatch");
  run.decision = "record compute-scale:scale=0.5,base=4,gpus=2\n";
  run.components[0].request["quiet"] = "1";
  EXPECT_EQ(run_command(run).log, Log{"verbose: compute-scale:scale=0.5,base=4,gpus=2"});
}

TEST(Client, QuietIsQuiet) {
  CommandRun run = scaled("srun");
  run.components[0].request["quiet"] = "1";
  EXPECT_EQ(run_command(run).log, Log{});
}

TEST(Client, AnOptionCanBeTakenBack) {
  CommandRun run = scaled("sbatch");
  run.decision = "option ntasks\n";
  EXPECT_EQ(run_command(run).option("ntasks"), kUnset);
}

TEST(Client, ExportFileGetsThePayloadThroughTheJobControl) {
  CommandRun run = scaled("sbatch");
  EXPECT_EQ(run_command(run).job_control, Variables{});
  run.components[0].request["export-file"] = "variables";
  EXPECT_EQ(run_command(run).job_control,
            (Variables{{"COMPUTE_SCALE_PAYLOAD", "1;scale=0.5;het=0"}}));
}

TEST(Client, OnlyTheFirstComponentShapesTheEnvironmentOfSbatch) {
  CommandRun run = scaled("sbatch");
  run.components.push_back(run.components[0]);
  run.components[0].command_line.clear();
  const Outcome outcome = run_command(run);
  EXPECT_EQ(outcome.requests[0].at("gres"), "gres:gpu:4,gres:vmem:10G");
  EXPECT_EQ(outcome.requests[1].at("gres"), "gpu:2,vmem:10G");
  EXPECT_EQ(outcome.environments[1].count("SLURM_COMPUTE_SCALE_PAYLOAD"), 0u);
}

TEST(Client, SrunNamesTheComponent) {
  CommandRun run = scaled("srun");
  run.components[0].request["het-group"] = "3";
  const Outcome outcome = run_command(run);
  ASSERT_EQ(outcome.calls.size(), 1u);
  EXPECT_NE(outcome.calls[0].find("component=3"), std::string::npos);
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_PAYLOAD"), "1;scale=0.5;het=0");
}

// --- inside a scaled job ---

Variables scaled_job() {
  return {{"SLURM_COMPUTE_SCALE_PAYLOAD", kPayload},
          {"SLURM_COMPUTE_SCALE_DISPLACED", "1;BATCH_SIZE=7"},
          {"SLURM_COMPUTE_SCALE", "0.5"},
          {"SLURM_COMPUTE_ENTRY", "a/x"},
          {"SLURM_COMPUTE_HARDWARE", "h200"},
          {"SLURM_COMPUTE_GPUS", "2"},
          {"SLURM_GPUS", "2"},
          {"BATCH_SIZE", "64"},
          {"APPTAINERENV_BATCH_SIZE", "64"},
          {"SINGULARITYENV_BATCH_SIZE", "64"}};
}

TEST(ClientInScaledJob, APlainStepIsLeftAlone) {
  CommandRun run;
  run.command = "srun";
  run.environment = scaled_job();
  run.components[0].request = {{"jobid", "12"}, {"gpus", "2"}, {"ntasks", "1"}};
  run.library = "/nowhere/library.so";
  const Outcome outcome = run_command(run);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.log, Log{});
  EXPECT_EQ(outcome.requests[0], run.components[0].request);
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_PAYLOAD"), kPayload);
  EXPECT_EQ(outcome.variable("BATCH_SIZE"), "64");
}

TEST(ClientInScaledJob, TypedCountsGoToTheLibrary) {
  CommandRun run;
  run.command = "srun";
  run.environment = scaled_job();
  run.components[0].request = {{"jobid", "12"}, {"gres", "gres:gpu:4"}};
  run.decision = "option gres gpu:2";
  const Outcome outcome = run_command(run);
  ASSERT_EQ(outcome.calls.size(), 1u);
  EXPECT_NE(outcome.calls[0].find(std::string("job_payload=") + kPayload), std::string::npos);
  EXPECT_EQ(outcome.option("gres"), "gpu:2");
}

TEST(ClientInScaledJob, TypedCountsOfAnotherComponentDoNot) {
  CommandRun run;
  run.command = "srun";
  run.environment = scaled_job();
  run.components[0].request = {{"jobid", "12"}, {"gres", "gres:gpu:4"}, {"het-group", "1"}};
  EXPECT_TRUE(run_command(run).calls.empty());
}

TEST(ClientInScaledJob, WithoutTheLibraryTypedCountsAreLeftToSlurm) {
  CommandRun run;
  run.command = "srun";
  run.environment = scaled_job();
  run.components[0].request = {{"jobid", "12"}, {"gres", "gres:gpu:1"}};
  run.library = "/nowhere/library.so";
  const Outcome outcome = run_command(run);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.option("gres"), "gres:gpu:1");
}

TEST(ClientInScaledJob, ANewJobThatNamesNothingIsNotScaled) {
  for (const char* command : {"sbatch", "salloc", "srun"}) {
    SCOPED_TRACE(command);
    CommandRun run;
    run.command = command;
    run.environment = scaled_job();
    run.components[0].request = {{"gres", "gres:gpu:4"}};
    const Outcome outcome = run_command(run);
    EXPECT_TRUE(outcome.calls.empty());
    EXPECT_EQ(outcome.option("gres"), "gres:gpu:4");
    EXPECT_EQ(outcome.variable("BATCH_SIZE"), "7");
    EXPECT_EQ(outcome.variable("APPTAINERENV_BATCH_SIZE"), kUnset);
    EXPECT_EQ(outcome.variable("SINGULARITYENV_BATCH_SIZE"), kUnset);
    for (const auto& [name, value] : outcome.environments[0]) {
      EXPECT_EQ(name.find("SLURM_COMPUTE"), std::string::npos) << name << "=" << value;
    }
    EXPECT_EQ(outcome.variable("SLURM_GPUS"), "2");
  }
}

TEST(ClientInScaledJob, AnUnreadablePayloadIsDropped) {
  CommandRun run;
  run.environment = {{"SLURM_COMPUTE_SCALE_PAYLOAD", "nonsense"}, {"BATCH_SIZE", "64"}};
  const Outcome outcome = run_command(run);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_PAYLOAD"), kUnset);
  EXPECT_EQ(outcome.variable("BATCH_SIZE"), "64");
}

// --- loaded by two lines ---

TEST(LoadedTwice, TheLibraryIsAskedOnce) {
  for (const bool copies : {false, true}) {
    for (const char* command : {"sbatch", "salloc", "srun"}) {
      for (const bool twin : {false, true}) {
        SCOPED_TRACE(std::string(command) + (copies ? " copies" : "") + (twin ? " twin" : ""));
        CommandRun run = scaled(command);
        run.plugstack_lines = 2;
        run.copies = copies;
        run.environment = scaled_job();
        if (twin) {
          run.components[0].command_line.clear();
          run.environment["SBATCH_COMPUTE_SCALE"] = "0.25";
          run.environment["SALLOC_COMPUTE_SCALE"] = "0.25";
          run.environment["SLURM_COMPUTE_SCALE"] = "0.25";
        }
        run.components.push_back(run.components[0]);
        run.components[1].command_line = {{"compute-scale", "0.5"}};
        if (run.command == "srun") run.components.resize(1);
        const Outcome outcome = run_command(run);
        EXPECT_EQ(outcome.status, 0);
        EXPECT_EQ(outcome.calls.size(), run.components.size());
        EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_PAYLOAD"), "1;scale=0.5;het=0");
      }
    }
  }
}

}  // namespace
}  // namespace compute_scale_test
