// Slurm's lists of generic resources: --gres, --gpus*, --tres-per-task and a node's Gres.
#ifndef COMPUTE_SCALE_LIB_GRES_H_
#define COMPUTE_SCALE_LIB_GRES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace compute_scale {

// One item of a list, e.g. "gres/gpu:h100:4(S:0,3)".
struct GresItem {
  std::string prefix;      // "gres/" or "gres:" as often as it was written
  std::string text;        // the rest as written: "gpu:h100:4(S:0,3)"
  std::string head;        // the text before the count: "gpu:h100"
  char separator = ':';    // between head and count
  std::string suffix;      // "(S:0,3)"
  std::string name;        // "gpu"
  std::string type;        // "h100", or empty
  std::int64_t count = 1;  // 1 where none is written

  bool is_gpu() const { return name == "gpu"; }
};

// Of a list and of a whole request: more than any cluster has, and far from any overflow.
inline constexpr std::int64_t kMostGpus = 1000000;

// Items of the grammar name[:type][:count], also name=count; an empty text or item is skipped.
// Counts take k, m, g, t, p (1024 each); commas inside parentheses do not separate. Errors: "gpu:",
// "gpu::2", "gpu:a:b:2", "gpu=x", more than 1,000,000 GPUs, a control character, bytes that are not
// UTF-8. Source: slurm_get_next_tres in Slurm's src/common/slurm_protocol_defs.c.
Result<std::vector<GresItem>> parse_gres(std::string_view text);

// The grammar of --gpus and its kin: [type:]count[,type:count], here as items named "gpu" whose
// text stays "h100:4".
Result<std::vector<GresItem>> parse_gpu_counts(std::string_view text);

// "none", "help" and "list" in any case: not a list of resources.
bool is_gres_keyword(std::string_view text);

// The same item with another count; its other parts stay as written.
GresItem with_count(GresItem item, std::int64_t count);

enum class GresPrefix { kKeep, kDrop };
std::string to_string(const std::vector<GresItem>& items, GresPrefix prefix);

// The sum over the items named "gpu"; shard and mps tokens are not GPUs.
std::int64_t gpu_count(const std::vector<GresItem>& items);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_GRES_H_
