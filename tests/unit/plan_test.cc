#include "plan.h"

#include <gtest/gtest.h>

#include "samples.h"

namespace compute_scale {
namespace {

std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> out;
  for (const Job& job : plan.jobs) {
    std::string text = job.name + " <-";
    for (const std::size_t before : job.after) text += " " + plan.jobs[before].name;
    out.push_back(text);
  }
  return out;
}

using Names = std::vector<std::string>;

TEST(Plan, GroupsRunInOrderPerSeed) {
  const Plan plan = sample_plan({sample_task("t", kPretrainCmds, {1, 2})}, "1");
  EXPECT_EQ(names(plan),
            (Names{"t-g1-s1 <-", "t-g1-s2 <-", "t-g2-s1 <- t-g1-s1", "t-g2-s2 <- t-g1-s2"}));
}

TEST(Plan, EntriesWithoutGroupFollowTheNumberedOnes) {
  const Plan plan = sample_plan({sample_task("t", R"([{"cmd": "a.sh", "label": "a"},
      {"cmd": "b.sh", "label": "b", "group": 7}, {"cmd": "c.sh", "label": "c"},
      {"cmd": "d.sh", "label": "d", "group": 0}])")},
                                "1");
  ASSERT_EQ(names(plan), (Names{"t-g0-s42 <-", "t-g7-s42 <- t-g0-s42", "t-g8-s42 <- t-g7-s42",
                                "t-g9-s42 <- t-g8-s42"}));
  EXPECT_EQ(plan.entries[plan.steps[plan.jobs[2].lanes[0].steps[0]].entry].entry.label, "a");
}

TEST(Plan, ALaterGroupWaitsForAllJobsOfTheEarlierOne) {
  const Plan plan = sample_plan({sample_task("t", R"([
      {"cmd": "a.sh", "label": "a", "group": 1, "compute": 2},
      {"cmd": "b.sh", "label": "b", "group": 1, "compute": 0},
      {"cmd": "c.sh", "label": "c", "group": 2}])")},
                                "1");
  EXPECT_EQ(names(plan),
            (Names{"t-g1-s42-1 <-", "t-g1-s42-2 <-", "t-g2-s42 <- t-g1-s42-1 t-g1-s42-2"}));
}

TEST(Plan, TasksDoNotWaitForEachOther) {
  const Plan plan =
      sample_plan({sample_task("t", kPretrainCmds), sample_task("u", kPretrainCmds)}, "1");
  EXPECT_EQ(names(plan),
            (Names{"t-g1-s42 <-", "t-g2-s42 <- t-g1-s42", "u-g1-s42 <-", "u-g2-s42 <- u-g1-s42"}));
}

constexpr const char* kTwoHalves = R"([
    {"cmd": "a.sh", "label": "a", "group": 1, "compute": 0.5},
    {"cmd": "b.sh", "label": "b", "group": 2, "compute": 0.5}])";

TEST(Plan, AcrossTasksStageByStage) {
  const Plan plan = sample_plan({sample_task("t", kTwoHalves), sample_task("u", kTwoHalves),
                                 sample_task("v", kTwoHalves), sample_task("w", kPretrainCmds)},
                                "1", PackScope::kAll);
  EXPECT_EQ(names(plan), (Names{"w-g1-s42 <-", "all-g1-1 <-", "v-g1-s42 <-", "w-g2-s42 <- w-g1-s42",
                                "all-g2-1 <- all-g1-1", "v-g2-s42 <- v-g1-s42"}));
}

TEST(Plan, AcrossSeedsOfOneTask) {
  const Plan plan = sample_plan({sample_task("t", kTwoHalves, {1, 2, 3, 4})}, "1", PackScope::kAll);
  EXPECT_EQ(names(plan),
            (Names{"all-g1-1 <-", "all-g1-2 <-", "all-g2-1 <- all-g1-1", "all-g2-2 <- all-g1-2"}));
}

