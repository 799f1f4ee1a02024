// Packing: which steps share an allocation, and which devices of it each one uses.
#ifndef COMPUTE_SCALE_LIB_PACK_H_
#define COMPUTE_SCALE_LIB_PACK_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_amount.h"
#include "time_limit.h"

namespace compute_scale {

enum class PackScope {
  kNone,   // every step has an allocation of its own
  kGroup,  // fractions of one task, seed and group share devices
  kAll,    // fractions of all tasks and seeds share devices, stage by stage
};

// "none", "group", "all"; nothing for another text.
std::optional<PackScope> parse_pack_scope(std::string_view text);
std::string to_string(PackScope scope);

// A step as packing sees it; `step` is the caller's number for it.
struct PackItem {
  std::size_t step = 0;
  GpuAmount compute;
  TimeLimit time;
};

// Steps that run one after another on the same devices, given as positions in the job's own device
// list; none for steps without GPU. Lanes of one job run side by side.
struct Lane {
  std::vector<int> devices;
  std::vector<std::size_t> steps;
};

// One allocation: its lanes and how many devices they need together.
struct Allocation {
  std::vector<Lane> lanes;
  int devices = 0;
};

struct PackOptions {
  PackScope scope = PackScope::kGroup;
  int most_devices = 8;  // of an allocation that shares devices: a node has no more
  // Whether a node can give what the allocation needs besides its devices; absent: always.
  std::function<bool(const Allocation&)> fits;
};

// The allocations of steps that may run at the same time. Steps without GPU and steps of one device
// or more are alone in theirs, which then asks for no more than they need. Fractions share devices:
// side by side while their exact sum is at most 1, and one after another for as long as the longest
// step of the device takes (device_fill.h). An allocation has one device, or, in scope kGroup,
// devices that are kept for the same time, up to `most_devices`.
// Those of fractions come last, each kind in the order of its first item, as do lanes.
std::vector<Allocation> pack(const std::vector<PackItem>& items, const PackOptions& options);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_PACK_H_
