// Small tasks, packages and settings that several tests plan and render.
#ifndef COMPUTE_SCALE_TESTS_UNIT_SAMPLES_H_
#define COMPUTE_SCALE_TESTS_UNIT_SAMPLES_H_

#include <string>
#include <vector>

#include "plan.h"
#include "run_settings.h"

namespace compute_scale {

// A task as the `test_cmds` of a config.json would give it; the text is a JSON array.
PlanTask sample_task(const std::string& name, const std::string& test_cmds,
                     std::vector<std::int64_t> seeds = {42});

// The scale "0.5" (h200), "1" (h100) or any other factor.
Scale sample_scale(const std::string& factor);

Plan sample_plan(const std::vector<PlanTask>& tasks, const std::string& factor,
                 PackScope pack = PackScope::kGroup);

// Settings of a run of `plan` in /runs/r1 with packages nanoGPT, verl and demo.
RunSettings sample_settings(const Plan& plan);

// A 4-GPU training with an h200 block of two, and an evaluation of its result.
extern const char* const kPretrainCmds;

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_TESTS_UNIT_SAMPLES_H_
