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

// A baseline that runs another command or environment. In a config.json, `baselines` is a list of
// names and of blocks with a `name`, or an object of blocks by name. Where `rigorous_codebase` is
// true, `cmd` and `labels` are empty: there a baseline edits the code and runs the entries' own.
struct Baseline {
  std::string name;
  std::string cmd;                  // empty: the entries' own
  std::vector<std::string> labels;  // the entries whose command it replaces; empty: all
  EnvList env;                      // the run environment
};

// Lines of a file that an agent may edit, 1-based, inclusive; end -1 is the end of the file. From
// `files`, a list of {"filename": …, "edit": [{"start": 1, "end": -1}]}; -1 to -1 is the whole
// file. Ranges of one file never overlap.
struct EditRange {
  std::string file;
  std::int64_t start = 1;
  std::int64_t end = -1;
};

struct Task {
  std::string name;
  std::string dir;                  // absolute
  std::vector<Entry> entries;       // one or more; without a package of its own: the first named
  std::vector<std::int64_t> seeds;  // empty: the config's
  std::vector<Baseline> baselines;
  std::vector<EditRange> edit_ranges;
};

// Reads the text of a config.json (BOM and CRLF accepted). `file` names it in errors, which carry
// the JSON pointer: `tasks/x/config.json: /test_cmds/0/compute: "-1": …`. Unknown keys of an entry
// and of a profile block are errors with the nearest valid key, duplicate keys anywhere are errors,
// and so are two entries with one label; the task's other top-level keys are kept out.
//  - A number may be a text ("compute": "2"), a whole number may be 4.0. `mem` is in GB unless it
//    has a unit, `time` as a number in minutes, a number in `env` the text as it was written.
//  - An object under a key that is no field of an entry is the profile block of that hardware.
//  - `cmd` is one line and a relative path without ".."; what is blank around it is dropped.
//  - A name of `env` is [A-Za-z_][A-Za-z0-9_]* and not SLURM_* or SPANK_*; with its value it is
//    shorter than 128 KiB, and no text holds NUL.
// Errors are task errors. Never throws.
Result<Task> parse_task(std::string_view text, const std::string& name, const std::string& dir,
                        const std::string& file);

// parse_task of `tasks_dir`/`name`/config.json. A missing task is an error that names the nearest
// existing ones (only then is the folder listed). `name` with a '/' or a leading '.' is refused.
// Those two are usage errors; what is wrong with the file is a task error.
Result<Task> load_task(const std::string& tasks_dir, const std::string& name);

// The names of the folders of `tasks_dir` that hold a config.json, sorted; hidden ones left out.
Result<std::vector<std::string>> list_tasks(const std::string& tasks_dir);

// The entry that `label` names; with an empty label the task's only entry, or an error that lists
// the labels.
Result<Entry> find_entry(const Task& task, const std::string& label);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_TASK_H_
