// The transform: the one place where an entry's GPU amount and environment are decided.
#ifndef COMPUTE_SCALE_LIB_SCALE_H_
#define COMPUTE_SCALE_LIB_SCALE_H_

#include <string>
#include <vector>

#include "entry.h"
#include "hardware.h"

namespace compute_scale {

struct ScaledEntries {
  std::vector<Entry> entries;         // same order; no profiles
  std::vector<std::string> warnings;  // one line per multi-GPU entry that had no block
};

// New entries at `scale`; the argument is not changed.
//   scale 1:             the base entries
//   block for hardware:  compute, time, mem, cpus of the block; env = entry's with the block's on
//   top compute <= 1:        compute x factor, at most 1 else:                untouched, and one
//   warning that names task, label, count, why, and the
//                        block to add
ScaledEntries scale_test_cmd_entries(const std::vector<Entry>& entries, const Scale& scale);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_SCALE_H_
