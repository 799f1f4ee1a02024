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
  std::vector<std::string> partitions;  // partitions whose nodes have it, and none but it
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

// Whether `name`, in lower case, can name a hardware: letters, digits, '_', '.', '-', not with '.'
// or '-' first, and neither "auto" nor a number, which --compute-scale takes for something else.
bool is_hardware_name(std::string_view name);

// `text` is a factor, a hardware name or "auto" (names in any case).
//  - factor: the hardware whose scale it equals; two of them are an error that names both.
//  - auto: by the gres types if there are any, else by the partitions. Nothing to go by, one that
//    the table does not know, and two that mean different hardware are errors: Slurm may choose
//    either.
// A factor of exactly 1 is never an error: {1, the one hardware with scale 1, else ""}.
// Errors are usage errors that start with the text in quotes.
Result<Scale> resolve_scale(std::string_view text, const std::vector<Hardware>& table,
                            const RequestHints& hints);

// Whether `scale` is of the hardware that `partitions` (may be a list with commas) have. A
// partition that the table lists has nothing but the hardware that lists it; others may have any,
// and a factor of exactly 1 fits everywhere, as it changes nothing. Errors are site errors.
Status check_partitions(const Scale& scale, const std::vector<Hardware>& table,
                        const std::string& partitions);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_HARDWARE_H_
