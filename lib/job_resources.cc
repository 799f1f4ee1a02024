#include "job_resources.h"

#include <algorithm>
#include <functional>

namespace compute_scale {
namespace {

constexpr std::int64_t kMicro = 1000000;

// One kind of resource: what an entry names itself, and the defaults.
struct Kind {
  std::function<std::optional<std::int64_t>(const Entry&)> named;
  std::int64_t per_device;
  std::int64_t without_gpu;
};

// The need of one lane: whole units that it names or that whole devices give it, and a share (in
// 1e-6 units) of the default of its one device.
struct Need {
  std::int64_t fixed = 0;
  std::int64_t share = 0;
};

Need need_of(const Lane& lane, const Plan& plan, const Kind& kind) {
  Need need;
  for (const std::size_t step : lane.steps) {
    const Entry& entry = plan.entries[plan.steps[step].entry].entry;
    if (const auto named = kind.named(entry)) {
      need.fixed = std::max(need.fixed, *named);
    } else if (entry.compute.is_zero()) {
      need.fixed = std::max(need.fixed, kind.without_gpu);
    } else if (entry.compute < GpuAmount::whole(1)) {
      need.share = std::max(need.share, kind.per_device * entry.compute.micro());
    } else {
      need.fixed = std::max(need.fixed, kind.per_device * entry.compute.devices());
    }
  }
  return need;
}

// What the steps on one device need together.
std::int64_t on_device(const Need& need, const Kind& kind) {
  if (need.share == 0) return need.fixed;
  return std::max(need.fixed + (need.share + kMicro - 1) / kMicro, kind.per_device);
}

std::int64_t add_up(const Job& job, const Plan& plan, const Kind& kind) {
  std::int64_t sum = 0;
  std::vector<Need> devices(static_cast<std::size_t>(job.devices));
  for (const Lane& lane : job.lanes) {
    const Need need = need_of(lane, plan, kind);
    if (lane.devices.size() != 1) {
      sum += need.fixed;
      continue;
    }
    Need& device = devices[static_cast<std::size_t>(lane.devices.front())];
    device.fixed += need.fixed;
    device.share += need.share;
  }
  for (const Need& device : devices) sum += on_device(device, kind);
  return sum;
}

TimeLimit longest_lane(const Job& job, const Plan& plan) {
  TimeLimit longest{0};
  for (const Lane& lane : job.lanes) {
    TimeLimit sum{0};
    for (const std::size_t step : lane.steps) {
      sum.minutes += plan.entries[plan.steps[step].entry].entry.time.minutes;
    }
    longest = std::max(longest, sum);
  }
  return longest;
}

}  // namespace

void set_resources(Job& job, const Plan& plan, const DefaultResources& defaults) {
  const Kind memory = {[](const Entry& entry) -> std::optional<std::int64_t> {
                         if (!entry.mem) return std::nullopt;
                         return entry.mem->mib;
                       },
                       defaults.mem_per_gpu.mib, defaults.mem_per_task.mib};
  const Kind cpus = {[](const Entry& entry) -> std::optional<std::int64_t> { return entry.cpus; },
                     defaults.cpus_per_gpu, defaults.cpus_per_task};
  job.time = longest_lane(job, plan);
  job.mem = {add_up(job, plan, memory)};
  job.cpus = static_cast<int>(add_up(job, plan, cpus));
}

}  // namespace compute_scale
