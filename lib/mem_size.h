// Memory sizes as Slurm reads them (sbatch(1) --mem), in MiB.
#ifndef COMPUTE_SCALE_LIB_MEM_SIZE_H_
#define COMPUTE_SCALE_LIB_MEM_SIZE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "result.h"

namespace compute_scale {

struct MemSize {
  std::int64_t mib = 0;

  friend bool operator==(MemSize a, MemSize b) { return a.mib == b.mib; }
  friend bool operator!=(MemSize a, MemSize b) { return !(a == b); }
  friend bool operator<(MemSize a, MemSize b) { return a.mib < b.mib; }
};

// A number with an optional unit K, M, G or T (either case, a B behind it allowed), powers of 1024.
// Without a unit it is `bare_unit` ('G' in a task's `mem`, 'M' in Slurm's own directives).
// "0.5G" = "512M". Rounds up to a whole MiB. Errors: 0 (means "all memory" to Slurm), else.
Result<MemSize> parse_mem_size(std::string_view text, char bare_unit);

// "200G" where it is a whole number of GiB, else "1536M".
std::string to_string(MemSize size);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_MEM_SIZE_H_
