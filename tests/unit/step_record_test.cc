#include "step_record.h"

#include <gtest/gtest.h>

#include <fstream>

#include "temp_folder.h"

namespace compute_scale {
namespace {

// As a job script writes it.
constexpr char kRecord[] =
    R"({"step":"t/a \"b\"","seed":9223372036854775807,"base_compute":"4","compute":"2",)"
    R"("compute_scale":"0.5","devices":"0,1","state":"failed","exit_code":137,)"
    R"("elapsed_seconds":86400,"attempt":3,"job_id":"12","array_job_id":"10","array_task_id":"7",)"
    R"("node":"n1","started":"2025-11-30T15:23:01Z","written":"2025-12-01T15:23:01Z"})"
    "\n";

TEST(StepRecord, ReadsWhatAScriptWrote) {
  const auto record = parse_step_record(kRecord, "r.json");
  ASSERT_TRUE(record.ok()) << record.error().text;
  EXPECT_EQ(record->step, "t/a \"b\"");
  EXPECT_EQ(record->seed, 9223372036854775807);
  EXPECT_EQ(record->base_compute + " " + record->compute + " " + record->compute_scale, "4 2 0.5");
  EXPECT_EQ(record->state, StepState::kFailed);
  EXPECT_EQ(record->exit_code, 137);
  EXPECT_EQ(record->elapsed_seconds, 86400);
  EXPECT_EQ(record->attempt, 3);
  EXPECT_EQ(record->job_id + " " + record->array_job_id + " " + record->array_task_id, "12 10 7");
  EXPECT_EQ(record->node + record->devices, "n10,1");
}

TEST(StepRecord, WritesTheSameText) {
  const auto record = parse_step_record(kRecord, "r.json");
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(step_record_json(*record), kRecord);
}

TEST(StepRecord, ARunningStepHasNoCodeYet) {
  const auto record =
      parse_step_record(R"({"state":"running","exit_code":null,"new_member":[1]})", "r.json");
  ASSERT_TRUE(record.ok()) << record.error().text;
  EXPECT_EQ(record->state, StepState::kRunning);
  EXPECT_FALSE(record->exit_code || record->elapsed_seconds);
  EXPECT_EQ(to_string(StepState::kTimeout) + to_string(StepState::kCancelled), "timeoutcancelled");
}

TEST(StepRecord, RefusesWhatIsNone) {
  const auto problem = [](const char* text) {
    const auto record = parse_step_record(text, "r.json");
    return record.ok() ? "" : record.error().text;
  };
  EXPECT_EQ(problem(R"({"state":"asleep"})"),
            "r.json: /state: \"asleep\": expected running, done, failed, timeout or cancelled");
  EXPECT_EQ(problem("{}"), "r.json: the record has no state");
  EXPECT_EQ(problem("[]"), "r.json: a list: expected the record of a step");
  EXPECT_EQ(problem(R"({"state":"done","exit_code":"x"})"),
            "r.json: /exit_code: \"x\": expected a whole number from 0 to 2147483647");
  EXPECT_NE(problem(R"({"state":"do)"), "");
}

TEST(StepRecord, AbsentIsNoError) {
  const TempFolder folder;
  const auto none = load_step_record(folder.path() + "/t/a.json");
  ASSERT_TRUE(none.ok()) << none.error().text;
  EXPECT_FALSE(none->has_value());
  std::ofstream(folder.path() + "/a.json") << kRecord;
  const auto there = load_step_record(folder.path() + "/a.json");
  ASSERT_TRUE(there.ok() && there->has_value());
  EXPECT_EQ((*there)->exit_code, 137);
  EXPECT_FALSE(load_step_record(folder.path()).ok());
}

}  // namespace
}  // namespace compute_scale
