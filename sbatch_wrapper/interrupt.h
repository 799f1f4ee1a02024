// Waiting that Ctrl-C ends.
#ifndef COMPUTE_SCALE_SBATCH_WRAPPER_INTERRUPT_H_
#define COMPUTE_SCALE_SBATCH_WRAPPER_INTERRUPT_H_

namespace compute_scale {

constexpr int kInterruptedExit = 130;

// While one lives, SIGINT does not end the program but is kept for interrupted(). One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool interrupted() const;
  // Waits so long, or until the signal comes; whether it has come.
  bool wait(int milliseconds) const;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_SBATCH_WRAPPER_INTERRUPT_H_
