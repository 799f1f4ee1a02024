// What a job must ask for so that all steps that run in it at the same time fit.
#ifndef COMPUTE_SCALE_LIB_JOB_RESOURCES_H_
#define COMPUTE_SCALE_LIB_JOB_RESOURCES_H_

#include "plan.h"

namespace compute_scale {

// Sets time, memory and CPUs of `job` from its lanes. Time is the longest lane's. Memory and CPUs
// add up over the lanes (within a lane the largest step counts): what the entry names, else the
// default of its devices; a fraction of a device has that share of it, and a device with a share on
// it counts at least as one default.
void set_resources(Job& job, const Plan& plan, const DefaultResources& defaults);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_JOB_RESOURCES_H_
