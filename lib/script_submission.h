// What a job script does about the submission that started it.
#ifndef COMPUTE_SCALE_LIB_SCRIPT_SUBMISSION_H_
#define COMPUTE_SCALE_LIB_SCRIPT_SUBMISSION_H_

#include <string>
#include <string_view>

#include "plan.h"

namespace compute_scale {

// The file, relative to the run directory, that holds the number of a job's newest submission.
std::string newest_submission_path(std::string_view job);  // submissions/JOB

// Behind the directives: takes the script's argument, the number of the submission. A script that
// is started by hand has none, and nothing of this applies to it.
extern const char* const kTakeSubmission;

// Functions and the check itself, to stand in front of the lanes. A submission that a later one has
// replaced ends at once. None starts unless every step that it builds on is done: Slurm forgets
// jobs that have ended (MinJobAge) and then takes a dependency on them for fulfilled.
std::string submission_check(const Plan& plan, const Job& job);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_SCRIPT_SUBMISSION_H_
