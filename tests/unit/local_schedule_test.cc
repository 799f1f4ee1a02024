#include "local_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "plan_figures.h"
#include "samples.h"
#include "task.h"

namespace compute_scale {
namespace {

LocalStep step(const std::string& amount, std::int64_t limit = 3600000, std::size_t chain = 0,
               int stage = 0) {
  LocalStep out;
  out.compute = *GpuAmount::parse(amount);
  out.limit = limit;
  out.chain = chain;
  out.stage = stage;
  return out;
}

// Each step a chain of its own.
std::vector<LocalStep> independent(std::vector<LocalStep> steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].chain = i;
  return steps;
}

// "3@0,1 4@2 …" for the steps that start now.
std::string starts(LocalSchedule& schedule, std::int64_t now) {
  std::string out;
  while (const auto start = schedule.next(now)) {
    if (!out.empty()) out += ' ';
    out += std::to_string(start->step) + "@";
    for (std::size_t i = 0; i < start->devices.size(); ++i) {
      out += (i == 0 ? "" : ",") + std::to_string(start->devices[i]);
    }
  }
  return out;
}

// A run with a clock of its own: step i lasts `durations[i]` seconds.
struct Ran {
  std::vector<std::int64_t> start, end;
  std::vector<std::vector<int>> devices;
  std::int64_t all = 0;
};

Ran simulate(const std::vector<LocalStep>& steps, const std::vector<std::int64_t>& durations,
             int devices, int cpu_jobs = 1000) {
  LocalSchedule schedule(steps, devices, cpu_jobs);
  Ran ran{std::vector<std::int64_t>(steps.size(), -1), std::vector<std::int64_t>(steps.size(), -1),
          std::vector<std::vector<int>>(steps.size()), 0};
  std::set<std::pair<std::int64_t, std::size_t>> ends;
  std::int64_t now = 0;
  for (;;) {
    while (const auto start = schedule.next(now)) {
      ran.start[start->step] = now;
      ran.devices[start->step] = start->devices;
      ends.insert({now + durations[start->step], start->step});
    }
    if (ends.empty()) break;
    const auto [end, ended] = *ends.begin();
    ends.erase(ends.begin());
    now = end;
    ran.end[ended] = now;
    schedule.ended(ended, true);
  }
  ran.all = now;
  return ran;
}

std::vector<std::int64_t> limits(const std::vector<LocalStep>& steps) {
  std::vector<std::int64_t> out;
  out.reserve(steps.size());
  for (const LocalStep& one : steps) out.push_back(one.limit);
  return out;
}

TEST(LocalSchedule, TenTenthsShareOneDevice) {
  LocalSchedule schedule(independent(std::vector<LocalStep>(11, step("0.1"))), 2, 1);
  EXPECT_EQ(starts(schedule, 0), "0@0 1@0 2@0 3@0 4@0 5@0 6@0 7@0 8@0 9@0 10@1");
}

TEST(LocalSchedule, AtMostSixOf015OnADevice) {
  LocalSchedule schedule(independent(std::vector<LocalStep>(54, step("0.15"))), 8, 1);
  std::vector<int> on(8);
  int running = 0;
  while (const auto start = schedule.next(0)) {
    ++running;
    ++on[static_cast<std::size_t>(start->devices.at(0))];
  }
  EXPECT_EQ(running, 48);
  EXPECT_EQ(on, std::vector<int>(8, 6));
}

TEST(LocalSchedule, ThreeTimes034NeedTwoDevices) {
  LocalSchedule schedule(independent(std::vector<LocalStep>(3, step("0.34"))), 2, 1);
  EXPECT_EQ(starts(schedule, 0), "0@0 1@0 2@1");
}

TEST(LocalSchedule, SeveralDevicesFirstAndWholeDevicesAreNotShared) {
  LocalSchedule schedule(independent({step("0.5"), step("1"), step("0.25"), step("2")}), 4, 1);
  EXPECT_EQ(starts(schedule, 0), "3@0,1 0@2 1@3 2@2");
}

TEST(LocalSchedule, StepsWithoutGpuAreLimitedByCpuJobs) {
  LocalSchedule schedule(independent(std::vector<LocalStep>(5, step("0"))), 0, 2);
  EXPECT_EQ(starts(schedule, 0), "0@ 1@");
  schedule.ended(1, true);
  EXPECT_EQ(starts(schedule, 1), "2@");
}

TEST(LocalSchedule, TheLongestChainFirst) {
  LocalSchedule schedule(
      {step("1", 60, 0), step("1", 60, 1, 0), step("1", 60, 1, 1), step("1", 90, 2)}, 2, 1);
  EXPECT_EQ(starts(schedule, 0), "1@0 3@1");
}

TEST(LocalSchedule, StagesWaitForSuccess) {
  LocalSchedule schedule({step("1", 60, 0, 0), step("1", 60, 0, 0), step("1", 60, 0, 1),
                          step("1", 60, 0, 2), step("1", 60, 1, 0), step("1", 60, 1, 1)},
                         8, 1);
  EXPECT_EQ(starts(schedule, 0), "0@0 1@1 4@2");
  EXPECT_TRUE(schedule.ended(0, false).empty());  // the other step of the stage goes on
  EXPECT_EQ(starts(schedule, 1), "");
  EXPECT_TRUE(schedule.ended(4, true).empty());
  EXPECT_EQ(starts(schedule, 2), "5@0");
  EXPECT_EQ(schedule.ended(1, true), (std::vector<std::size_t>{2, 3}));
  schedule.ended(5, true);
  EXPECT_EQ(starts(schedule, 3), "");
  EXPECT_EQ(schedule.running(), 0u);
}

TEST(LocalSchedule, ContinuesBehindWhatIsDone) {
  std::vector<LocalStep> steps = {step("1", 60, 0, 0), step("1", 60, 0, 1), step("1", 60, 0, 1),
                                  step("1", 60, 1, 0), step("1", 60, 1, 1)};
  steps[0].before = steps[2].before = LocalStep::Before::kDone;
  steps[3].before = LocalStep::Before::kLeftOut;
  LocalSchedule schedule(steps, 8, 1);
  EXPECT_EQ(schedule.blocked_at_start(), std::vector<std::size_t>{4});
  EXPECT_EQ(starts(schedule, 0), "1@0");
  EXPECT_TRUE(schedule.ended(1, true).empty());
}

// A hundred one-GPU steps of 10 s keep 4 devices busy; the 4-GPU step becomes ready at 25 s.
TEST(LocalSchedule, AStepOfSeveralDevicesDoesNotStarve) {
  std::vector<LocalStep> steps = {step("0", 60, 0, 0), step("4", 3600, 0, 1)};
  std::vector<std::int64_t> durations = {25, 50};
  for (std::size_t i = 0; i < 100; ++i) {
    steps.push_back(step("0.5", 600, i + 1));
    durations.push_back(10 + static_cast<std::int64_t>(i % 3));
  }
  const Ran ran = simulate(steps, durations, 4);
  EXPECT_GE(ran.start[1], 25);
  EXPECT_LE(ran.start[1], 25 + 12);  // what ran when it became ready has ended
}

// Device 1 is kept for the 2-GPU step until device 0 is free at 100 s: a step of 90 s may use it
// meanwhile, one of 200 s may not, though it comes first.
TEST(LocalSchedule, ShortStepsFillTheTimeUntilAKeptDeviceIsNeeded) {
  LocalSchedule schedule({step("1", 100, 0), step("0", 1, 1, 0), step("2", 10, 1, 1)}, 2, 1);
  EXPECT_EQ(starts(schedule, 0), "1@ 0@0");
  schedule.ended(1, true);
  EXPECT_EQ(starts(schedule, 0), "");

  LocalSchedule filled({step("0.9", 100, 0), step("0", 1, 1, 0), step("2", 10, 1, 1),
                        step("0", 1, 2, 0), step("0.5", 200, 2, 1), step("0.5", 90, 2, 1)},
                       2, 2);
  EXPECT_EQ(starts(filled, 0), "3@ 1@ 0@0");
  filled.ended(1, true);
  filled.ended(3, true);
  EXPECT_EQ(starts(filled, 5), "5@1");
  EXPECT_TRUE(filled.ended(5, true).empty());
  EXPECT_EQ(starts(filled, 95), "");  // the devices are kept now
  filled.ended(0, true);
  EXPECT_EQ(starts(filled, 96), "2@0,1");
}

// Of any set: nothing is over-committed, nothing starts before its stage, nothing is lost.
TEST(LocalSchedule, RandomRuns) {
  std::mt19937 random(7);
  const char* const amounts[] = {"0", "0.1", "0.15", "0.34", "0.5", "0.9", "1", "2", "2.5", "8"};
  for (int round = 0; round < 60; ++round) {
    std::vector<LocalStep> steps;
    std::vector<std::int64_t> durations;
    for (std::size_t chain = 0; chain < 12; ++chain) {
      for (int stage = 0; stage < 3; ++stage) {
        for (unsigned n = 0; n <= random() % 4; ++n) {
          const auto limit = static_cast<std::int64_t>(60 * (1 + random() % 20));
          steps.push_back(step(amounts[random() % std::size(amounts)], limit, chain, stage));
          durations.push_back(1 + static_cast<std::int64_t>(random()) % limit);
        }
      }
    }
    const Ran ran = simulate(steps, durations, 8, 3);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      ASSERT_GE(ran.start[i], 0) << "step " << i << " never ran";
      ASSERT_EQ(static_cast<std::int64_t>(ran.devices[i].size()), steps[i].compute.devices());
      std::vector<GpuAmount> used(8);
      int cpu_jobs = 0;
      for (std::size_t j = 0; j < steps.size(); ++j) {
        if (steps[j].chain == steps[i].chain && steps[j].stage < steps[i].stage) {
          ASSERT_LE(ran.end[j], ran.start[i]);
        }
        if (ran.start[j] > ran.start[i] || ran.end[j] <= ran.start[i]) continue;
        if (ran.devices[j].empty()) ++cpu_jobs;
        for (const int device : ran.devices[j]) {
          GpuAmount& on = used[static_cast<std::size_t>(device)];
          on = on + std::min(steps[j].compute, GpuAmount::whole(1));
        }
      }
      ASSERT_LE(cpu_jobs, 3);
      for (const GpuAmount on : used) ASSERT_LE(on, GpuAmount::whole(1));
    }
  }
}

