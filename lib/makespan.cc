#include "makespan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace compute_scale {
namespace {

// From the start of each job to the end of the last one that waits for it.
std::vector<std::int64_t> ways_to_the_end(const Plan& plan) {
  std::vector<std::int64_t> behind(plan.jobs.size(), 0);
  for (std::size_t i = plan.jobs.size(); i-- > 0;) {
    behind[i] += plan.jobs[i].time.minutes;
    for (const std::size_t before : plan.jobs[i].after) {
      behind[before] = std::max(behind[before], behind[i]);
    }
  }
  return behind;
}

class Simulation {
 public:
  Simulation(const Plan& plan, int devices)
      : plan_(plan), way_(ways_to_the_end(plan)), ready_(Order{this}) {
    for (const Job& job : plan.jobs) devices = std::max(devices, job.devices);
    for (int i = 0; i < devices; ++i) free_.insert(i);
    out_.devices = devices;
    out_.jobs.resize(plan.jobs.size());
    waits_for_.resize(plan.jobs.size());
    waiting_.resize(plan.jobs.size());
  }

  Schedule run() {
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
      waits_for_[i] = plan_.jobs[i].after.size();
      for (const std::size_t before : plan_.jobs[i].after) waiting_[before].push_back(i);
      if (waits_for_[i] == 0) ready_.insert(i);
    }
    start_what_fits();
    while (!running_.empty()) {
      now_ = running_.begin()->first;
      while (!running_.empty() && running_.begin()->first == now_) end_first();
      start_what_fits();
    }
    out_.minutes = now_;
    return std::move(out_);
  }

 private:
  // The longest way first, then the larger job, then the plan's order.
  struct Order {
    const Simulation* of;
    bool operator()(std::size_t a, std::size_t b) const {
      if (of->way_[a] != of->way_[b]) return of->way_[a] > of->way_[b];
      const int devices_a = of->plan_.jobs[a].devices;
      const int devices_b = of->plan_.jobs[b].devices;
      return devices_a != devices_b ? devices_a > devices_b : a < b;
    }
  };

  void end_first() {
    const std::size_t job = running_.begin()->second;
    running_.erase(running_.begin());
    free_.insert(out_.jobs[job].devices.begin(), out_.jobs[job].devices.end());
    for (const std::size_t next : waiting_[job]) {
      if (--waits_for_[next] == 0) ready_.insert(next);
    }
  }

  int free_devices() const { return static_cast<int>(free_.size()); }

  void start_what_fits() {
    std::int64_t reserved_from = -1;  // when the first job that has to wait can start
    int spare = 0;                    // devices that it leaves then
    for (auto at = ready_.begin(); at != ready_.end();) {
      const Job& job = plan_.jobs[*at];
      const bool fits = job.devices <= free_devices();
      const bool in_time = reserved_from < 0 || now_ + job.time.minutes <= reserved_from;
      if (fits && (in_time || job.devices <= spare)) {
        if (!in_time) spare -= job.devices;
        start(*at);
        at = ready_.erase(at);
        continue;
      }
      if (reserved_from < 0) std::tie(reserved_from, spare) = reservation(job.devices);
      if (free_.empty() && job.devices > 0) {
        // Only jobs without GPU could still start; they are in nobody's way.
        at = std::find_if(std::next(at), ready_.end(),
                          [&](std::size_t other) { return plan_.jobs[other].devices == 0; });
      } else {
        ++at;
      }
    }
  }

  // When `devices` will be free, and how many more then are.
  std::pair<std::int64_t, int> reservation(int devices) const {
    int free = free_devices();
    for (auto at = running_.begin(); at != running_.end(); ++at) {
      free += plan_.jobs[at->second].devices;
      const auto next = std::next(at);
      const bool is_last_now = next == running_.end() || next->first != at->first;
      if (free >= devices && is_last_now) return {at->first, free - devices};
    }
    return {now_, 0};
  }

  void start(std::size_t job) {
    Placement& place = out_.jobs[job];
    place.start = now_;
    place.end = now_ + plan_.jobs[job].time.minutes;
    for (int i = 0; i < plan_.jobs[job].devices; ++i) {
      place.devices.push_back(*free_.begin());
      free_.erase(free_.begin());
    }
    running_.emplace(place.end, job);
  }

  const Plan& plan_;
  std::vector<std::int64_t> way_;
  std::int64_t now_ = 0;
  std::set<int> free_;
  std::set<std::size_t, Order> ready_;
  std::set<std::pair<std::int64_t, std::size_t>> running_;  // end, job
  std::vector<std::size_t> waits_for_;                      // how many have not ended, of each job
  std::vector<std::vector<std::size_t>> waiting_;
  Schedule out_;
};

}  // namespace

Schedule schedule(const Plan& plan, int devices) {
  return Simulation(plan, devices).run();
}

std::int64_t longest_chain(const Plan& plan) {
  std::map<std::pair<std::size_t, int>, std::int64_t> longest;  // by task and stage
  for (const PlanEntry& entry : plan.entries) {
    std::int64_t& minutes = longest[{entry.task, entry.stage}];
    minutes = std::max(minutes, entry.entry.time.minutes);
  }
  std::vector<std::int64_t> chains(plan.tasks.size(), 0);
  for (const auto& [stage, minutes] : longest) chains[stage.first] += minutes;
  return chains.empty() ? 0 : *std::max_element(chains.begin(), chains.end());
}

}  // namespace compute_scale
