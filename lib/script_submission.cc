#include "script_submission.h"

#include "run_layout.h"
#include "shell_quote.h"

namespace compute_scale {
namespace {

constexpr char kFunctions[] = R"bash(
# ---- the submission that started this job ----

array_ids=
[[ -z ${SLURM_ARRAY_JOB_ID-} ]] ||
  array_ids="\"array_job_id\":\"$SLURM_ARRAY_JOB_ID\",\"array_task_id\":\"$SLURM_ARRAY_TASK_ID\","

is_done() { [[ -r $1 && $(<"$1") == *'"state":"done"'* ]]; }

# Whether an earlier submission has done the step already.
done_before() {
  [[ -n $submission ]] && is_done "$result" || return
  [[ -z $scratch ]] || rm -rf "$scratch"
  note "$name: is done, see $result"
}

# Ends a job that had been given up for lost and was submitted again.
end_if_superseded() {
  local newest
  [[ -n $submission && -r $1 ]] || return 0
  newest=$(<"$1")
  ((newest > submission)) || return 0
  note "superseded: this is submission $submission of the job, and $newest has replaced it" >&2
  exit 4
}

# The record of a step on another node may take a while to be seen on this one.
require_done() {
  local file deadline=$((SECONDS + ${COMPUTE_SCALE_RECORD_SECONDS:-60}))
  [[ -n $submission ]] || return 0
  for file in "$@"; do
    until is_done "$run_dir/$file"; do
      ((SECONDS < deadline)) && sleep 1 && continue
      note "blocked: $run_dir/$file does not say that its step is done" >&2
      exit 3
    done
  done
}
)bash";

}  // namespace

const char* const kTakeSubmission = "submission=${1-}\n";

std::string newest_submission_path(std::string_view job) {
  return "submissions/" + safe_name(job);
}

std::string submission_check(const Plan& plan, const Job& job) {
  std::string out = kFunctions;
  out += "\nend_if_superseded \"$run_dir/\"" + shell_quote(newest_submission_path(job.name)) + "\n";
  if (job.after.empty()) return out;
  out += "require_done";
  for (const std::size_t before : job.after) {
    for (const Lane& lane : plan.jobs[before].lanes) {
      for (const std::size_t step : lane.steps) {
        out += " \\\n  " + shell_quote(step_result_path(plan, plan.steps[step]));
      }
    }
  }
  return out + "\n";
}

}  // namespace compute_scale
