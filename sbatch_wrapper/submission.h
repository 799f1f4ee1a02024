// Submitting jobs of a run, for the first time or again: what calls of sbatch it takes
// (lib/array.h) and what became of each, in the journal.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_SUBMISSION_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_SUBMISSION_H_

#include <cstddef>
#include <future>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "array.h"
#include "journal.h"
#include "report.h"
#include "run_record.h"
#include "sbatch_calls.h"
#include "slurm_client.h"

namespace compute_scale {

// Which jobs of a run are to be submitted.
struct SubmissionPlan {
  int number = 1;                           // of this submission of the run
  std::vector<std::size_t> jobs;            // indices into RunRecord::jobs, ascending
  std::map<std::size_t, QueuedJob> queued;  // jobs that they wait for and that Slurm has
  std::vector<std::string> still_there;     // ids that count for max_running
  std::vector<std::string> sbatch_args;     // the user's
  int parallel = 1;                         // calls of sbatch under way at the same time
};

class Submission {
 public:
  // `settle_seconds`: how long to look for a job after a call of sbatch whose end is unclear.
  Submission(const RunRecord& run, SubmissionPlan plan, SlurmClient& client,
             const Reporter& reporter, int settle_seconds);

  // Decides the calls. Errors: what sbatch could not read; an array script that is too large.
  Status prepare();

  // The calls of sbatch as shell lines; ids that only Slurm can give stand as "ID-OF-name".
  std::string calls_text() const;

  // Calls sbatch and prints "id job" for each job that Slurm has taken. A refused call, and those
  // that wait for one that was not made, are listed; the others are made all the same. After a call
  // whose end stays unclear no other one is made. Returns the exit status.
  Result<int> run(Journal& journal);

 private:
  struct Call {
    ArraySubmission jobs;
    SubmissionCall record;  // without argv, which takes the ids of other calls
    std::string script;     // relative to the run directory
    std::string text;       // of the script of an array
    std::string id;         // once it is submitted
    bool begun = false;     // nothing is left to decide about it
    bool settled = false;   // it was made, or never will be
  };

  std::int64_t array_size();
  Status add_call(ArraySubmission jobs);
  std::vector<std::string> argv(const Call& call, const std::vector<std::string>& ids) const;
  std::vector<std::string> ids() const;
  bool has_all_ids(const Call& call) const;
  const Call* missing_before(const Call& call) const;
  Status begin_ready(SbatchCalls& calls, Journal& journal);
  bool may_be_made(const Call& call) const;
  Status write_files(const Call& call) const;
  Status begin(Call& call, Journal& journal);
  Status finish(Call& call, const SbatchAnswer& answer, Journal& journal);
  Status look_for(Call& call, const std::string& why, Journal& journal);
  void take(Call& call, const JobId& job);
  void miss(const Call& call);
  int report() const;

  const RunRecord& run_;
  SubmissionPlan plan_;
  SlurmClient& client_;
  const Reporter& reporter_;
  int settle_seconds_;
  std::vector<Call> calls_;
  std::future<Result<std::int64_t>> max_array_size_;  // asked for early: it takes a call of Slurm
  std::vector<std::string> missing_;                  // jobs that were not submitted
  bool unclear_ = false;                              // what became of a call is not known
};

// The environment of Slurm's commands for a run: nothing of a surrounding job; the plugin reads the
// same run config.
std::vector<std::string> slurm_environment(const RunRecord& run);

// Error where the run's scripts name entries to the plugin, as the site promises it
// (slurm.plugin), and sbatch has not loaded it.
Status check_plugin(const RunRecord& run, SlurmClient& client);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_SUBMISSION_H_
