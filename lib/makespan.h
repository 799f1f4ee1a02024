// When the jobs of a plan would run on a number of devices, each for as long as its limit.
#ifndef COMPUTE_SCALE_LIB_MAKESPAN_H_
#define COMPUTE_SCALE_LIB_MAKESPAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan.h"

namespace compute_scale {

// A job's place: minutes from the start of the run, and its devices, counted from 0.
struct Placement {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::vector<int> devices;
};

struct Schedule {
  std::vector<Placement> jobs;  // as Plan::jobs
  int devices = 0;
  std::int64_t minutes = 0;  // when the last job ends
};

// Starts jobs as soon as what they wait for has ended and their devices are free, those with the
// longest way to the end of the plan first. A job that needs more devices than are free gets the
// next ones: a later job only goes before it if it ends in time. Jobs without GPU start at once.
// With fewer `devices` than the largest job needs, there are as many as that.
Schedule schedule(const Plan& plan, int devices);

// What the stages of one task take one after another, in minutes, of the task that takes longest:
// no packing and no number of devices makes a run shorter.
std::int64_t longest_chain(const Plan& plan);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_MAKESPAN_H_
