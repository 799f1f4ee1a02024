// The record of a plan as JSON: what `plan --json` prints, and the plan.json of a run directory.
#ifndef COMPUTE_SCALE_LIB_MANIFEST_H_
#define COMPUTE_SCALE_LIB_MANIFEST_H_

#include <string>

#include "plan.h"
#include "run_settings.h"

namespace compute_scale {

// The plan: scale, tasks, entries (base and scaled compute), steps, jobs with lanes, resources and
// dependencies (as indices), GPU-hours, also those of `base`, the same steps at scale 1. Amounts of
// GPU are decimal texts, time is in minutes, memory in MiB. Ends in a newline.
std::string plan_json(const Plan& plan, const Plan& base);

// The same with what a run adds: where it writes, and the script, logs and results of each job and
// step, relative to the run directory; the options of each job for sbatch, and what every sbatch of
// the run is given besides. All that following, cancelling and resuming the run needs.
std::string manifest_json(const Plan& plan, const RunSettings& settings);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_MANIFEST_H_
