// Time limits as Slurm reads them (sbatch(1) --time), in whole minutes.
#ifndef COMPUTE_SCALE_LIB_TIME_LIMIT_H_
#define COMPUTE_SCALE_LIB_TIME_LIMIT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "result.h"

namespace compute_scale {

struct TimeLimit {
  std::int64_t minutes = 60;

  friend bool operator==(TimeLimit a, TimeLimit b) { return a.minutes == b.minutes; }
  friend bool operator!=(TimeLimit a, TimeLimit b) { return !(a == b); }
  friend bool operator<(TimeLimit a, TimeLimit b) { return a.minutes < b.minutes; }
};

// "minutes", "minutes:seconds", "hours:minutes:seconds", "days-hours", "days-hours:minutes",
// "days-hours:minutes:seconds"; seconds round up to a minute. 90 = 90:00 = 1:30:00; 1-12 = 36 h.
// Errors: 0, anything else (UNLIMITED and INFINITE included: a plan needs a number), over a year.
Result<TimeLimit> parse_time_limit(std::string_view text);

// "D-HH:MM:SS" from one day on, else "HH:MM:SS".
std::string to_string(TimeLimit limit);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_TIME_LIMIT_H_
