// The journal of a submission: what was about to happen and what came of it, one JSON object a
// line, on the disk before and after each call of sbatch.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_JOURNAL_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_JOURNAL_H_

#include <string>
#include <vector>

#include "result.h"
#include "slurm_client.h"

namespace compute_scale {

class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  // Opens the file for appending and makes it if absent.
  Status open(const std::string& file);

  // Each writes one line and waits until it is on the disk.
  Status begin(const std::string& slurm_name, const std::vector<std::string>& argv);
  Status submitted(const std::string& slurm_name, const JobId& job);
  Status failed(const std::string& slurm_name, const std::string& reason);

 private:
  Status write(const std::string& line);
  std::string file_;
  int fd_ = -1;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_JOURNAL_H_
