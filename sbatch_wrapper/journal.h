// The journal of a run's submissions: what was about to happen and what came of it, one JSON object
// a line, written before and after each call of sbatch. run_record.h reads it.
//
//   {"event":"begin","name":NAME,"number":1,"jobs":[{"job":JOB,"index":3}],"argv":[…],"time":…}
//   {"event":"submitted","name":NAME,"id":"12","cluster":"c","found":true,"time":…}
//   {"event":"failed","name":NAME,"reason":"…","time":…}    sbatch has refused it
//   {"event":"unclear","name":NAME,"reason":"…","time":…}   nobody knows: still to be looked for
//   {"event":"cancelled","name":JOB,"time":…}               the user ended its last submission
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_JOURNAL_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_JOURNAL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result.h"
#include "slurm_client.h"

namespace compute_scale {

// One call of sbatch: a job, or an array whose elements are jobs of the run.
struct SubmissionCall {
  struct Member {
    std::string job;                    // its name in the plan
    std::optional<std::int64_t> index;  // in the array
  };
  std::string name;  // in Slurm; no two calls of a run have the same
  int number = 1;    // 1: the run's submission; 2, 3, …: its resumptions
  std::vector<Member> members;
  std::vector<std::string> argv;
};

class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  // Opens the file for appending and makes it if absent. What a killed writer left of a line is cut
  // off. Errors: it cannot be opened; another process has it open.
  Status open(const std::string& file);

  // Each writes one line: a process that is killed leaves it behind. See sync() for a machine.
  Status begin(const SubmissionCall& call);
  // `found`: not told by sbatch but seen in the queue under its name.
  Status submitted(const std::string& name, const JobId& job, bool found = false);
  Status failed(const std::string& name, const std::string& reason);
  Status unclear(const std::string& name, const std::string& reason);
  // Of several jobs, by their names in the plan; on the disk when it returns.
  Status cancelled(const std::vector<std::string>& jobs);
  // Waits until all that was written is on the disk. A begin must be before its call is made; what
  // came of a call may come later, as its job is found by its name.
  Status sync();

 private:
  Status cut_torn_line();
  Status write(const std::string& line);
  std::string file_;
  int fd_ = -1;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_JOURNAL_H_
