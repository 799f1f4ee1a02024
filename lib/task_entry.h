// One element of `test_cmds`, from its JSON.
#ifndef COMPUTE_SCALE_LIB_TASK_ENTRY_H_
#define COMPUTE_SCALE_LIB_TASK_ENTRY_H_

#include <string>

#include "doc_field.h"
#include "entry.h"
#include "result.h"

namespace compute_scale {

// The entry as task.h describes it; `task` is the name it gets. Errors: see parse_task.
Result<Entry> read_entry(const DocField& field, const std::string& task);

// A command as an entry and a baseline have it: a relative path that stays in the task folder, with
// arguments behind it, in one line of at most 120 KiB. Blanks and line ends around it are dropped.
Result<std::string> read_command(const DocField& field);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_TASK_ENTRY_H_
