// What must hold for every plan, over random suites in every scope of packing.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "manifest.h"
#include "plan.h"

namespace compute_scale {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t count) {
  return random() % count;  // the distributions of <random> differ between libraries
}

Entry random_entry(Random& random, std::size_t number) {
  static const char* const kAmounts[] = {"0",   "0.055", "0.1",     "0.125", "0.165",
                                         "0.2", "0.25",  "0.34",    "0.5",   "0.75",
                                         "1",   "2",     "0.333333"};
  static const std::int64_t kMinutes[] = {1, 20, 59, 60, 61, 90, 120, 240, 720, 1440};
  Entry entry;
  entry.label = "e" + std::to_string(number);
  entry.cmd = "a.sh";
  entry.compute = *GpuAmount::parse(kAmounts[below(random, std::size(kAmounts))]);
  entry.time = TimeLimit{kMinutes[below(random, std::size(kMinutes))]};
  if (below(random, 4) != 0) entry.group = static_cast<int>(below(random, 3));
  if (below(random, 5) == 0) entry.mem = MemSize{static_cast<std::int64_t>(1 + random() % 200000)};
  if (below(random, 5) == 0) entry.cpus = static_cast<int>(1 + below(random, 20));
  return entry;
}

std::vector<PlanTask> random_suite(unsigned seed, std::size_t tasks) {
  Random random(seed);
  std::vector<PlanTask> out;
  for (std::size_t i = 0; i < tasks; ++i) {
    PlanTask task;
    task.name = "t" + std::to_string(i);
    const std::size_t entries = 1 + below(random, 8);
    for (std::size_t j = 0; j < entries; ++j) task.entries.push_back(random_entry(random, j));
    for (std::size_t j = 0; j <= below(random, 2); ++j) {
      task.seeds.push_back(static_cast<std::int64_t>(j));
    }
    out.push_back(std::move(task));
  }
  return out;
}

// One step within its job: when it starts and ends, in minutes from the job's start.
struct Span {
  std::int64_t start, end;
  const Entry* entry;
  const Lane* lane;
};

std::vector<Span> spans(const Plan& plan, const Job& job) {
  std::vector<Span> out;
  for (const Lane& lane : job.lanes) {
    std::int64_t at = 0;
    for (const std::size_t step : lane.steps) {
      const Entry& entry = plan.entries[plan.steps[step].entry].entry;
      out.push_back({at, at + entry.time.minutes, &entry, &lane});
      at += entry.time.minutes;
    }
  }
  return out;
}

// 1e-6 units that `entry` needs while it runs.
std::int64_t need(const Entry& entry, std::optional<std::int64_t> named, std::int64_t per_gpu,
                  std::int64_t without) {
  if (named) return *named * 1000000;
  if (entry.compute.is_zero()) return without * 1000000;
  return entry.compute.micro() * per_gpu;
}

void expect_job_holds_its_steps(const Plan& plan, const Job& job) {
  const std::vector<Span> all = spans(plan, job);
  std::int64_t longest_step = 0;
  std::int64_t longest_lane = 0;
  for (const Span& span : all) {
    longest_step = std::max(longest_step, span.entry->time.minutes);
    longest_lane = std::max(longest_lane, span.end);
  }
  EXPECT_EQ(job.time.minutes, longest_lane) << job.name;
  EXPECT_EQ(job.time.minutes, longest_step) << job.name;
  for (const Span& moment : all) {  // loads only grow where a step starts
    std::map<int, GpuAmount> used;
    std::int64_t mem = 0;
    std::int64_t cpus = 0;
    for (const Span& other : all) {
      if (other.start > moment.start || other.end <= moment.start) continue;
      const Entry& entry = *other.entry;
      const auto named_mem = entry.mem ? std::optional(entry.mem->mib) : std::nullopt;
      mem += need(entry, named_mem, 102400, 32768);
      cpus += need(entry, entry.cpus, 12, 8);
      const bool shared = entry.compute < GpuAmount::whole(1);
      for (const int device : other.lane->devices) {
        used[device] = used[device] + (shared ? entry.compute : GpuAmount::whole(1));
      }
    }
    EXPECT_GE(job.mem.mib * 1000000, mem) << job.name;
    EXPECT_GE(std::int64_t{job.cpus} * 1000000, cpus) << job.name;
    for (const auto& [device, amount] : used) {
      EXPECT_LT(device, job.devices);
      EXPECT_LE(amount, GpuAmount::whole(1)) << job.name << " device " << device;
    }
  }
}

