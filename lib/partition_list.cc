#include "partition_list.h"

#include "text.h"

namespace compute_scale {

std::vector<std::string> partition_names(const std::string& comma_list) {
  std::vector<std::string> names;
  for (const std::string_view name : split(comma_list, ',')) {
    if (!trim(name).empty()) names.emplace_back(trim(name));
  }
  return names;
}

}  // namespace compute_scale
