// Figures of a plan per task, for people.
#ifndef COMPUTE_SCALE_LIB_PLAN_FIGURES_H_
#define COMPUTE_SCALE_LIB_PLAN_FIGURES_H_

#include <vector>

#include "plan.h"

namespace compute_scale {

struct TaskFigures {
  int entries = 0;
  int jobs = 0;
  int gpus = 0;  // devices that one seed needs at once: of its largest stage
  GpuTime requested;
};

// One element per task of the plan, in its order. A job counts for the task of its first step.
std::vector<TaskFigures> figures_by_task(const Plan& plan);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_PLAN_FIGURES_H_
