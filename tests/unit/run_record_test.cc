#include "sbatch_wrapper/run_record.h"

#include <gtest/gtest.h>

#include "manifest.h"
#include "samples.h"
#include "sbatch_wrapper/journal.h"
#include "temp_folder.h"

namespace compute_scale {
namespace {

Plan two_stages() {
  return sample_plan({sample_task("llm-x", kPretrainCmds, {1, 2})}, "0.5");
}

std::string plan_text() {
  const Plan plan = two_stages();
  RunSettings settings = sample_settings(plan);
  settings.plugin = true;
  settings.config_file = "/c/react.yaml";
  settings.sbatch_args = {"--comment=a b", ""};
  settings.slurm.max_running = 3;
  return manifest_json(plan, settings);
}

// Two jobs as the elements 0 and 1 of an array, then one alone.
constexpr char kJournal[] =
    R"({"event":"begin","name":"a1.00","time":5,"number":1,"jobs":[{"job":"llm-x-g1-s1","index":0},)"
    R"({"job":"llm-x-g1-s2","index":1}],"argv":["sbatch"]})"
    "\n"
    R"({"event":"submitted","name":"a1.00","time":6,"id":"12","cluster":"c"})"
    "\n"
    R"({"event":"begin","name":"llm-x-g2-s1.00","time":7,"number":1,"jobs":[{"job":"llm-x-g2-s1"}]})"
    "\n";

Result<RunRecord> record(const std::string& journal) {
  return parse_run_record(plan_text(), journal, "/runs/r1");
}

TEST(RunRecord, ReadsTheWholePlan) {
  const auto run = record("");
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->run_dir + " " + run->exp_name + " " + run->save_path, "/runs/r1 r1 /results");
  EXPECT_EQ(run->compute_scale + " " + run->hardware + " " + run->config_file,
            "0.5 h200 /c/react.yaml");
  EXPECT_EQ(run->sbatch_args, (std::vector<std::string>{"--comment=a b", ""}));
  EXPECT_EQ(run->max_running, 3);
  EXPECT_TRUE(run->plugin);
  ASSERT_EQ(run->jobs.size(), 4u);
  const RunJob& eval = run->jobs[3];
  EXPECT_EQ(eval.name, "llm-x-g2-s2");
  EXPECT_EQ(eval.slurm_name.substr(0, eval.slurm_name.size() - 8), "llm-x-g2-s2.");
  EXPECT_EQ(eval.script + " " + eval.log, "scripts/llm-x-g2-s2.sh logs/llm-x-g2-s2.slurm.log");
  EXPECT_EQ(eval.after, std::vector<std::size_t>{1});
  EXPECT_EQ(run->jobs[0].devices, 2);
  EXPECT_EQ(run->jobs[0].time_minutes, 720);
  EXPECT_EQ(run->jobs[0].directives.front(), "--job-name=" + run->jobs[0].slurm_name);
  const RunStep& step = run->steps[eval.steps().front()];
  EXPECT_EQ(step.name + " " + step.result, "llm-x/eval results/llm-x/eval-seed2.json");
  EXPECT_EQ(step.base_compute + " " + step.compute, "1 0.5");
  EXPECT_TRUE(step.hidden);
  EXPECT_EQ(step.seed + step.stage + step.group, 2 + 1 + 2);
  EXPECT_TRUE(eval.submissions.empty());
  EXPECT_EQ(run->submissions, 0);
}

TEST(RunRecord, JoinsPlanAndJournal) {
  const auto run = record(kJournal);
  ASSERT_TRUE(run.ok()) << run.error().text;
  ASSERT_EQ(run->jobs[1].submissions.size(), 1u);
  const JobSubmission& element = run->jobs[1].submissions[0];
  EXPECT_EQ(element.state, SubmissionState::kSubmitted);
  EXPECT_EQ(element.element_id() + " " + element.cluster + " " + element.slurm_name,
            "12_1 c a1.00");
  EXPECT_EQ(element.began, 5);
  ASSERT_EQ(run->jobs[2].submissions.size(), 1u);
  EXPECT_EQ(run->jobs[2].submissions[0].state, SubmissionState::kPending);
  EXPECT_FALSE(run->jobs[2].submissions[0].index);
  EXPECT_TRUE(run->jobs[3].submissions.empty());
}

TEST(RunRecord, SubmissionsOfAJobInOrder) {
  const std::string more =
      R"({"event":"failed","name":"llm-x-g2-s1.00","reason":"no such thing"})"
      "\n"
      R"({"event":"begin","name":"llm-x-g2-s1.00.2","time":9,"number":2,"jobs":[{"job":"llm-x-g2-s1"}]})"
      "\n"
      R"({"event":"unclear","name":"llm-x-g2-s1.00.2","reason":"timed out"})"
      "\n";
  const auto run = record(kJournal + more);
  ASSERT_TRUE(run.ok()) << run.error().text;
  const auto& submissions = run->jobs[2].submissions;
  ASSERT_EQ(submissions.size(), 2u);
  EXPECT_EQ(submissions[0].state, SubmissionState::kFailed);
  EXPECT_EQ(submissions[0].reason, "no such thing");
  EXPECT_EQ(submissions[1].state, SubmissionState::kPending);
  EXPECT_EQ(submissions[1].reason, "timed out");
  EXPECT_EQ(run->submissions, 2);
}

TEST(RunRecord, AnyTornLastLineIsPassedOver) {
  const std::string whole = kJournal;
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t size = last; size < whole.size(); ++size) {
    const auto run = record(whole.substr(0, size));
    ASSERT_TRUE(run.ok()) << size << ": " << run.error().text;
    EXPECT_EQ(run->jobs[0].submissions.size(), 1u);
    // Whole but for its newline, a line counts.
    EXPECT_EQ(run->jobs[2].submissions.size(), size + 1 == whole.size() ? 1u : 0u) << size;
  }
}

