// Lists of partitions, as --partition and configs write them.
#ifndef COMPUTE_SCALE_LIB_PARTITION_LIST_H_
#define COMPUTE_SCALE_LIB_PARTITION_LIST_H_

#include <string>
#include <vector>

namespace compute_scale {

// The names in "gpu, cpu", in order; blanks around them and empty ones are left out.
std::vector<std::string> partition_names(const std::string& comma_list);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_PARTITION_LIST_H_
