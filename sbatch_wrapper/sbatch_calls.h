// Calls of sbatch that are under way at the same time.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_SBATCH_CALLS_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_SBATCH_CALLS_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "slurm_client.h"

namespace compute_scale {

class SbatchCalls {
 public:
  // `client` must live as long as this.
  explicit SbatchCalls(SlurmClient& client) : client_(client) {}
  SbatchCalls(const SbatchCalls&) = delete;
  SbatchCalls& operator=(const SbatchCalls&) = delete;
  ~SbatchCalls();  // waits for those under way

  // Starts the call number `call`. Where no thread can be had it is made before this returns.
  void start(std::size_t call, const std::vector<std::string>& argv);

  std::size_t under_way() const { return under_way_; }

  // Waits for the first call to end, and returns its number and answer. Needs one under way.
  std::pair<std::size_t, SbatchAnswer> next();

 private:
  void make(std::size_t call, const std::vector<std::string>& argv);

  SlurmClient& client_;
  std::size_t under_way_ = 0;
  std::vector<std::thread> threads_;
  std::mutex mutex_;  // of both below
  std::condition_variable ended_one_;
  std::vector<std::pair<std::size_t, SbatchAnswer>> ended_;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_SBATCH_CALLS_H_