TEST(RunRecord, RefusesWhatIsNoRun) {
  const auto problem = [](const std::string& plan, const std::string& journal) {
    const auto run = parse_run_record(plan, journal, "/r");
    return run.ok() ? "" : run.error().text;
  };
  EXPECT_EQ(problem(plan_text(), "{\"event\":\n{}\n").substr(0, 19), "/r/journal.jsonl:1:");
  EXPECT_EQ(problem(plan_text(), R"({"event":"submitted","name":"x","id":"1"})"
                                 "\n"),
            "/r/journal.jsonl:1: \"x\" was never begun");
  EXPECT_EQ(problem(plan_text(), R"({"event":"x","name":"x"})"
                                 "\n"),
            "/r/journal.jsonl:1: \"x\" is no event of a journal");
  EXPECT_EQ(problem(R"({"version": 2})", ""), "/r/plan.json: /version: 2: expected 1");
  EXPECT_EQ(problem(R"({"version": 1})", ""), "/r/plan.json: no \"run\"");
  std::string wrong = plan_text();
  const std::string entry = "\"entry\": 1";
  wrong.replace(wrong.find(entry), entry.size(), "\"entry\": 9");
  EXPECT_EQ(problem(wrong, ""), "/r/plan.json: there is no entry 9");
  const TempFolder folder;
  const auto none = load_run_record(folder.path());
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().text, folder.path() + ": is no run directory: it has no plan.json");
}

TEST(RunRecord, ReadsWhatTheJournalWrites) {
  const TempFolder folder;
  folder.write("plan.json", plan_text());
  const std::string file = folder.write("journal.jsonl", "{\"event\":\"beg");
  {
    Journal journal;
    ASSERT_TRUE(journal.open(file).ok());
    Journal second;
    const Status busy = second.open(file);
    ASSERT_FALSE(busy.ok());
    EXPECT_EQ(busy.error().text, file + ": another sbatch-tasks is submitting this run");
    ASSERT_TRUE(journal.begin({"n1", 1, {{"llm-x-g1-s1", 4}, {"llm-x-g1-s2", 5}}, {"x"}}).ok());
    ASSERT_TRUE(journal.submitted("n1", {"7", "k"}, true).ok());
    ASSERT_TRUE(journal.begin({"n2", 1, {{"llm-x-g2-s1", std::nullopt}}, {"x"}}).ok());
    ASSERT_TRUE(journal.failed("n2", "no").ok());
    ASSERT_TRUE(journal.begin({"n3", 2, {{"llm-x-g2-s1", std::nullopt}}, {"x"}}).ok());
    ASSERT_TRUE(journal.unclear("n3", "why").ok());
  }
  const auto run = load_run_record(folder.path());
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->jobs[1].submissions[0].element_id(), "7_5");
  EXPECT_EQ(run->jobs[2].submissions[0].reason, "no");
  EXPECT_EQ(run->jobs[2].submissions[1].number, 2);
}

}  // namespace
}  // namespace compute_scale
