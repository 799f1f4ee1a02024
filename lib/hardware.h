// Which hardware a scale means, by the site's table of hardware names.
#ifndef COMPUTE_SCALE_LIB_HARDWARE_H_
#define COMPUTE_SCALE_LIB_HARDWARE_H_

#include <string>
#include <string_view>
#include <vector>

#include "gpu_amount.h"
#include "result.h"

namespace compute_scale {

struct Hardware {
  std::string name;  // lower case: "h200"
  ScaleFactor scale;
  std::vector<std::string> gres_types;  // gres types that mean it, besides its name
  std::vector<std::string> partitions;  // partitions whose nodes have it
};

// A scale in effect; `hardware` is empty where a plain factor matches no hardware of the site.
struct Scale {
  ScaleFactor factor;
  std::string hardware;
};

// What `auto` may look at.
struct RequestHints {
  std::vector<std::string> gres_types;  // of the request, e.g. {"h200"}
  std::string partition;                // may be a list with commas
};

// `text` is a factor, a hardware name or "auto" (names in any case).
//   factor: the hardware whose scale it equals; two of them are an error that names both.
//   auto:   by gres type first, then partition; nothing or two different ones are an error.
// A factor of exactly 1 is always {1, reference hardware if the table has one with scale 1}.
Result<Scale> resolve_scale(std::string_view text, const std::vector<Hardware>& table,
                            const RequestHints& hints);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_HARDWARE_H_
