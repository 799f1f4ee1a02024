#include "task.h"

#include <algorithm>
#include <unordered_map>

#include "task_entry.h"
#include "task_extras.h"
#include "text.h"

namespace compute_scale {
namespace {

// What is read of the top level before it can be put together.
struct TopLevel {
  std::optional<DocField> test_cmds, seeds, baselines, files, rigorous_codebase;
};

Status keep(const DocField& field, std::optional<DocField>& slot) {
  slot = field;
  return Done{};
}

constexpr DocKey<TopLevel> kTopKeys[] = {
    {"test_cmds", [](const DocField& f, TopLevel& t) { return keep(f, t.test_cmds); }},
    {"seeds", [](const DocField& f, TopLevel& t) { return keep(f, t.seeds); }},
    {"baselines", [](const DocField& f, TopLevel& t) { return keep(f, t.baselines); }},
    {"files", [](const DocField& f, TopLevel& t) { return keep(f, t.files); }},
    {"rigorous_codebase",
     [](const DocField& f, TopLevel& t) { return keep(f, t.rigorous_codebase); }},
};

// The benchmark's other keys are left out.
Result<TopLevel> read_top_level(const DocField& document) {
  COMPUTE_SCALE_CHECK(expect_map(document, "an object with \"test_cmds\""));
  TopLevel top;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const DocField field = document.item(i);
    if (const auto* key = find_key(kTopKeys, field.key())) {
      COMPUTE_SCALE_CHECK(key->read(field, top));
    } else {
      others.push_back(field.key());
    }
  }
  if (!top.test_cmds) {
    const std::vector<std::string> near = nearest("test_cmds", others, 1);
    return document.problem("the key \"test_cmds\" is missing" +
                            (near.empty() ? "" : "; is it " + quoted(near[0]) + "?"));
  }
  return top;
}

Result<std::vector<Entry>> read_entries(const DocField& field, const std::string& task) {
  COMPUTE_SCALE_CHECK(expect_list(field, "a list of entries"));
  if (field.size() == 0) return field.expected("at least one entry");
  std::vector<Entry> entries;
  std::unordered_map<std::string, std::string> places;  // by label
  for (std::size_t i = 0; i < field.size(); ++i) {
    const DocField place = field.item(i);
    COMPUTE_SCALE_TRY(entry, read_entry(place, task));
    const auto [known, is_new] = places.emplace(entry.label, place.path());
    if (!is_new) {
      return place.problem("the label " + quoted(entry.label) + " is that of " + known->second +
                           " too; expected a label of its own");
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

// An entry without a package runs in the first one that the task names.
void fill_packages(std::vector<Entry>& entries) {
  const auto named = std::find_if(entries.begin(), entries.end(),
                                  [](const Entry& entry) { return !entry.package.empty(); });
  if (named == entries.end()) return;
  const std::string first = named->package;
  for (Entry& entry : entries) {
    if (entry.package.empty()) entry.package = first;
  }
}

std::vector<std::string> labels_of(const std::vector<Entry>& entries) {
  std::vector<std::string> labels;
  labels.reserve(entries.size());
  for (const Entry& entry : entries) labels.push_back(entry.label);
  return labels;
}

Status read_task_baselines(const TopLevel& top, Task& task) {
  if (!top.baselines) return Done{};
  COMPUTE_SCALE_CHECK(
      assign(read_baselines(*top.baselines, labels_of(task.entries)), task.baselines));
  bool rigorous = false;
  if (top.rigorous_codebase) {
    COMPUTE_SCALE_CHECK(assign(read_bool(*top.rigorous_codebase), rigorous));
  }
  if (!rigorous) return Done{};
  // There a baseline edits the code instead, and runs the entries' own commands.
  for (Baseline& baseline : task.baselines) {
    baseline.cmd.clear();
    baseline.labels.clear();
  }
  return Done{};
}

}  // namespace

Result<Task> parse_task(std::string_view text, const std::string& name, const std::string& dir,
                        const std::string& file) {
  COMPUTE_SCALE_TRY(document, parse_json(text, file));
  COMPUTE_SCALE_TRY(top, read_top_level(DocField(document, DocFormat::kJson, file)));
  Task task;
  task.name = name;
  task.dir = dir;
  COMPUTE_SCALE_CHECK(assign(read_entries(*top.test_cmds, name), task.entries));
  fill_packages(task.entries);
  if (top.seeds) COMPUTE_SCALE_CHECK(assign(read_seeds(*top.seeds), task.seeds));
  if (top.files) COMPUTE_SCALE_CHECK(assign(read_edit_ranges(*top.files), task.edit_ranges));
  COMPUTE_SCALE_CHECK(read_task_baselines(top, task));
  return task;
}

Result<Entry> find_entry(const Task& task, const std::string& label) {
  const std::vector<std::string> labels = labels_of(task.entries);
  if (label.empty() && labels.size() == 1) return task.entries[0];
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (!label.empty() && found != labels.end()) {
    return task.entries[static_cast<std::size_t>(found - labels.begin())];
  }
  const std::string problem =
      label.empty() ? " has several entries; name one of them" : " has no entry " + quoted(label);
  return usage_error("task " + quoted(task.name) + problem + did_you_mean(label, labels) + " (" +
                     printable(join(labels, ", "), 400) + ")");
}

}  // namespace compute_scale
