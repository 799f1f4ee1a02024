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

// New entries at `scale`; the argument is not changed. For each entry, the first that holds:
//  - scale 1: the base entry.
//  - It has a block for the hardware: compute, time, mem and cpus of the block, where it has them;
//    env is the entry's with the block's on top.
//  - compute <= 1: compute x factor, at most 1. A single job's result does not depend on it.
//  - Else: untouched, and one warning that names task, label, count, why, and the block to add.
ScaledEntries scale_test_cmd_entries(const std::vector<Entry>& entries, const Scale& scale);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_SCALE_H_
