// Packing: which steps share an allocation, and which devices of it each one uses.
#ifndef COMPUTE_SCALE_LIB_PACK_H_
#define COMPUTE_SCALE_LIB_PACK_H_

#include <cstddef>
#include <vector>

#include "gpu_amount.h"

namespace compute_scale {

enum class PackScope {
  kNone,   // every step has an allocation of its own
  kGroup,  // fractions of one task, seed and group share devices
};

// A step as packing sees it; `step` is the caller's number for it.
struct PackItem {
  std::size_t step = 0;
  GpuAmount compute;
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

// The allocations of steps that may run at the same time. Steps without GPU and steps of one device
// or more are alone in theirs; fractions fill devices first-fit-decreasing, at most exactly 1 on a
// device, and at most `most_devices` devices are put into one allocation (a node has no more).
// In the order of each allocation's first item; lanes in the order of the items.
std::vector<Allocation> pack(const std::vector<PackItem>& items, PackScope scope, int most_devices);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_PACK_H_
