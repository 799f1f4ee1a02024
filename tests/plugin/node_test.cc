// What a job step gets to see, and when it does not run.
#include <gtest/gtest.h>
#include <slurm/slurm.h>

#include "run.h"

namespace compute_scale_test {
namespace {

using Log = std::vector<std::string>;

constexpr char kPayload[] =
    "1;scale=0.5;hardware=h200;entry=a/x;base=4;gpus=2;het=0;env.BATCH_SIZE=64;env.EMPTY=;"
    "env.ODD=a%2C%22b%22%0A%3D%20%C3%A9%25;slurm.SLURM_NTASKS=2;slurm.SLURM_NPROCS=2";

StepRun batch_step(const Variables& more = {}) {
  StepRun run;
  run.step_id = SLURM_BATCH_SCRIPT;
  run.environment = {{"SLURM_COMPUTE_SCALE_PAYLOAD", kPayload}};
  run.environment.insert(more.begin(), more.end());
  return run;
}

TEST(Node, AStepWithoutPayloadIsLeftAlone) {
  StepRun run;
  run.environment = {{"A", "1"}, {"SLURM_COMPUTE_SCALE", "0.5"}, {"BATCH_SIZE", "64"}};
  const Outcome outcome = run_step(run);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.environments[0], run.environment);
  EXPECT_EQ(outcome.log, Log{});
}

TEST(Node, TheEntrysVariablesArriveByteForByte) {
  const Outcome outcome = run_step(batch_step());
  EXPECT_EQ(outcome.status, 0);
  for (const char* prefix : {"", "APPTAINERENV_", "SINGULARITYENV_"}) {
    EXPECT_EQ(outcome.variable(std::string(prefix) + "BATCH_SIZE"), "64");
    EXPECT_EQ(outcome.variable(std::string(prefix) + "EMPTY"), "");
    EXPECT_EQ(outcome.variable(std::string(prefix) + "ODD"), "a,\"b\"\n= \xC3\xA9%");
  }
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE"), "0.5");
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_ENTRY"), "a/x");
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_HARDWARE"), "h200");
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_PAYLOAD"), kPayload);
}

TEST(Node, TheLogIsToldOnceForAStep) {
  StepRun run = batch_step();
  EXPECT_EQ(run_step(run).log,
            Log{"verbose: compute-scale:scale=0.5,hardware=h200,entry=a/x,base=4,gpus=2,"
                "env.BATCH_SIZE=64,env.EMPTY=,env.ODD=a%2C%22b%22%0A%3D%20%C3%A9%25"});
  run.task_id = 1;
  EXPECT_EQ(run_step(run).log, Log{});
}

TEST(Node, WhatIsDisplacedIsRecordedOnce) {
  Outcome outcome = run_step(batch_step({{"BATCH_SIZE", "7;"}, {"APPTAINERENV_BATCH_SIZE", "8"}}));
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_DISPLACED"),
            "1;BATCH_SIZE=7%3B;APPTAINERENV_BATCH_SIZE=8");
  outcome = run_step(batch_step());
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_DISPLACED"), "1");
  // In a step of that job the variables are the entry's already, whatever the script did to them.
  StepRun step = batch_step({{"BATCH_SIZE", "9"}, {"SLURM_COMPUTE_SCALE_DISPLACED", "1"}});
  step.step_id = 0;
  outcome = run_step(step);
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_DISPLACED"), "1");
  EXPECT_EQ(outcome.variable("BATCH_SIZE"), "64");
}

TEST(Node, ADisplacedValueThatIsTooLongIsNotKept) {
  const Outcome outcome = run_step(batch_step({{"BATCH_SIZE", std::string(130000, '%')}}));
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_DISPLACED"), "1");
  EXPECT_EQ(outcome.variable("BATCH_SIZE"), "64");
}

TEST(Node, AJobWithoutEntryHasNoEntrysVariables) {
  StepRun run;
  run.environment = {{"SLURM_COMPUTE_SCALE_PAYLOAD", "1;scale=0.5;base=4;gpus=2;het=0"},
                     {"SLURM_COMPUTE_ENTRY", "mine/x"}};
  const Outcome outcome = run_step(run);
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE"), "0.5");
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_HARDWARE"), kUnset);
  // srun's twin, which the user has set for steps of this job.
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_ENTRY"), "mine/x");
}

struct CountCase {
  const char* what;
  Variables environment;
  unsigned step_id;
  Variables expected;
};

