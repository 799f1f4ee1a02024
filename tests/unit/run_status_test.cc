#include "sbatch_wrapper/run_status.h"

#include <gtest/gtest.h>

#include <memory>

#include "sbatch_wrapper/status_view.h"

namespace compute_scale {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;  // 2027-01-15T08:00:00Z

// A run of two jobs, the second behind the first; the first has two steps in one lane.
class RunStatusTest : public testing::Test {
 protected:
  RunStatusTest() {
    run_.run_dir = "/r";
    run_.tasks = {"t"};
    for (const char* label : {"a", "b", "c"}) {
      RunStep step;
      step.name = std::string("t/") + label;
      step.seed = 42;
      step.compute = "2";
      step.time_minutes = 60;
      step.log = std::string("logs/t/") + label + ".log";
      run_.steps.push_back(step);
    }
    run_.jobs.resize(2);
    run_.jobs[0].name = "one";
    run_.jobs[0].lanes = {{{0, 1}, {0, 1}}};
    run_.jobs[1].name = "two";
    run_.jobs[1].lanes = {{{0, 1}, {2}}};
    run_.jobs[1].after = {0};
    for (RunJob& job : run_.jobs) job.devices = 2;
    records_.resize(3);
    queue_.reserve(8);  // row() returns references
  }

  // Job 0 is element 4 of array 12, job 1 is job 13.
  void submit() {
    run_.submissions = 1;
    run_.jobs[0].submissions = {submission("12", 4)};
    run_.jobs[1].submissions = {submission("13", std::nullopt)};
  }
  static JobSubmission submission(const std::string& id, std::optional<std::int64_t> index) {
    JobSubmission out;
    out.state = SubmissionState::kSubmitted;
    out.id = id;
    out.index = index;
    out.slurm_name = "n" + id;
    return out;
  }

  StepRecord& record(std::size_t step, StepState state, std::optional<int> code) {
    StepRecord record;
    record.step = run_.steps[step].name;
    record.state = state;
    record.exit_code = code;
    record.job_id = step == 2 ? "13" : "16";
    record.array_job_id = step == 2 ? "" : "12";
    record.array_task_id = step == 2 ? "" : "4";
    record.started = "2027-01-15T07:00:00Z";
    record.written = "2027-01-15T07:30:00Z";
    if (code) record.elapsed_seconds = 1800;
    records_[step] = record;
    return *records_[step];
  }

  // What Slurm says of a job; "" is nothing.
  QueueJob& row(std::size_t job, const std::string& state, const std::string& reason = "") {
    QueueJob out;
    const JobSubmission& last = run_.jobs[job].submissions.back();
    out.id = last.id;
    out.index = last.index;
    out.job_id = job == 0 ? "16" : "13";
    out.state = state;
    out.reason = reason;
    out.name = last.slurm_name;
    queue_.push_back(out);
    return queue_.back();
  }

  RunStatus decide() {
    RunFacts facts{run_, records_, std::nullopt, {}, submitting_, kNow, local_};
    queues_ = {{"", queue_}};
    if (asked_) facts.queue = queues_;
    if (!accounting_.empty()) facts.accounting = {{"", accounting_}};
    clusters_ = open_clusters(facts, decide_status(facts));
    lost_ = lost_jobs(facts, decide_status(facts));
    return decide_status(facts);
  }
  // "state state state".
  std::string states() {
    const RunStatus status = decide();
    std::string out;
    for (const StepStatus& step : status.steps) {
      out += (out.empty() ? "" : " ") + step.state;
      const bool exact = step.state == to_string(step.phase);
      if (!exact) out += "=" + to_string(step.phase);
    }
    return out;
  }
  std::string reason(std::size_t step) { return decide().steps[step].reason; }

