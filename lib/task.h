// A task of the benchmark: its folder's config.json, read and validated.
#ifndef COMPUTE_SCALE_LIB_TASK_H_
#define COMPUTE_SCALE_LIB_TASK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "entry.h"
#include "result.h"

namespace compute_scale {

// A baseline that runs another command or environment (reference-behaviour of the benchmark).
struct Baseline {
  std::string name;
  std::string cmd;                  // empty: the entries' own
  std::vector<std::string> labels;  // the entries whose command it replaces; empty: all
  EnvList env;                      // the run environment
};

// Lines of a file that an agent may edit, 1-based, inclusive; end -1 is the end of the file.
struct EditRange {
  std::string file;
  std::int64_t start = 1;
  std::int64_t end = -1;
};

struct Task {
  std::string name;
  std::string dir;  // absolute
  std::vector<Entry> entries;
  std::vector<std::int64_t> seeds;  // empty: the config's
  std::vector<Baseline> baselines;
  std::vector<EditRange> edit_ranges;
};

// Reads the text of a config.json (BOM and CRLF accepted). `file` names it in errors, which carry
// the JSON pointer: `tasks/x/config.json: /test_cmds/0/compute: "-1": …`. Unknown keys of an entry,
// of a profile block and duplicate keys anywhere are errors with the nearest valid key; the task's
// other top-level keys are kept out. Two entries with one label are an error. Never throws.
Result<Task> parse_task(std::string_view text, const std::string& name, const std::string& dir,
                        const std::string& file);

// parse_task of `tasks_dir`/`name`/config.json. A missing task is an error that names the nearest
// existing ones (only then is the folder listed). `name` with a '/' or a leading '.' is refused.
Result<Task> load_task(const std::string& tasks_dir, const std::string& name);

// The names of the folders of `tasks_dir` that hold a config.json, sorted.
Result<std::vector<std::string>> list_tasks(const std::string& tasks_dir);

// The entry that `label` names; with an empty label the task's only entry, or an error that lists
// the labels.
Result<Entry> find_entry(const Task& task, const std::string& label);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_TASK_H_
