// What packing requests over what its steps use, and how long it takes for each: one line
// `ratio microseconds` for a random suite of as many entries as the argument says.
//
// The suites are made of the 43 tasks' entries at 0.5, drawn with their frequencies by a generator
// with a fixed seed: stage, share of a GPU and time limit together, three entries to a task.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "plan.h"

namespace compute_scale {
namespace {

struct Kind {
  int count;
  int group;
  std::int64_t milli;  // 1e-3 GPU
  std::int64_t minutes;
};

// The entries of tests/data/suite.json at 0.5.
constexpr Kind kTable[] = {
    {3, 1, 55, 1440},   {1, 1, 125, 30},   {5, 1, 125, 60},   {1, 1, 125, 120},  {2, 1, 125, 240},
    {1, 1, 165, 20},    {2, 1, 165, 59},   {3, 1, 165, 60},   {2, 1, 165, 90},   {7, 1, 165, 120},
    {1, 1, 165, 150},   {7, 1, 165, 360},  {3, 1, 165, 600},  {3, 1, 165, 720},  {3, 1, 200, 720},
    {2, 1, 250, 120},   {4, 1, 250, 240},  {4, 1, 500, 60},   {3, 1, 500, 61},   {9, 1, 500, 120},
    {2, 1, 500, 180},   {3, 1, 500, 720},  {1, 1, 500, 1440}, {1, 1, 1000, 360}, {3, 1, 1000, 720},
    {11, 1, 2000, 720}, {1, 1, 8000, 60},  {12, 2, 500, 60},  {1, 2, 500, 120},  {1, 2, 500, 180},
    {1, 2, 500, 240},   {1, 2, 500, 1440}, {1, 2, 8000, 120}, {1, 3, 500, 60},   {1, 3, 500, 1440},
    {1, 3, 8000, 240},  {1, 4, 500, 60},
};

std::vector<PlanTask> random_suite(std::size_t entries) {
  std::vector<const Kind*> kinds;
  for (const Kind& kind : kTable)
    kinds.insert(kinds.end(), static_cast<std::size_t>(kind.count), &kind);
  std::mt19937 random(20260101);
  std::vector<PlanTask> tasks;
  for (std::size_t i = 0; i < entries; ++i) {
    if (i % 3 == 0) tasks.push_back({"task-" + std::to_string(i / 3), {}, {42}, {}});
    const Kind& kind = *kinds[random() % kinds.size()];
    Entry entry;
    entry.label = "entry-" + std::to_string(i % 3);
    entry.cmd = "scripts/train.sh";
    entry.group = kind.group;
    entry.compute = GpuAmount::from_micro(kind.milli * 1000);
    entry.time = TimeLimit{kind.minutes};
    tasks.back().entries.push_back(std::move(entry));
  }
  return tasks;
}

int measure(std::size_t entries) {
  const std::vector<PlanTask> suite = random_suite(entries);
  PlanOptions options;
  options.pack = PackScope::kAll;
  double least = std::numeric_limits<double>::max();
  double ratio = 0;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Plan plan = build_plan(suite, options);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count());
    ratio = requested_gpu_time(plan).hours() / lower_bound_gpu_time(plan).hours();
  }
  std::printf("%.4f %.3f\n", ratio, least / static_cast<double>(entries));
  return 0;
}

}  // namespace
}  // namespace compute_scale

int main(int argc, char** argv) {
  const long entries = argc == 2 ? std::atol(argv[1]) : 0;
  if (entries > 0) return compute_scale::measure(static_cast<std::size_t>(entries));
  std::fprintf(stderr, "usage: pack-bench ENTRIES\n");
  return 2;
}
