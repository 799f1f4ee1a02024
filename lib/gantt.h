// A picture of a plan: which step would run on which device, and when.
#ifndef COMPUTE_SCALE_LIB_GANTT_H_
#define COMPUTE_SCALE_LIB_GANTT_H_

#include <string>

#include "makespan.h"
#include "plan.h"

namespace compute_scale {

// An SVG document: a row per device, hours from left to right. A job is a frame over the devices
// and the time that it asks for, with the number of its stage; in it each step has the colour of
// its task and the height of its share, so that what stays white is requested and not used. A step
// names itself where the pointer rests on it. Below: the tasks' colours. Jobs without GPU have no
// row; their number is said.
std::string gantt_svg(const Plan& plan, const Schedule& schedule);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_GANTT_H_
