#include "local_schedule.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace compute_scale {
namespace {

constexpr GpuAmount kDevice = GpuAmount::whole(1);
// How many amounts are looked through for a short step that fits before a kept device is needed.
constexpr int kAmountsTried = 32;

// What a step leaves to others on each of its devices is the rest of its share there.
GpuAmount share_of(GpuAmount compute) {
  return std::min(compute, kDevice);
}

std::size_t device_count(GpuAmount compute) {
  return static_cast<std::size_t>(compute.devices());
}

}  // namespace

std::vector<LocalStep> local_steps(const Plan& plan) {
  std::map<std::pair<std::size_t, std::int64_t>, std::size_t> chains;  // by task and seed
  std::vector<LocalStep> out;
  out.reserve(plan.steps.size());
  for (const Step& step : plan.steps) {
    const PlanEntry& entry = plan.entries[step.entry];
    const std::size_t chain =
        chains.try_emplace({entry.task, step.seed}, chains.size()).first->second;
    LocalStep local;
    local.compute = entry.entry.compute;
    local.limit = entry.entry.time.minutes * 60000;
    local.chain = chain;
    local.stage = entry.stage;
    out.push_back(local);
  }
  return out;
}

LocalSchedule::LocalSchedule(std::vector<LocalStep> steps, int devices, int cpu_jobs)
    : steps_(std::move(steps)),
      devices_(static_cast<std::size_t>(devices)),
      free_cpu_jobs_(std::max(1, cpu_jobs)) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const LocalStep& step = steps_[i];
    if (step.chain >= chains_.size()) chains_.resize(step.chain + 1);
    auto& stages = chains_[step.chain].stages;
    const auto stage = static_cast<std::size_t>(step.stage);
    if (stage >= stages.size()) stages.resize(stage + 1);
    stages[stage].push_back(i);
  }
  count_ways();
  for (Chain& chain : chains_) begin_stage(chain, blocked_at_start_);
}

void LocalSchedule::count_ways() {
  ways_.resize(steps_.size());
  for (const Chain& chain : chains_) {
    std::int64_t behind = 0;  // the longest way from the next stage on
    for (auto stage = chain.stages.rbegin(); stage != chain.stages.rend(); ++stage) {
      std::int64_t longest = behind;
      for (const std::size_t step : *stage) {
        ways_[step] = steps_[step].limit + behind;
        longest = std::max(longest, ways_[step]);
      }
      behind = longest;
    }
  }
}

// Makes the steps of the present stage wait, or goes on to the next one where none is left to run.
void LocalSchedule::begin_stage(Chain& chain, std::vector<std::size_t>& blocked) {
  for (; chain.stage < chain.stages.size(); ++chain.stage) {
    const bool is_blocked = chain.failed;
    for (const std::size_t step : chain.stages[chain.stage]) {
      if (steps_[step].before == LocalStep::Before::kLeftOut) chain.failed = true;
      if (steps_[step].before != LocalStep::Before::kToRun) continue;
      if (is_blocked) {
        blocked.push_back(step);
      } else {
        ++chain.open;
        wait(step);
      }
    }
    if (chain.open > 0) return;
  }
}

void LocalSchedule::wait(std::size_t step) {
  if (steps_[step].compute.is_zero()) {
    waiting_without_gpu_.insert({ways_[step], step});
    return;
  }
  if (steps_[step].compute <= kDevice) on_one_device_.insert({ways_[step], step});
  Waiting& waiting = waiting_[steps_[step].compute];
  waiting.by_way.insert({ways_[step], step});
  waiting.by_limit.insert({steps_[step].limit, step});
}

void LocalSchedule::take_out(std::size_t step) {
  if (steps_[step].compute <= kDevice) on_one_device_.erase({ways_[step], step});
  const auto waiting = waiting_.find(steps_[step].compute);
  waiting->second.by_way.erase({ways_[step], step});
  waiting->second.by_limit.erase({steps_[step].limit, step});
  if (waiting->second.by_way.empty()) waiting_.erase(waiting);
}

// The devices for `amount` as things are, without the kept ones; empty if it does not fit. A
// fraction goes to the first device in part use that has room, so that whole ones stay free.
std::vector<int> LocalSchedule::place(GpuAmount amount, const Kept* kept) const {
  const GpuAmount share = share_of(amount);
  const std::size_t count = device_count(amount);
  std::vector<int> free;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (kept != nullptr && kept->devices[i]) continue;
    const GpuAmount used = devices_[i].used;
    if (used.is_zero()) {
      if (free.size() < count) free.push_back(static_cast<int>(i));
      if (free.size() == count && share == kDevice) break;
    } else if (used + share <= kDevice) {
      return {static_cast<int>(i)};
    }
  }
  return free.size() == count ? free : std::vector<int>();
}

