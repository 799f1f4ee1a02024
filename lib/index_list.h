// Lists of array indices as Slurm reads and prints them.
#ifndef COMPUTE_SCALE_LIB_INDEX_LIST_H_
#define COMPUTE_SCALE_LIB_INDEX_LIST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace compute_scale {

// "0-3,7" for the indices in any order, as several texts where one would have more than `longest`
// bytes.
std::vector<std::string> index_lists(std::vector<std::int64_t> indices, std::size_t longest);

// "7", "[7]" or "[0-3,7%2]"; empty where it is none of them, or has an index over 4,000,000, which
// MaxArraySize cannot be.
std::vector<std::int64_t> parse_index_list(std::string_view text);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_INDEX_LIST_H_
