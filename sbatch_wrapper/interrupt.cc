#include "interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace compute_scale {
namespace {

volatile sig_atomic_t came = 0;
// A signal between a look at `came` and the wait must end the wait too: it leaves a byte here.
std::array<int, 2> wake = {-1, -1};
struct sigaction before = {};

void on_signal(int) {
  const int kept = errno;
  came = 1;
  const char byte = 0;
  if (write(wake[1], &byte, 1) < 0) errno = kept;
  errno = kept;
}

}  // namespace

Interrupt::Interrupt() {
  came = 0;
  if (pipe2(wake.data(), O_CLOEXEC | O_NONBLOCK) != 0) wake = {-1, -1};
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &before, nullptr);
  for (int& end : wake) {
    if (end >= 0) close(end);
    end = -1;
  }
}

bool Interrupt::interrupted() const {
  return came != 0;
}

bool Interrupt::wait(int milliseconds) const {
  pollfd end = {wake[0], POLLIN, 0};
  if (!interrupted()) poll(&end, 1, milliseconds);
  return interrupted();
}

}  // namespace compute_scale