std::vector<PlanTask> suite() {
  const auto json = nlohmann::ordered_json::parse(
      std::ifstream(std::string(TEST_SOURCE_DIR) + "/tests/data/suite.json"));
  std::vector<PlanTask> tasks;
  for (const auto& [name, config] : json.items()) {
    const auto task = parse_task(config.dump(), name, "/tasks/" + name, "config.json");
    EXPECT_TRUE(task.ok());
    tasks.push_back({name, task->entries, {42}, {}});
  }
  return tasks;
}

// The most devices that are in use at once.
int peak(const Ran& ran) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < ran.start.size(); ++i) {
    std::set<int> used;
    for (std::size_t j = 0; j < ran.start.size(); ++j) {
      if (ran.start[j] > ran.start[i] || ran.end[j] <= ran.start[i]) continue;
      used.insert(ran.devices[j].begin(), ran.devices[j].end());
    }
    most = std::max(most, used.size());
  }
  return static_cast<int>(most);
}

// How long the stages of a plan of one task and seed take, each as long as its longest job.
std::int64_t stage_by_stage(const Plan& plan) {
  std::map<int, std::int64_t> longest;
  for (const Job& job : plan.jobs) {
    const Step& first = plan.steps[job.lanes.front().steps.front()];
    std::int64_t& time = longest[plan.entries[first.entry].stage];
    time = std::max(time, job.time.minutes * 60000);
  }
  std::int64_t sum = 0;
  for (const auto& [stage, time] : longest) sum += time;
  return sum;
}