const CountCase kCounts[] = {
    {"the batch step's counts are corrected",
     {{"SLURM_NTASKS", "4"}, {"SLURM_NPROCS", "4"}, {"SLURM_NTASKS_PER_NODE", "4"}},
     SLURM_BATCH_SCRIPT,
     {{"SLURM_NTASKS", "2"}, {"SLURM_NPROCS", "2"}, {"SLURM_NTASKS_PER_NODE", "4"}}},
    {"what Slurm did not set stays unset",
     {},
     SLURM_BATCH_SCRIPT,
     {{"SLURM_NTASKS", kUnset}, {"SLURM_NPROCS", kUnset}}},
    {"those of the component of a het job",
     {{"SLURM_NTASKS_HET_GROUP_0", "4"},
      {"SLURM_NTASKS_PACK_GROUP_0", "4"},
      {"SLURM_NTASKS_HET_GROUP_1", "4"}},
     SLURM_BATCH_SCRIPT,
     {{"SLURM_NTASKS_HET_GROUP_0", "2"},
      {"SLURM_NTASKS_PACK_GROUP_0", "2"},
      {"SLURM_NTASKS_HET_GROUP_1", "4"},
      {"SLURM_NTASKS", kUnset}}},
    {"srun's own counts are right", {{"SLURM_NTASKS", "1"}}, 0, {{"SLURM_NTASKS", "1"}}},
};

TEST(Node, CountsOfTasks) {
  for (const CountCase& c : kCounts) {
    SCOPED_TRACE(c.what);
    StepRun run = batch_step(c.environment);
    run.step_id = c.step_id;
    const Outcome outcome = run_step(run);
    for (const auto& [name, value] : c.expected) EXPECT_EQ(outcome.variable(name), value) << name;
  }
}

struct DeviceCase {
  Variables environment;
  const char* task_devices;
  const char* expected;
};

const DeviceCase kDevices[] = {
    {{{"CUDA_VISIBLE_DEVICES", "0,1"}}, "", "2"},
    {{{"CUDA_VISIBLE_DEVICES", "GPU-a,GPU-b,GPU-c"}}, "", "3"},
    {{{"CUDA_VISIBLE_DEVICES", "MIG-1f2/3/0"}}, "", "1"},
    {{{"CUDA_VISIBLE_DEVICES", ""}}, "", "0"},
    {{{"CUDA_VISIBLE_DEVICES", "NoDevFiles"}}, "", "0"},
    {{{"CUDA_VISIBLE_DEVICES", "-1"}}, "", "0"},
    {{{"CUDA_VISIBLE_DEVICES", "0,-1,1"}}, "", "1"},
    {{{"CUDA_VISIBLE_DEVICES", "-10"}}, "", "1"},
    {{{"CUDA_VISIBLE_DEVICES", "0,1"}}, "1", "1"},  // bound to one of them
    {{{"ROCR_VISIBLE_DEVICES", "0,1,2"}}, "", "3"},
    {{{"SLURM_JOB_GPUS", "0,1"}}, "", "0"},  // a step without GPUs: Slurm took the variable away
    {{}, "", "2"},                           // this Slurm does not tell: the payload's
};

TEST(Node, TheCountOfDevicesIsTheTasksOwn) {
  for (const DeviceCase& c : kDevices) {
    StepRun run = batch_step(c.environment);
    run.task_devices = c.task_devices;
    const Outcome outcome = run_step(run);
    EXPECT_EQ(outcome.variable("SLURM_COMPUTE_GPUS"), c.expected)
        << testing::PrintToString(c.environment);
  }
}

TEST(Node, WhatSlurmPassedOnIsTakenOutOfTheJob) {
  StepRun run;
  run.step_id = SLURM_BATCH_SCRIPT;
  run.environment = {{passed_on("compute-scale"), "0.5"},
                     {passed_on("compute-entry"), "a/x"},
                     {passed_on("compute-unprofiled"), "keep"},
                     {"SLURM_SPANK__SLURM_SPANK_OPTION_other_thing", "1"}};
  EXPECT_EQ(run_step(run).environments[0],
            (Variables{{"SLURM_SPANK__SLURM_SPANK_OPTION_other_thing", "1"}}));
}

TEST(Node, ThePayloadOfExportFileIsFound) {
  StepRun run;
  run.environment = {{"SLURM_SPANK_COMPUTE_SCALE_PAYLOAD", kPayload}};
  const Outcome outcome = run_step(run);
  EXPECT_EQ(outcome.variable("BATCH_SIZE"), "64");
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_PAYLOAD"), kPayload);
  EXPECT_EQ(outcome.variable("SLURM_SPANK_COMPUTE_SCALE_PAYLOAD"), kUnset);
}

TEST(Node, LoadedTwiceItDoesTheSame) {
  StepRun run = batch_step({{"BATCH_SIZE", "7"}});
  const Outcome once = run_step(run);
  run.plugstack_lines = 2;
  EXPECT_EQ(run_step(run).environments, once.environments);
}

// --- het jobs ---

Variables het_job(const Variables& more) {
  Variables variables = {{"SLURM_COMPUTE_SCALE_DISPLACED", "1;BATCH_SIZE=7"},
                         {"SLURM_COMPUTE_SCALE", "0.5"},
                         {"SLURM_COMPUTE_GPUS", "2"},
                         {"BATCH_SIZE", "64"},
                         {"EMPTY", ""},
                         {"ODD", "changed by the script"}};
  variables.insert(more.begin(), more.end());
  return variables;
}

