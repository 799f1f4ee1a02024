// The parts of a task's config.json besides `test_cmds` that matter here.
#ifndef COMPUTE_SCALE_LIB_TASK_EXTRAS_H_
#define COMPUTE_SCALE_LIB_TASK_EXTRAS_H_

#include <string>
#include <vector>

#include "doc_field.h"
#include "result.h"
#include "task.h"

namespace compute_scale {

// `labels` are the task's; a baseline may name no other.
Result<std::vector<Baseline>> read_baselines(const DocField& field,
                                             const std::vector<std::string>& labels);

Result<std::vector<EditRange>> read_edit_ranges(const DocField& files);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_TASK_EXTRAS_H_