  RunRecord run_;
  std::vector<std::optional<StepRecord>> records_;
  std::vector<QueueJob> queue_, accounting_;
  std::vector<ClusterQueue> queues_;
  std::vector<std::string> clusters_;
  std::vector<ClusterIds> lost_;
  bool asked_ = true;
  bool submitting_ = false;
  LocalRun local_ = LocalRun::kNone;
};

TEST_F(RunStatusTest, AWaitingARunningAndAFinishedRun) {
  submit();
  row(0, "PENDING", "Priority");
  row(1, "PENDING", "Dependency");
  EXPECT_EQ(states(), "waiting waiting waiting");
  queue_[0].state = "RUNNING";
  record(0, StepState::kRunning, std::nullopt);
  EXPECT_EQ(states(), "running waiting waiting");
  EXPECT_EQ(decide().steps[0].elapsed_seconds, 3600);
  EXPECT_EQ(decide().steps[1].job_id, "12_4");
  record(0, StepState::kDone, 0);
  record(1, StepState::kDone, 0);
  record(2, StepState::kDone, 0);
  queue_.clear();
  EXPECT_EQ(states(), "done done done");
  EXPECT_TRUE(decide().all_done() && decide().is_over() && !decide().has_bad());
}

TEST_F(RunStatusTest, SlurmIsAskedOnlyWhereTheRecordsLeaveSomethingOpen) {
  submit();
  asked_ = false;
  decide();
  EXPECT_EQ(clusters_, std::vector<std::string>{""});
  record(0, StepState::kDone, 0);
  record(1, StepState::kFailed, 1);
  EXPECT_EQ(states(), "done failed blocked");
  EXPECT_TRUE(clusters_.empty()) << "what is blocked is settled as well";
  records_[1] = records_[0];
  run_.jobs[1].submissions[0].cluster = "beta";
  decide();
  EXPECT_EQ(clusters_, std::vector<std::string>{"beta"});
}

TEST_F(RunStatusTest, ARunOutsideOfSlurmNeedsNone) {
  record(0, StepState::kRunning, std::nullopt).job_id.clear();
  records_[0]->array_job_id.clear();
  asked_ = false;
  local_ = LocalRun::kGoesOn;
  EXPECT_EQ(states(), "running waiting waiting");
  EXPECT_TRUE(clusters_.empty());
  local_ = LocalRun::kGone;
  EXPECT_EQ(states(), "lost=failed blocked blocked");
  EXPECT_EQ(reason(1), "the run ended before it started: sbatch-tasks run --run-dir goes on");
}

TEST_F(RunStatusTest, AFailedStepBlocksWhatBuildsOnItAndSaysSo) {
  submit();
  record(0, StepState::kFailed, 6);
  row(0, "RUNNING");
  row(1, "PENDING", "Dependency");
  EXPECT_EQ(states(), "failed waiting blocked");
  EXPECT_EQ(reason(2), "t/a seed 42 failed");
  // Slurm has cancelled it by --kill-on-invalid-dep, and forgets it later.
  queue_[1].state = "CANCELLED";
  EXPECT_EQ(states(), "failed waiting blocked");
  queue_.pop_back();
  EXPECT_EQ(states(), "failed waiting blocked");
  EXPECT_TRUE(decide().has_bad());
}

TEST_F(RunStatusTest, ADependencyThatCanNeverBeMet) {
  submit();
  row(0, "RUNNING");
  row(1, "PENDING", "DependencyNeverSatisfied");
  EXPECT_EQ(states(), "waiting waiting blocked");
  EXPECT_EQ(reason(2), "its dependency can never be met");
}

TEST_F(RunStatusTest, AJobThatIsGoneIsNeverCountedAsDone) {
  submit();
  record(0, StepState::kRunning, std::nullopt);
  row(1, "PENDING", "Dependency");
  EXPECT_EQ(states(), "lost=failed lost=failed blocked");
  ASSERT_EQ(lost_.size(), 1u);
  EXPECT_EQ(lost_[0].ids, std::vector<std::string>{"12"});
  EXPECT_EQ(reason(0), "its job is gone and left no record of its end");
  // Seen as ended, but without a record.
  row(0, "COMPLETED");
  EXPECT_EQ(states(), "lost=failed lost=failed blocked");
  EXPECT_TRUE(lost_.empty()) << "the queue knows it: the accounting has no more to say";
}

TEST_F(RunStatusTest, SlurmSaysWhyAJobEnded) {
  const struct {
    const char* state;
    const char* states;
  } cases[] = {
      {"TIMEOUT", "timeout=failed timeout=failed blocked"}, {"NODE_FAIL", "failed failed blocked"},
      {"OUT_OF_MEMORY", "failed failed blocked"},           {"PREEMPTED", "failed failed blocked"},
      {"CANCELLED", "cancelled cancelled blocked"},
  };
  submit();
  record(0, StepState::kRunning, std::nullopt);
  for (const auto& c : cases) {
    queue_.clear();
    accounting_.clear();
    row(0, c.state);
    EXPECT_EQ(states(), c.states) << c.state;
    // The same from the accounting, where the queue has forgotten it.
    accounting_ = queue_;
    queue_.clear();
    EXPECT_EQ(states(), c.states) << c.state;
    EXPECT_EQ(decide().steps[0].slurm_state, c.state);
  }
  EXPECT_EQ(reason(2), "t/a seed 42 was cancelled");
}

TEST_F(RunStatusTest, AStepThatASignalEndedHasTheJobsReason) {
  submit();
  record(0, StepState::kFailed, 143);
  record(1, StepState::kFailed, 2);
  row(0, "TIMEOUT");
  EXPECT_EQ(states(), "timeout=failed failed blocked");
  queue_[0].state = "CANCELLED";
  EXPECT_EQ(states(), "cancelled failed blocked");
  EXPECT_EQ(decide().steps[0].exit_code, 143);
  record(0, StepState::kTimeout, 143);
  record(1, StepState::kCancelled, 143);
  queue_[0].state = "FAILED";
  EXPECT_EQ(states(), "timeout=failed cancelled blocked");
}

TEST_F(RunStatusTest, WhoeverToldTheJobToEndTheRecordIsTheSame) {
  submit();
  record(0, StepState::kCancelled, 143);
  record(1, StepState::kDone, 0);
  asked_ = false;
  EXPECT_EQ(states(), "cancelled done blocked");
  EXPECT_EQ(clusters_, std::vector<std::string>{""}) << "it may have been requeued";
  asked_ = true;
  const struct {
    const char* state;
    const char* states;
  } cases[] = {{"CANCELLED", "cancelled done blocked"},
               {"PREEMPTED", "failed done blocked"},
               {"TIMEOUT", "timeout=failed done blocked"},
               {"FAILED", "cancelled done blocked"},
               {"COMPLETING", "ending=running done lost=failed"}};
  for (const auto& c : cases) {
    queue_.clear();
    row(0, c.state);
    EXPECT_EQ(states(), c.states) << c.state;
  }
  queue_[0].state = "PENDING";
  queue_[0].restarts = 1;
  EXPECT_EQ(states(), "requeued=waiting done lost=failed");
  // The user's own cancel is in the journal: nothing to ask.
  queue_.clear();
  run_.jobs[0].submissions[0].cancelled = true;
  EXPECT_EQ(states(), "cancelled done blocked");
  EXPECT_TRUE(clusters_.empty());
}

TEST_F(RunStatusTest, RequeuedIsNotFailed) {
  submit();
  record(0, StepState::kFailed, 143).attempt = 2;
  record(1, StepState::kRunning, std::nullopt);
  QueueJob& job = row(0, "PENDING", "BeginTime");
  row(1, "PENDING", "Dependency");
  job.restarts = 1;
  EXPECT_EQ(states(), "requeued=waiting requeued=waiting waiting");
  EXPECT_EQ(decide().steps[0].attempt, 2);
  // Started again, and no step of it has.
  queue_[0].state = "RUNNING";
  queue_[0].started = utc_seconds("2027-01-15T07:40:00Z");
  EXPECT_EQ(states(), "requeued=waiting requeued=waiting waiting");
  record(0, StepState::kRunning, std::nullopt).written = "2027-01-15T07:40:01Z";
  EXPECT_EQ(states(), "running requeued=waiting waiting");
  // A step that runs by now in a job that waited when Slurm was asked was not requeued.
  queue_[0].state = "PENDING";
  queue_[0].restarts = 0;
  EXPECT_EQ(states(), "running running waiting");
}

TEST_F(RunStatusTest, UnknownStatesAreShownAsTheyAre) {
  submit();
  record(0, StepState::kRunning, std::nullopt);
  row(0, "XYZ");
  row(1, "PENDING", "Dependency");
  EXPECT_EQ(states(), "XYZ=running XYZ=waiting waiting");
  EXPECT_FALSE(decide().is_over());
}

TEST_F(RunStatusTest, WithoutSlurmTheRecordsTell) {
  submit();
  record(0, StepState::kDone, 0);
  record(1, StepState::kRunning, std::nullopt);
  asked_ = false;
  EXPECT_EQ(states(), "done running waiting");
}

TEST_F(RunStatusTest, ARecordOfAnEarlierSubmissionIsHistory) {
  submit();
  record(0, StepState::kDone, 0);
  record(1, StepState::kFailed, 1);
  run_.jobs[0].submissions.push_back(submission("20", std::nullopt));
  run_.submissions = 2;
  row(0, "PENDING", "Priority");
  row(1, "PENDING", "Dependency");
  EXPECT_EQ(states(), "done waiting waiting");
  EXPECT_EQ(decide().steps[1].attempt, 1);
  EXPECT_EQ(decide().steps[1].job_id, "20");
}

TEST_F(RunStatusTest, JobsThatNeverReachedTheQueue) {
  submit();
  run_.jobs[0].submissions[0].state = SubmissionState::kFailed;
  run_.jobs[0].submissions[0].reason = "sbatch: error: no";
  run_.jobs[1].submissions.clear();
  EXPECT_EQ(states(), "blocked blocked blocked");
  EXPECT_EQ(reason(0), "its job was not submitted: sbatch: error: no");
  // Slurm keeps a refused request for a while as a job that failed; one that lives is a job.
  row(0, "FAILED", "BadConstraints");
  EXPECT_EQ(reason(0), "its job was not submitted: sbatch: error: no");
  EXPECT_EQ(decide().steps[0].job_id, "");
  queue_[0].state = "PENDING";
  EXPECT_EQ(states(), "waiting waiting blocked");
  queue_.clear();
  run_.jobs[0].submissions[0].state = SubmissionState::kPending;
  EXPECT_EQ(reason(0), "nobody knows whether its job was submitted: sbatch-tasks resume");
  row(0, "PENDING");  // found by its name
  EXPECT_EQ(states(), "waiting waiting blocked");
  EXPECT_EQ(reason(2), "its job was never submitted: sbatch-tasks resume");
  submitting_ = true;
  EXPECT_EQ(states(), "waiting waiting waiting");
}

TEST_F(RunStatusTest, CancelledByTheJournal) {
  submit();
  run_.jobs[0].submissions[0].cancelled = true;
  record(0, StepState::kFailed, 143);
  asked_ = false;
  EXPECT_EQ(states(), "cancelled cancelled blocked");
  EXPECT_TRUE(clusters_.empty());
}

TEST_F(RunStatusTest, GpuTime) {
  submit();
  QueueJob& job = row(0, "RUNNING");
  job.gpus = 4;  // more than planned: the request tells
  job.elapsed_seconds = 900;
  row(1, "PENDING", "Dependency");
  EXPECT_EQ(decide().jobs[0].gpus, 4);
  EXPECT_DOUBLE_EQ(decide().jobs[0].gpu_seconds, 3600);
  EXPECT_DOUBLE_EQ(decide().jobs[1].gpu_seconds, 0);
  // Gone: by its records, from the first start to the last sign.
  queue_.clear();
  record(0, StepState::kDone, 0);
  record(1, StepState::kDone, 0).written = "2027-01-15T08:00:00Z";
  EXPECT_DOUBLE_EQ(decide().jobs[0].gpu_seconds, 2 * 3600);
  EXPECT_EQ(decide().jobs[0].gpus, 0);
  // Outside of Slurm: what the steps used.
  for (std::size_t i = 0; i < 2; ++i) {
    records_[i]->job_id.clear();
    records_[i]->array_job_id.clear();
  }
  run_.jobs[0].submissions.clear();
  EXPECT_DOUBLE_EQ(decide().jobs[0].gpu_seconds, 2 * 1800 * 2);
}

TEST_F(RunStatusTest, TheTableAndTheLists) {
  submit();
  record(0, StepState::kFailed, 137);
  record(1, StepState::kDone, 0);
  run_.steps[0].name = "t/a b/..%|\x1b";
  EXPECT_EQ(status_text(run_, decide(), 10),
            "TASK  STEPS  WAITING  BLOCKED  RUNNING  DONE  FAILED  CANCELLED  GPUS  GPU-HOURS\n"
            "t         3        0        1        0     1       1          0     0          1\n"
            "\nblocked:\n  t/c seed 42: t/a b/..%|\\x1b seed 42 failed\n"
            "\nfailed:\n  t/a b/..%|\\x1b seed 42: exit code 137, job 12_4, log /r/logs/t/a.log\n");
  EXPECT_EQ(summary_line(decide()), "1 of 3 steps done, 1 failed, 1 blocked");
  EXPECT_EQ(progress_bar(decide(), 4), "[####]");
  EXPECT_NE(status_text(run_, decide(), 0).find("failed:\n  and 1 more\n"), std::string::npos);
}

}  // namespace
}  // namespace compute_scale
