// Which step of a run starts next on one machine, and on which devices. Pure: it is told what
// happened and when, and knows no process and no clock.
#ifndef COMPUTE_SCALE_LIB_LOCAL_SCHEDULE_H_
#define COMPUTE_SCALE_LIB_LOCAL_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "gpu_amount.h"
#include "plan.h"

namespace compute_scale {

// A step as the schedule sees it. Steps of one chain (a task and seed) run stage by stage.
struct LocalStep {
  GpuAmount compute;
  std::int64_t limit = 0;  // its time limit, in milliseconds
  std::size_t chain = 0;
  int stage = 0;
  enum class Before { kToRun, kDone, kLeftOut } before = Before::kToRun;  // kLeftOut: not chosen
};

// The steps of `plan`, in its order; all of them are to run.
std::vector<LocalStep> local_steps(const Plan& plan);

// Steps of several devices start first, larger ones before smaller ones; then those with the
// longest way to the end of their chain. Fractions share a device while their exact sum is at most
// 1; a step of one device or more has its devices for itself. Where the first of the waiting steps
// does not fit, the devices that will be free for it first (by the time limits of what runs there)
// are kept for it: another step goes past it only on other devices, or where its own limit ends
// before that time. So no step of several devices waits behind small ones for longer than the
// limits of those that run when its turn comes. Each call takes O(log n) for n steps (and O(d log
// d) for d devices while a step waits so).
class LocalSchedule {
 public:
  // `cpu_jobs`: how many steps without GPU run at once, 1 or more. No step may need more than
  // `devices`.
  LocalSchedule(std::vector<LocalStep> steps, int devices, int cpu_jobs);

  struct Start {
    std::size_t step = 0;
    std::vector<int> devices;  // positions, ascending; empty without GPU
  };
  // The next step to start at `now` (milliseconds, never going back), which from then on counts as
  // running; nothing if all that is left has to wait.
  std::optional<Start> next(std::int64_t now);

  // A running step has ended. Returns the steps that can now never start, because a step of an
  // earlier stage of their chain did not succeed.
  std::vector<std::size_t> ended(std::size_t step, bool success);

  // Steps that could not start from the beginning: an earlier stage holds one that was left out.
  const std::vector<std::size_t>& blocked_at_start() const { return blocked_at_start_; }

  std::size_t running() const { return running_.size(); }

 private:
  struct Key {  // of a waiting step: first come first
    std::int64_t way;
    std::size_t step;
    bool operator<(const Key& other) const {
      return std::tie(other.way, step) < std::tie(way, other.step);
    }
  };
  struct Waiting {  // steps of one amount
    std::set<Key> by_way;
    std::set<std::pair<std::int64_t, std::size_t>> by_limit;
  };
  struct Running {
    std::vector<int> devices;
    std::int64_t end = 0;  // by its time limit
  };
  struct Device {
    GpuAmount used;
    std::set<std::pair<std::int64_t, std::size_t>> ends;  // of the steps on it, by time limit
  };
  struct Chain {
    std::vector<std::vector<std::size_t>> stages;
    std::size_t stage = 0;  // the present one
    std::size_t open = 0;   // its steps that have not ended
    bool failed = false;
  };
  // Devices kept for the largest waiting step until `from`.
  struct Kept {
    std::vector<bool> devices;
    std::int64_t from = 0;
  };

  void count_ways();
  void begin_stage(Chain& chain, std::vector<std::size_t>& blocked);
  void wait(std::size_t step);
  void take_out(std::size_t step);
  std::vector<int> place(GpuAmount amount, const Kept* kept) const;
  std::optional<Start> start(std::size_t step, std::vector<int> devices, std::int64_t now);
  Kept keep_for(GpuAmount amount, std::int64_t now) const;
  std::optional<Start> pass_by(std::size_t first, std::int64_t now);
  std::optional<Start> next_without_gpu(std::int64_t now);

  std::vector<LocalStep> steps_;
  std::vector<std::int64_t> ways_;  // to the end of the chain, by the time limits
  std::vector<Chain> chains_;
  std::map<GpuAmount, Waiting, std::greater<>> waiting_;  // with GPU
  std::set<Key> on_one_device_;  // those of `waiting_` that need one device or a share of one
  std::set<Key> waiting_without_gpu_;
  std::map<std::size_t, Running> running_;
  std::vector<Device> devices_;
  int free_cpu_jobs_;
  std::vector<std::size_t> blocked_at_start_;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_LOCAL_SCHEDULE_H_
