// The `hardware` map of a config: {h200: {compute_scale: 0.5, gres_types: [h200], partitions: []}}.
#ifndef COMPUTE_SCALE_LIB_HARDWARE_TABLE_H_
#define COMPUTE_SCALE_LIB_HARDWARE_TABLE_H_

#include <vector>

#include "doc_field.h"
#include "hardware.h"
#include "result.h"

namespace compute_scale {

// The hardware in the order in which it was written, names in lower case and different.
Result<std::vector<Hardware>> read_hardware_table(const DocField& field);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_HARDWARE_TABLE_H_
