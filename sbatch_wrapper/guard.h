// Ends the steps of a local run when its executor is killed in a way that it cannot see.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_GUARD_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_GUARD_H_

#include <sys/types.h>

#include <cstddef>

#include "result.h"

namespace compute_scale {

// A small process that waits for the end of this one and then kills the process groups in a table
// that both share. (What the executor starts dies with it, but not what that has started.)
class Guard {
 public:
  Guard() = default;
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard();  // ends the process

  // Started early, it is small.
  Status start();
  // The group of slot `slot`; 0: it has ended. Slots beyond some millions are not watched.
  void watch(std::size_t slot, pid_t group);
  pid_t pid() const { return pid_; }

 private:
  pid_t* groups_ = nullptr;
  pid_t pid_ = -1;
  int pipe_ = -1;  // closed with this process
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_GUARD_H_