void expect_devices_match(const Plan& plan, const Job& job) {
  for (const Span& span : spans(plan, job)) {
    const auto devices = static_cast<std::int64_t>(span.lane->devices.size());
    EXPECT_EQ(devices, span.entry->compute.devices()) << job.name;
    EXPECT_EQ(job.devices == 0, span.entry->compute.is_zero()) << job.name;
  }
}

using Key = std::tuple<std::size_t, std::int64_t, int>;  // task, seed, stage

Key key_of(const Plan& plan, std::size_t step) {
  const PlanEntry& entry = plan.entries[plan.steps[step].entry];
  return {entry.task, plan.steps[step].seed, entry.stage};
}

// A job waits for exactly the jobs that hold the stage before of what it holds.
void expect_dependencies(const Plan& plan) {
  std::map<Key, std::set<std::size_t>> holds;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    for (const Lane& lane : plan.jobs[i].lanes) {
      for (const std::size_t step : lane.steps) holds[key_of(plan, step)].insert(i);
    }
  }
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    std::set<std::size_t> expected;
    std::set<int> stages;
    for (const Lane& lane : plan.jobs[i].lanes) {
      for (const std::size_t step : lane.steps) {
        auto [task, seed, stage] = key_of(plan, step);
        stages.insert(stage);
        if (stage == 0) continue;
        const auto& before = holds[{task, seed, stage - 1}];
        EXPECT_FALSE(before.empty());
        expected.insert(before.begin(), before.end());
      }
    }
    EXPECT_EQ(stages.size(), 1u) << plan.jobs[i].name;
    EXPECT_EQ(plan.jobs[i].after, std::vector<std::size_t>(expected.begin(), expected.end()));
    EXPECT_TRUE(expected.empty() || *expected.rbegin() < i) << "a job comes after those it needs";
  }
}

void expect_each_step_once(const Plan& plan) {
  std::vector<int> count(plan.steps.size());
  std::set<std::string> names;
  for (const Job& job : plan.jobs) {
    EXPECT_TRUE(names.insert(job.name).second) << job.name << " is not unique";
    for (const Lane& lane : job.lanes) {
      for (const std::size_t step : lane.steps) ++count[step];
    }
  }
  EXPECT_EQ(count, std::vector<int>(plan.steps.size(), 1));
}

void expect_all(const Plan& plan) {
  expect_each_step_once(plan);
  expect_dependencies(plan);
  for (const Job& job : plan.jobs) {
    expect_job_holds_its_steps(plan, job);
    expect_devices_match(plan, job);
  }
  EXPECT_GE(requested_gpu_time(plan).micro_minutes, lower_bound_gpu_time(plan).micro_minutes);
  EXPECT_LE(requested_gpu_time(plan).micro_minutes, unpacked_gpu_time(plan).micro_minutes);
}

constexpr PackScope kScopes[] = {PackScope::kNone, PackScope::kGroup, PackScope::kAll};

TEST(PackProperties, HoldForRandomSuites) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const auto suite = random_suite(seed, 1 + seed * 3);
    for (const PackScope scope : kScopes) {
      SCOPED_TRACE("suite " + std::to_string(seed) + ", --pack=" + to_string(scope));
      PlanOptions options;
      options.pack = scope;
      const Plan plan = build_plan(suite, options);
      expect_all(plan);
      const Plan again = build_plan(suite, options);
      EXPECT_EQ(plan_json(plan, plan), plan_json(again, again));
    }
  }
}

TEST(PackProperties, HoldWhereNodesAreSmall) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const auto suite = random_suite(seed, 12);
    for (const PackScope scope : kScopes) {
      PlanOptions options;
      options.pack = scope;
      options.node = {2, MemSize{210000}, 26};
      const Plan plan = build_plan(suite, options);
      expect_all(plan);
      for (const Job& job : plan.jobs) {
        if (job.lanes.size() == 1 && job.lanes[0].steps.size() == 1) continue;
        EXPECT_LE(job.devices, 2) << job.name;
        EXPECT_LE(job.mem.mib, 210000) << job.name;
        EXPECT_LE(job.cpus, 26) << job.name;
      }
    }
  }
}

TEST(PackProperties, NoneRequestsWhatTheUnpackedSumSays) {
  PlanOptions options;
  options.pack = PackScope::kNone;
  const Plan plan = build_plan(random_suite(1, 30), options);
  EXPECT_EQ(requested_gpu_time(plan).micro_minutes, unpacked_gpu_time(plan).micro_minutes);
  EXPECT_EQ(plan.jobs.size(), plan.steps.size());
}

}  // namespace
}  // namespace compute_scale
