// Names of what a run writes: the files of its run directory and its jobs.
#ifndef COMPUTE_SCALE_LIB_RUN_LAYOUT_H_
#define COMPUTE_SCALE_LIB_RUN_LAYOUT_H_

#include <string>
#include <string_view>

#include "plan.h"

namespace compute_scale {

// A file name for any text, distinct for distinct texts: letters, digits, '_', '-' and inner '.'
// are kept, other bytes become =XX. A long one is cut and ends in a hash of the whole.
std::string safe_name(std::string_view text);

// Paths relative to the run directory. Equal labels of two tasks, and labels that differ only in
// bytes that a file name cannot hold, have distinct files.
std::string script_path(const Job& job);                           // scripts/JOB.sh
std::string job_log_path(const Job& job);                          // logs/JOB.slurm.log
std::string step_log_path(const Plan& plan, const Step& step);     // logs/TASK/LABEL-seed42.log
std::string step_result_path(const Plan& plan, const Step& step);  // results/TASK/LABEL-seed42.json

// "llm-pretrain-loss/gpt-345m", as written.
std::string entry_name(const Plan& plan, const Step& step);

// The name in Slurm of a job, or of an array: its name in the run, eight digits that stand for the
// run directory, and the number of the submission from the second one on. So neither two runs of
// one task nor two submissions share a name, and a job can be found again by its name.
std::string slurm_job_name(std::string_view name, std::string_view run_dir, int submission = 1);

// Of an array, by its name in Slurm.
std::string array_script_path(std::string_view slurm_name);  // arrays/NAME.sh
// What Slurm takes for each element's output: a link to the log of its job.
std::string array_log_path(std::string_view slurm_name, std::string_view index);

// <save_path>/<task>/<exp_name>/seed_<seed>: the same for all groups, so that a later one finds
// what an earlier one wrote.
std::string output_dir(std::string_view save_path, std::string_view task, std::string_view exp_name,
                       std::int64_t seed);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_RUN_LAYOUT_H_
