#include "selection.h"

#include <algorithm>
#include <map>
#include <set>

#include "text.h"

namespace compute_scale {
namespace {

// The labels of a task that are chosen, as globs; "*" is all of them.
using Chosen = std::map<std::string, std::set<std::string>>;

bool is_glob(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

// Adds the tasks that one pattern names.
Status choose(const std::string& tasks_dir, const std::string& pattern, Chosen& chosen) {
  const std::size_t slash = pattern.find('/');
  const std::string task = pattern.substr(0, slash);
  const std::string label = slash == std::string::npos ? "*" : pattern.substr(slash + 1);
  if (!is_glob(task)) {
    chosen[task].insert(label);
    return Done{};
  }
  COMPUTE_SCALE_TRY(names, list_tasks(tasks_dir));
  bool any = false;
  for (const std::string& name : names) {
    if (!glob_match(task, name)) continue;
    chosen[name].insert(label);
    any = true;
  }
  if (!any) return usage_error("no task matches " + quoted(task) + " in " + tasks_dir);
  return Done{};
}

Result<Chosen> choose_all(const std::string& tasks_dir, const Options& options,
                          WithoutPatterns without) {
  std::vector<std::string> patterns = options.patterns;
  if (options.all && !patterns.empty()) return usage_error("give tasks or --all, not both");
  if (patterns.empty()) {
    if (!options.all && without == WithoutPatterns::kRefuse) {
      return usage_error("name tasks (globs are allowed), or --all for every task in " + tasks_dir);
    }
    patterns = {"*"};
  }
  Chosen chosen;
  for (const std::string& pattern : patterns) {
    COMPUTE_SCALE_CHECK(choose(tasks_dir, pattern, chosen));
  }
  return chosen;
}

bool matches_any(const std::string& text, const std::set<std::string>& globs) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return glob == text || glob_match(glob, text);
  });
}

// A label that was written out must exist; one of a glob need not.
Status require_labels(const Task& task, const std::set<std::string>& globs) {
  std::vector<std::string> labels;
  for (const Entry& entry : task.entries) labels.push_back(entry.label);
  for (const std::string& glob : globs) {
    const bool found = std::any_of(labels.begin(), labels.end(), [&](const std::string& label) {
      return matches_any(label, {glob});
    });
    if (!found) {
      return usage_error(task.name + ": no entry " + quoted(glob) + did_you_mean(glob, labels) +
                         "; it has " + join(labels, ", "));
    }
  }
  return Done{};
}

void keep_chosen(Task& task, const std::set<std::string>& globs, const Options& options) {
  const std::set<std::string> labels(options.labels.begin(), options.labels.end());
  const std::set<int> groups(options.groups.begin(), options.groups.end());
  const auto dropped = [&](const Entry& entry) {
    if (!matches_any(entry.label, globs)) return true;
    if (!labels.empty() && !matches_any(entry.label, labels)) return true;
    return !groups.empty() && (!entry.group || groups.count(*entry.group) == 0);
  };
  auto& entries = task.entries;
  entries.erase(std::remove_if(entries.begin(), entries.end(), dropped), entries.end());
}

}  // namespace

Result<Selection> select_tasks(const std::string& tasks_dir, const Options& options,
                               WithoutPatterns without) {
  COMPUTE_SCALE_TRY(chosen, choose_all(tasks_dir, options, without));
  Selection selection;
  for (const auto& [name, globs] : chosen) {
    Result<Task> task = load_task(tasks_dir, name);
    if (!task.ok()) {
      selection.errors.push_back(task.error());
      continue;
    }
    COMPUTE_SCALE_CHECK(require_labels(*task, globs));
    keep_chosen(*task, globs, options);
    if (!task->entries.empty()) selection.tasks.push_back(std::move(*task));
  }
  if (selection.tasks.empty() && selection.errors.empty()) {
    return usage_error("no entry is left by --label and --group");
  }
  return selection;
}

}  // namespace compute_scale