TEST(Plan, WorkedValuesAtHalf) {
  const Plan plan = sample_plan({sample_task("t", kPretrainCmds)}, "0.5");
  EXPECT_EQ(plan.jobs[0].devices, 2);
  EXPECT_EQ(plan.jobs[0].mem.mib, 200 * 1024);
  EXPECT_EQ(plan.jobs[0].cpus, 24);
  EXPECT_EQ(plan.jobs[0].time.minutes, 720);
  const PlanEntry& entry = plan.entries[0];
  EXPECT_EQ(entry.base_compute, GpuAmount::whole(4));
  EXPECT_EQ(entry.entry.compute, GpuAmount::whole(2));
  EXPECT_EQ(entry.entry.env, (EnvList{{"BATCH_SIZE", "64"}, {"GRAD_ACCUM", "8"}}));
  // 2 x 12 h and 1 x 1 h are requested, 0.5 x 1 h of the latter is used.
  EXPECT_DOUBLE_EQ(requested_gpu_time(plan).hours(), 25);
  EXPECT_DOUBLE_EQ(lower_bound_gpu_time(plan).hours(), 24.5);
}

TEST(Plan, AnUnprofiledEntryIsKeptWithAWarning) {
  const Plan plan =
      sample_plan({sample_task("t", R"([{"cmd": "a.sh", "label": "a", "compute": 8}])")}, "0.5");
  EXPECT_EQ(plan.jobs[0].devices, 8);
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_NE(plan.warnings[0].find("t/a"), std::string::npos) << plan.warnings[0];
}

struct ResourceCase {
  const char* entries;
  int devices;
  std::int64_t gib;
  int cpus;
  std::int64_t minutes;
};

TEST(JobResources, AddUpOverTheStepsOfAJob) {
  const ResourceCase cases[] = {
      {R"({"cmd": "a.sh", "compute": 2})", 2, 200, 24, 60},
      {R"({"cmd": "a.sh", "compute": 2, "mem": 50, "cpus": 3})", 2, 50, 3, 60},
      {R"({"cmd": "a.sh", "compute": 0})", 0, 32, 8, 60},
      {R"({"cmd": "a.sh", "compute": 0, "mem": "1536M", "time": "1-0"})", 0, 1, 8, 1440},
      {R"({"cmd": "a.sh", "compute": 0.1})", 1, 100, 12, 60},
      {R"({"cmd": "a.sh", "label": "a", "compute": 0.5, "time": "9:00:00", "group": 1},
          {"cmd": "b.sh", "label": "b", "compute": 0.5, "time": "12:00:00", "group": 1})",
       1, 100, 12, 720},
      {R"({"cmd": "a.sh", "label": "a", "compute": 0.5, "mem": 90, "cpus": 20, "group": 1},
          {"cmd": "b.sh", "label": "b", "compute": 0.5, "group": 1})",
       1, 140, 26, 60},
      {R"({"cmd": "a.sh", "label": "a", "compute": 0.5, "mem": 10, "cpus": 1, "group": 1},
          {"cmd": "b.sh", "label": "b", "compute": 0.25, "mem": 20, "cpus": 2, "group": 1})",
       1, 30, 3, 60},
      {R"({"cmd": "a.sh", "label": "a", "compute": 0.6, "group": 1},
          {"cmd": "b.sh", "label": "b", "compute": 0.6, "group": 1})",
       2, 200, 24, 60},
  };
  for (const ResourceCase& c : cases) {
    const Plan plan = sample_plan({sample_task("t", "[" + std::string(c.entries) + "]")}, "1");
    ASSERT_EQ(plan.jobs.size(), 1u) << c.entries;
    const Job& job = plan.jobs[0];
    EXPECT_EQ(job.devices, c.devices) << c.entries;
    EXPECT_EQ(job.mem.mib / 1024, c.gib) << c.entries;
    EXPECT_EQ(job.cpus, c.cpus) << c.entries;
    EXPECT_EQ(job.time.minutes, c.minutes) << c.entries;
  }
}

}  // namespace
}  // namespace compute_scale
