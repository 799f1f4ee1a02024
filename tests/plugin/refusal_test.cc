// What ends a command: one error line, status 1, and nothing done.
#include <gtest/gtest.h>

#include "run.h"

namespace compute_scale_test {
namespace {

using Log = std::vector<std::string>;

CommandRun named(const std::string& command) {
  CommandRun run;
  run.command = command;
  run.components[0].command_line = {{"compute-scale", "0.5"}};
  return run;
}

// The command ended before the request went on.
void expect_refused(const Outcome& outcome, const std::string& line) {
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.log, Log{"error: compute-scale: " + line});
  EXPECT_TRUE(outcome.environments.empty());
}

TEST(Refusal, ByTheLibrary) {
  for (const char* command : {"sbatch", "salloc", "srun"}) {
    SCOPED_TRACE(command);
    CommandRun run = named(command);
    run.decision = "refuse 3 GPUs are neither 4 nor 2";
    expect_refused(run_command(run), "3 GPUs are neither 4 nor 2");
  }
}

TEST(Refusal, TheLibraryIsMissing) {
  CommandRun run = named("sbatch");
  run.library = "/nowhere/library.so";
  expect_refused(run_command(run),
                 "cannot use the library /nowhere/library.so: /nowhere/library.so: cannot open "
                 "shared object file: No such file or directory");
}

// Ignored, as the administrator's slips are: the default is used.
TEST(Refusal, TheLibraryHasNoAbsolutePath) {
  CommandRun run = named("sbatch");
  run.library = "libm.so.6";
  const Outcome outcome = run_command(run);
  EXPECT_EQ(outcome.status, 1);
  ASSERT_EQ(outcome.log.size(), 2u);
  EXPECT_EQ(outcome.log[0],
            "error: compute-scale: argument 'library=libm.so.6' of the plugstack line is ignored: "
            "known are config=/FILE and library=/FILE");
  EXPECT_NE(outcome.log[1].find("cannot use the library /"), std::string::npos);
  EXPECT_EQ(outcome.log[1].find("libm.so.6"), std::string::npos);
}

TEST(Refusal, TheLibraryLacksItsFunctions) {
  CommandRun run = named("sbatch");
  run.library = built("fake-request.so");
  const Outcome outcome = run_command(run);
  EXPECT_EQ(outcome.status, 1);
  ASSERT_EQ(outcome.log.size(), 1u);
  EXPECT_NE(outcome.log[0].find("undefined symbol: compute_scale_client_"), std::string::npos)
      << outcome.log[0];
}

TEST(Refusal, AFaultOfTheLibraryDoesNotLeaveTheHook) {
  for (const char* command : {"sbatch", "salloc", "srun"}) {
    for (const char* fault : {"throw", "abort", "crash"}) {
      SCOPED_TRACE(std::string(command) + " " + fault);
      CommandRun run = named(command);
      run.fault = fault;
      const Outcome outcome = run_command(run);
      EXPECT_EQ(outcome.status, 1);
      EXPECT_TRUE(outcome.environments.empty());
      const std::string line = std::string(command) +
                               ": error: compute-scale: the library failed; nothing was "
                               "submitted\n";
      EXPECT_NE(outcome.error_output.find(line), std::string::npos) << outcome.error_output;
    }
  }
}

struct MissingCase {
  const char* request_api;
  const char* missing;
};

// A Slurm that does not offer what it takes to rewrite a request.
const MissingCase kMissing[] = {{"", "opt"}, {"fake-opt_only", "slurm_option_get"}};

TEST(Refusal, ThisSlurmDoesNotShowTheRequest) {
  for (const MissingCase& test : kMissing) {
    for (const char* command : {"sbatch", "salloc", "srun"}) {
      CommandRun run = named(command);
      run.request_api = test.request_api;
      expect_refused(run_command(run), "this Slurm has no '" + std::string(test.missing) +
                                           "', by which a request is rewritten");
    }
  }
}

TEST(Refusal, ASlurmThatDoesNotShowTheRequestRunsJobsWithoutTheOption) {
  for (const MissingCase& test : kMissing) {
    for (const char* command : {"sbatch", "salloc", "srun"}) {
      CommandRun run;
      run.command = command;
      run.request_api = test.request_api;
      run.environment = {{"SLURM_COMPUTE_SCALE_PAYLOAD", "1;scale=0.5"}};
      const Outcome outcome = run_command(run);
      EXPECT_EQ(outcome.status, 0);
      EXPECT_EQ(outcome.log, Log{});
    }
  }
}

TEST(Refusal, SlurmDoesNotTakeAValue) {
  CommandRun run = named("sbatch");
  run.decision = "option gres gpu:2";
  run.unsettable = {"gres"};
  expect_refused(run_command(run), "Slurm does not take --gres=gpu:2");
}

TEST(Refusal, AMessageStaysOneLine) {
  CommandRun run = named("sbatch");
  run.decision = "refuse a\rb";
  expect_refused(run_command(run), "a b");
}

// Components of one srun share one environment.
TEST(Refusal, TwoEntriesInOneSrun) {
  const std::string line = "one srun carries one entry: start a srun for each component";
  CommandRun run = named("srun");
  run.components.push_back(run.components[0]);
  run.decision = "set SLURM_COMPUTE_SCALE_PAYLOAD 1;scale=0.5";
  Outcome outcome = run_command(run);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.log, Log{"error: compute-scale: " + line});

  // The job's own entry and another one.
  run.components[0].command_line.clear();
  run.components[0].request["jobid"] = "12";
  run.components[1].request["jobid"] = "12";
  run.environment = {{"SLURM_COMPUTE_SCALE_PAYLOAD", "1;scale=0.5;het=0"}};
  EXPECT_EQ(run_command(run).log, Log{"error: compute-scale: " + line});

  // An entry for component 1, and then component 0 that has the job's.
  std::swap(run.components[0], run.components[1]);
  run.components[0].request["het-group"] = "1";
  run.components[1].request["het-group"] = "0";
  EXPECT_EQ(run_command(run).log, Log{"error: compute-scale: " + line});

  // A component that has no payload gets none from its neighbour.
  run.components[1].request["het-group"] = "2";
  EXPECT_EQ(run_command(run).status, 0);
}

}  // namespace
}  // namespace compute_scale_test