// A task needs the GPUs that the plan says: on so many it is done in the plan's time, and uses all.
TEST(LocalSchedule, NeedsWhatThePlanSays) {
  for (const char* scale : {"1", "0.5", "0.25", "2"}) {
    for (const PlanTask& task : suite()) {
      const Plan plan = sample_plan({task}, scale);
      const int gpus = figures_by_task(plan).at(0).gpus;
      const std::vector<LocalStep> steps = local_steps(plan);
      const Ran ran = simulate(steps, limits(steps), gpus);
      EXPECT_LE(ran.all, stage_by_stage(plan)) << task.name << " at " << scale;
      EXPECT_EQ(peak(ran), gpus) << task.name << " at " << scale;
    }
  }
}

// No schedule ends before all work is done at full use, nor before its longest chain.
TEST(LocalSchedule, TheSuiteOn16DevicesTakesAtMostAFifthLongerThanItMust) {
  const Plan plan = sample_plan(suite(), "0.5");
  const std::vector<LocalStep> steps = local_steps(plan);
  std::int64_t work = 0;
  std::map<std::size_t, std::map<int, std::int64_t>> longest;  // by chain and stage
  for (const LocalStep& one : steps) {
    work += one.compute.micro() * one.limit;
    std::int64_t& stage = longest[one.chain][one.stage];
    stage = std::max(stage, one.limit);
  }
  std::int64_t least = work / 1000000 / 16;
  for (const auto& [chain, stages] : longest) {
    std::int64_t sum = 0;
    for (const auto& [stage, limit] : stages) sum += limit;
    least = std::max(least, sum);
  }
  EXPECT_LE(simulate(steps, limits(steps), 16).all, least * 6 / 5);
}

}  // namespace
}  // namespace compute_scale