std::optional<LocalSchedule::Start> LocalSchedule::start(std::size_t step, std::vector<int> devices,
                                                         std::int64_t now) {
  const std::int64_t end = now + steps_[step].limit;
  for (const int i : devices) {
    Device& device = devices_[static_cast<std::size_t>(i)];
    device.used = device.used + share_of(steps_[step].compute);
    device.ends.insert({end, step});
  }
  running_[step] = {devices, end};
  return Start{step, std::move(devices)};
}

// The devices that have room for `amount` first, and when that is.
LocalSchedule::Kept LocalSchedule::keep_for(GpuAmount amount, std::int64_t now) const {
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    GpuAmount used = devices_[i].used;
    std::int64_t from = now;
    for (const auto& [end, step] : devices_[i].ends) {
      if (used + share_of(amount) <= kDevice) break;
      used = used - share_of(steps_[step].compute);
      from = std::max(now, end);
    }
    order.emplace_back(from, i);
  }
  std::sort(order.begin(), order.end());
  Kept kept{std::vector<bool>(devices_.size()), now};
  for (std::size_t i = 0; i < device_count(amount); ++i) {
    kept.devices[order[i].second] = true;
    kept.from = std::max(kept.from, order[i].first);
  }
  return kept;
}

// A step smaller than `first`, which waits: on other devices, or short enough; of those the one
// with the longest way.
std::optional<LocalSchedule::Start> LocalSchedule::pass_by(std::size_t first, std::int64_t now) {
  const GpuAmount amount = steps_[first].compute;
  auto smaller = waiting_.upper_bound(amount);
  if (smaller == waiting_.end()) return std::nullopt;
  const Kept kept = keep_for(amount, now);
  std::optional<Start> best;
  for (int tried = 0; smaller != waiting_.end() && tried < kAmountsTried; ++smaller, ++tried) {
    std::size_t step = smaller->second.by_way.begin()->step;
    std::vector<int> devices = place(smaller->first, &kept);
    if (devices.empty()) {
      const auto longer = smaller->second.by_limit.lower_bound({kept.from - now, 0});
      if (longer == smaller->second.by_limit.begin()) continue;
      step = std::prev(longer)->second;
      devices = place(smaller->first, nullptr);
    }
    if (devices.empty() || (best && ways_[best->step] >= ways_[step])) continue;
    best = Start{step, std::move(devices)};
  }
  return best;
}

std::optional<LocalSchedule::Start> LocalSchedule::next_without_gpu(std::int64_t now) {
  if (waiting_without_gpu_.empty() || free_cpu_jobs_ == 0) return std::nullopt;
  const std::size_t step = waiting_without_gpu_.begin()->step;
  waiting_without_gpu_.erase(waiting_without_gpu_.begin());
  --free_cpu_jobs_;
  return start(step, {}, now);
}

std::optional<LocalSchedule::Start> LocalSchedule::next(std::int64_t now) {
  if (auto without_gpu = next_without_gpu(now)) return without_gpu;
  if (waiting_.empty()) return std::nullopt;
  const auto& [largest, steps] = *waiting_.begin();
  const std::size_t first =
      largest > kDevice ? steps.by_way.begin()->step : on_one_device_.begin()->step;
  std::optional<Start> next = Start{first, place(steps_[first].compute, nullptr)};
  if (next->devices.empty()) next = pass_by(first, now);
  if (!next) return std::nullopt;
  take_out(next->step);
  return start(next->step, std::move(next->devices), now);
}

std::vector<std::size_t> LocalSchedule::ended(std::size_t step, bool success) {
  const auto running = running_.find(step);
  for (const int i : running->second.devices) {
    Device& device = devices_[static_cast<std::size_t>(i)];
    device.used = device.used - share_of(steps_[step].compute);
    device.ends.erase({running->second.end, step});
  }
  if (running->second.devices.empty()) ++free_cpu_jobs_;
  running_.erase(running);
  std::vector<std::size_t> blocked;
  Chain& chain = chains_[steps_[step].chain];
  if (!success) chain.failed = true;
  if (--chain.open > 0) return blocked;
  ++chain.stage;
  begin_stage(chain, blocked);
  return blocked;
}

}  // namespace compute_scale
