// Job arrays: which jobs of a run go to Slurm in one call of sbatch, and what each call waits for.
#ifndef COMPUTE_SCALE_LIB_ARRAY_H_
#define COMPUTE_SCALE_LIB_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result.h"

namespace compute_scale {

// A job that Slurm has already: alone, or an element of an array.
struct QueuedJob {
  std::string id;
  std::optional<std::int64_t> index;
};

// A job to be submitted. `chain` is the number of its task and seed: the jobs of one chain have the
// same index in the array of every stage, so that a stage can follow the one before it by
// `aftercorr`. Jobs of several tasks or seeds have any number.
struct ArrayJob {
  std::vector<std::string> directives;  // of its script (directives.h)
  std::int64_t chain = 0;
  std::vector<std::size_t> after;       // of the same list, earlier
  std::vector<QueuedJob> after_queued;  // and of earlier submissions
};

// A call of sbatch: one job as it is, or several as the elements of an array.
struct ArraySubmission {
  struct Member {
    std::size_t job = 0;  // index into the list of jobs
    std::int64_t index = 0;
  };
  // What is waited for: another call of the list, or a job that Slurm has; one element of it, or
  // all of it.
  struct Reference {
    std::optional<std::size_t> submission;
    std::string id;  // where `submission` is empty
    std::optional<std::int64_t> index;
    friend bool operator==(const Reference& a, const Reference& b) {
      return a.submission == b.submission && a.id == b.id && a.index == b.index;
    }
  };

  std::vector<Member> members;           // ascending by index
  std::vector<std::string> directives;   // that all members have
  std::vector<Reference> corresponding;  // whole arrays: the element of the same index succeeded
  std::vector<Reference> succeeded;
  std::vector<Reference> ended;  // because of max_running
  int most_running = 0;          // 0: no limit

  bool is_array() const { return members.size() > 1; }
};

struct ArrayOptions {
  std::int64_t max_array_size = 1001;    // the highest index is one less; 0: Slurm takes no arrays
  std::optional<int> max_running;        // over all calls together
  std::vector<std::string> still_there;  // jobs of earlier submissions that count for max_running
};

// The calls for `jobs`, each behind those that it waits for.
//
// Jobs with equal directives (but for name, output and the plugin's options) become one array if
// they wait for the same: each for the elements of its own index in the same arrays (aftercorr), or
// all for exactly the same jobs (afterok). An array waits by aftercorr only for arrays in which
// each of its indices exists: where one is missing, Slurm 22.05 waits for the whole other array
// (src/slurmctld/job_scheduler.c, _test_job_dependency_common), and one failure there would
// block all. So one failed job blocks nothing but the later jobs of its own chain.
//
// With max_running N, the N are shared out: up to N calls each get a share, by their size, which
// limits the elements that run at once. More calls than N, or jobs that are still there, wait for
// one another: each lane of calls has one share, and in it a call starts when the one before it has
// ended. Never do more than N jobs run.
std::vector<ArraySubmission> array_submissions(const std::vector<ArrayJob>& jobs,
                                               const ArrayOptions& options);

// "0-3,7" or, with a limit, "0-3,7%2": sbatch's --array.
std::string array_indices(const ArraySubmission& submission);

// The value of --dependency, or "" where nothing is waited for. `ids` are those of the calls so
// far.
std::string dependency_text(const ArraySubmission& submission, const std::vector<std::string>& ids);

// The script of an array: its directives, and a start of each element's job script with the
// script's own argument.
struct ArrayScript {
  struct Element {
    std::int64_t index = 0;
    std::string script;  // relative to the run directory
  };
  std::string name;  // in Slurm
  std::string run_dir;
  std::string output;  // of each element, relative to the run directory, with %a for its index
  std::vector<std::string> directives;
  std::vector<Element> elements;
};

// Errors: what sbatch cannot read in a directive; a script of more than 4 MiB.
Result<std::string> array_script(const ArrayScript& array);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_ARRAY_H_
