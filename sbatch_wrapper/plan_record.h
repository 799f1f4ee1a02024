// The plan of a run as its plan.json has it, to run its steps again as they were.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_PLAN_RECORD_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_PLAN_RECORD_H_

#include <string>
#include <string_view>

#include "plan.h"
#include "result.h"
#include "run_settings.h"

namespace compute_scale {

struct PlanRecord {
  Plan plan;
  RunSettings
      settings;  // what the run has of its own; packages and the site's settings are not in it
};

// From the text of plan.json (lib/manifest.h); `file` names it in errors.
Result<PlanRecord> parse_plan_record(std::string_view text, const std::string& file);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_PLAN_RECORD_H_
