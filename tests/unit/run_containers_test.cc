#include "sbatch_wrapper/run_containers.h"

#include <gtest/gtest.h>

namespace compute_scale {
namespace {

class FakeEngine : public ProcessRunner {
 public:
  Result<ProcessResult> run(const std::vector<std::string>& argv,
                            const std::vector<std::string>&) override {
    calls.push_back(argv);
    if (answers.empty()) return submit_error(argv.front() + ": cannot be started");
    ProcessResult result = answers.front();
    answers.erase(answers.begin());
    return result;
  }
  std::vector<std::vector<std::string>> calls;
  std::vector<ProcessResult> answers;
};

RunRecord docker_run() {
  RunRecord run;
  run.run_dir = "/r";
  run.container_runtime = "docker";
  run.steps.resize(2);
  run.steps[0].name = "t/a|b";
  run.steps[1].name = "t/c";
  return run;
}

RunStatus one_running() {
  RunStatus status;
  status.steps.resize(2);
  status.steps[0].phase = StepPhase::kRunning;
  status.steps[1].phase = StepPhase::kCancelled;
  return status;
}

TEST(RunContainers, ThoseOfStepsThatDoNotRun) {
  FakeEngine engine;
  engine.answers = {{0, "id1\nid2\nid3\n", ""},
                    {1, "/c1|12|t/a|b seed 0\n/c2|13|t/c seed 0\nWarning\n", "no such id3"}};
  const auto orphans = orphaned_containers(docker_run(), one_running(), engine);
  ASSERT_TRUE(orphans.ok()) << orphans.error().text;
  ASSERT_EQ(orphans->size(), 1u);
  EXPECT_EQ((*orphans)[0].name + " " + (*orphans)[0].job + " " + (*orphans)[0].step,
            "c2 13 t/c seed 0");
  EXPECT_EQ(engine.calls[0].back(), "label=compute-scale.run=/r");
  EXPECT_EQ(engine.calls[1].back(), "id3");
}

TEST(RunContainers, NoneIsOneCallAndOtherRuntimesNone) {
  FakeEngine engine;
  engine.answers = {{0, "\n", ""}};
  EXPECT_TRUE(orphaned_containers(docker_run(), one_running(), engine)->empty());
  EXPECT_EQ(engine.calls.size(), 1u);
  RunRecord run = docker_run();
  run.container_runtime = "apptainer";
  EXPECT_TRUE(orphaned_containers(run, one_running(), engine)->empty());
  EXPECT_EQ(engine.calls.size(), 1u);
  run.container_runtime = "podman";
  EXPECT_FALSE(orphaned_containers(run, one_running(), engine).ok());
  EXPECT_EQ(engine.calls[1][0], "podman");
}

}  // namespace
}  // namespace compute_scale