TEST(Node, AnotherComponentOfAHetJobHasNoneOfIt) {
  for (const char* word : {"HET", "PACK"}) {
    SCOPED_TRACE(word);
    const std::string prefix = std::string("SLURM_JOB_ID_") + word + "_GROUP_";
    StepRun run = batch_step(het_job({{prefix + "0", "7"}, {prefix + "1", "8"}}));
    run.step_id = 0;
    run.job_id = 8;
    const Outcome outcome = run_step(run);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.environments[0], (Variables{{prefix + "0", "7"},
                                                  {prefix + "1", "8"},
                                                  {"BATCH_SIZE", "7"},
                                                  {"ODD", "changed by the script"}}));
    run.job_id = 7;
    EXPECT_EQ(run_step(run).variable("BATCH_SIZE"), "64");
  }
}

TEST(Node, WithoutARecordNothingIsUndone) {
  StepRun run = batch_step(
      {{"BATCH_SIZE", "64"}, {"SLURM_JOB_ID_HET_GROUP_0", "7"}, {"SLURM_JOB_ID_HET_GROUP_1", "8"}});
  run.job_id = 8;
  const Outcome outcome = run_step(run);
  EXPECT_EQ(outcome.variable("BATCH_SIZE"), "64");
  EXPECT_EQ(outcome.variable("SLURM_COMPUTE_SCALE_PAYLOAD"), kUnset);
}

// --- payloads that cannot be used ---

struct FaultCase {
  const char* payload;
  const char* fault;
};

const FaultCase kFaults[] = {
    {"", "it is not of version 1"},
    {"2;scale=0.5", "it is not of version 1"},
    {"1;scale", "it is not a list of key=value"},
    {"1;env.A=%zz", "it is not a list of key=value"},
    {"1;env.A=1;env.A=2", "a key is in it twice"},
    {"1;env.LD_PRELOAD=/x.so", "it sets a variable that an entry may not set"},
    {"1;env.SLURM_CONF=/x", "it sets a variable that an entry may not set"},
    {"1;env.=1", "it sets a variable that an entry may not set"},
    {"1;env.A-B=1", "it sets a variable that an entry may not set"},
    {"1;slurm.SLURM_JOB_ID=1", "it corrects a variable of Slurm that is no count of tasks"},
};

// The task fails by itself: with a failing hook Slurm would run it (`optional`) or drain the node.
TEST(NodeRefusal, TheTaskFailsWithOneLine) {
  for (const FaultCase& c : kFaults) {
    SCOPED_TRACE(c.payload);
    StepRun run;
    run.environment = {{"SLURM_COMPUTE_SCALE_PAYLOAD", c.payload}, {"BATCH_SIZE", "7"}};
    const Outcome outcome = run_step(run);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.log, Log{std::string("error: compute-scale: SLURM_COMPUTE_SCALE_PAYLOAD "
                                           "cannot be used: ") +
                               c.fault});
    EXPECT_TRUE(outcome.environments.empty());
  }
}

TEST(NodeRefusal, NamesThatAreTooLong) {
  StepRun run;
  run.environment = {{"SLURM_COMPUTE_SCALE_PAYLOAD", "1;env." + std::string(240, 'A') + "=1"}};
  EXPECT_EQ(run_step(run).status, 0);
  run.environment = {{"SLURM_COMPUTE_SCALE_PAYLOAD", "1;env." + std::string(241, 'A') + "=1"}};
  EXPECT_EQ(run_step(run).status, 1);
}

TEST(NodeRefusal, NothingIsReportedBeforeTheTask) {
  StepRun run;
  run.environment = {{"SLURM_COMPUTE_SCALE_PAYLOAD", std::string(200000, '1')}};
  const Outcome outcome = run_step(run);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.log.size(), 1u);
}

// --- where there is nothing to do ---

TEST(Contexts, DaemonsAndJobScriptsAreLeftAlone) {
  for (const spank_context_t context : {S_CTX_SLURMD, S_CTX_JOB_SCRIPT, S_CTX_ERROR}) {
    const Outcome outcome = run_daemon(context);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.requests[0], Variables{});
  }
}

TEST(Contexts, StepsAndCommandsKnowTheOptions) {
  EXPECT_EQ(run_daemon(S_CTX_REMOTE).requests[0],
            (Variables{{"compute-scale", ""}, {"compute-entry", ""}, {"compute-unprofiled", ""}}));
}

// scrontab takes options and never lets a plugin act on them: better that it does not know them.
TEST(Contexts, OtherProgramsDoNotKnowTheOptions) {
  EXPECT_EQ(run_daemon(S_CTX_ALLOCATOR).requests[0], Variables{});
}

}  // namespace
}  // namespace compute_scale_test
