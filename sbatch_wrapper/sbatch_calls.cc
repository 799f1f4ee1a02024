#include "sbatch_calls.h"

#include <system_error>

namespace compute_scale {

SbatchCalls::~SbatchCalls() {
  for (std::thread& thread : threads_) thread.join();
}

void SbatchCalls::start(std::size_t call, const std::vector<std::string>& argv) {
  ++under_way_;
  try {
    threads_.emplace_back([this, call, argv] { make(call, argv); });
  } catch (const std::system_error&) {
    make(call, argv);
  }
}

void SbatchCalls::make(std::size_t call, const std::vector<std::string>& argv) {
  SbatchAnswer answer = client_.submit(argv);
  const std::lock_guard<std::mutex> lock(mutex_);
  ended_.emplace_back(call, std::move(answer));
  ended_one_.notify_one();
}

std::pair<std::size_t, SbatchAnswer> SbatchCalls::next() {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_one_.wait(lock, [this] { return !ended_.empty(); });
  std::pair<std::size_t, SbatchAnswer> first = std::move(ended_.front());
  ended_.erase(ended_.begin());
  --under_way_;
  return first;
}

}  // namespace compute_scale
