#include "makespan.h"

#include <gtest/gtest.h>

#include "samples.h"

namespace compute_scale {
namespace {

Job job(int devices, std::int64_t hours, std::vector<std::size_t> after = {}) {
  Job out;
  out.devices = devices;
  out.time = TimeLimit{hours * 60};
  out.after = std::move(after);
  return out;
}

// "start-end:devices" of each job, in hours.
std::string show(const Schedule& schedule) {
  std::string out;
  for (const Placement& place : schedule.jobs) {
    if (!out.empty()) out += " | ";
    out += std::to_string(place.start / 60) + "-" + std::to_string(place.end / 60) + ":";
    for (const int device : place.devices) out += std::to_string(device);
  }
  return out;
}

TEST(Makespan, Schedules) {
  const struct {
    std::vector<Job> jobs;
    int devices;
    const char* expected;
  } cases[] = {
      {{}, 2, ""},
      {{job(1, 3), job(1, 2), job(1, 1)}, 2, "0-3:0 | 0-2:1 | 2-3:1"},
      // The longest way to the end of the plan goes first.
      {{job(1, 2), job(1, 1), job(1, 5, {1})}, 1, "6-8:0 | 0-1:0 | 1-6:0"},
      // A job waits for all that it names.
      {{job(1, 1), job(1, 3), job(1, 1, {0, 1})}, 2, "0-1:1 | 0-3:0 | 3-4:0"},
      // The devices of the large job are kept for it: the third fits before it, the fourth does
      // not.
      {{job(1, 4), job(2, 3), job(1, 2), job(1, 2)}, 2, "0-4:0 | 4-7:01 | 0-2:1 | 2-4:1"},
      {{job(1, 4), job(2, 3), job(1, 3), job(1, 2)}, 2, "0-4:0 | 4-7:01 | 0-3:1 | 7-9:0"},
      // Without GPU nothing is waited for, and a job that is too large gets the devices it needs.
      {{job(1, 4), job(0, 9), job(1, 4)}, 1, "0-4:0 | 0-9: | 4-8:0"},
      {{job(3, 1)}, 1, "0-1:012"},
  };
  for (const auto& c : cases) {
    Plan plan;
    plan.jobs = c.jobs;
    EXPECT_EQ(show(schedule(plan, c.devices)), c.expected);
  }
}

TEST(Makespan, TheLongestChainIsThatOfATasksStages) {
  EXPECT_EQ(longest_chain(Plan()), 0);
  const Plan plan = sample_plan({sample_task("t", kPretrainCmds), sample_task("u", R"([
      {"cmd": "a.sh", "compute": 0, "time": "12:30:00"}])")},
                                "1");
  EXPECT_EQ(longest_chain(plan), 13 * 60);
}

}  // namespace
}  // namespace compute_scale
