// What Slurm says about jobs: the queue (squeue) and, where a site keeps it, the accounting
// (sacct).
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_QUEUE_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_QUEUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process.h"
#include "result.h"

namespace compute_scale {

// A job, or one element of an array.
struct QueueJob {
  std::string id;                     // of the job or the whole array
  std::optional<std::int64_t> index;  // in the array
  std::string job_id;                 // SLURM_JOB_ID; of an element that waits: the array's
  std::string state;                  // one word in upper case, also one that is not known here
  std::string reason;                 // as one word: "Dependency"; empty: none
  std::int64_t elapsed_seconds = 0;
  std::int64_t started = 0;    // seconds since the epoch; 0: not yet
  std::int64_t submitted = 0;  // seconds since the epoch; 0: not told
  int restarts = 0;
  std::int64_t gpus = 0;  // held, or asked for while it waits
  std::string name;

  // "12", or "12_3" for an element.
  std::string element_id() const { return index ? id + "_" + std::to_string(*index) : id; }
};

// What a state means for the steps of its job. Slurm's names are those of job_state_string() in
// src/common/slurm_protocol_defs.c.
enum class JobPhase { kWaiting, kActive, kEnded, kUnknown };
JobPhase phase_of(std::string_view state);

// The first word in upper case: "CANCELLED by 1000" and "CANCELLED+" -> "CANCELLED".
std::string state_word(std::string_view text);

// "58", "1:02", "3:01:02", "2-03:01:02" in seconds; 0 where it is none of them ("INVALID") or
// more than any job lasts.
std::int64_t elapsed_seconds(std::string_view text);

// One call, and so one request to the controller, for all jobs of one user on one cluster (empty:
// this one), ended ones too as long as Slurm keeps them.
std::vector<std::string> squeue_argv(const std::string& user_id, const std::string& cluster);

// What that call prints. Lines of another form (banners) are passed over.
std::vector<QueueJob> parse_squeue(std::string_view text);

// The same of the accounting, for the ids of jobs or whole arrays; an argument stays below the
// kernel's 128 KiB, so that very many ids take several calls.
std::vector<std::vector<std::string>> sacct_argvs(const std::vector<std::string>& ids,
                                                  const std::string& cluster);
std::vector<QueueJob> parse_sacct(std::string_view text);

// `environment` without what changes what these commands print or ask for.
std::vector<std::string> query_environment(std::vector<std::string> environment);

// Error: the call cannot be made, or the controller does not answer (squeue's own words).
Result<std::vector<QueueJob>> ask_squeue(ProcessRunner& runner, const std::string& user_id,
                                         const std::string& cluster);

// What the accounting tells; nothing where a site has none (sacct fails or is absent).
std::vector<QueueJob> ask_sacct(ProcessRunner& runner, const std::vector<std::string>& ids,
                                const std::string& cluster);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_QUEUE_H_
