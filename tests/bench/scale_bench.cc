// Time per entry of the transform, over short and long lists: it must not grow with the list.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <chrono>
#include <string>
#include <vector>

#include "scale.h"

namespace compute_scale {
namespace {

// The mix of the real suite: multi-GPU entries with a profile, whole GPUs, fractions.
std::vector<Entry> suite_of(std::size_t size) {
  std::vector<Entry> entries(size);
  for (std::size_t i = 0; i < size; ++i) {
    Entry& entry = entries[i];
    entry.task = "task-" + std::to_string(i / 4);
    entry.label = "entry-" + std::to_string(i % 4);
    entry.cmd = "scripts/train.sh";
    if (i % 4 == 0) {
      entry.compute = GpuAmount::whole(4);
      entry.env = {{"MAX_ITERS", "13535"}};
      entry.profiles["h200"].compute = GpuAmount::whole(2);
      entry.profiles["h200"].env = {{"BATCH_SIZE", "64"}, {"GRAD_ACCUM", "8"}};
    } else if (i % 4 == 1) {
      entry.compute = GpuAmount::from_micro(330000);
    }
  }
  return entries;
}

// What malloc gave back to the system after one repetition would have to be mapped again in the
// next, for the long list only.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

void BM_scale_test_cmd_entries(benchmark::State& state) {
  keep_freed_memory();
  const auto entries = suite_of(static_cast<std::size_t>(state.range(0)));
  const auto factor = ScaleFactor::parse("0.5");
  const Scale scale{*factor, "h200"};
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const auto scaled = scale_test_cmd_entries(entries, scale);
    const auto end = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(scaled);  // to free it is the caller's time
    state.SetIterationTime(std::chrono::duration<double>(end - start).count());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_scale_test_cmd_entries)->Arg(1000)->Arg(100000)->UseManualTime();

}  // namespace
}  // namespace compute_scale

BENCHMARK_MAIN();
