#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "container.h"
#include "macro_batch.h"
#include "package.h"
#include "read_file.h"
#include "selection.h"
#include "text.h"
#include "verbs.h"

namespace compute_scale {
namespace {

namespace fs = std::filesystem;

// What is wrong, and where: "file: place: text".
using Findings = std::vector<std::string>;

// Whether a path leads out of the folder, links followed.
bool is_inside(const fs::path& folder, const fs::path& path) {
  std::error_code error;
  const fs::path root = fs::weakly_canonical(folder, error);
  const fs::path real = fs::weakly_canonical(path, error);
  const auto mismatch = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
  return mismatch.first == root.end();
}

// Checks one task after another; scripts and packages that several entries share only once.
class Checker {
 public:
  Checker(const Context& context, ProcessRunner& runner)
      : packages_dir_(context.config.packages_dir.value_or("")), runner_(runner) {}

  Findings check(const Task& task) {
    findings_.clear();
    config_ = task.dir + "/config.json";
    for (const Entry& entry : task.entries) check_entry(task, entry);
    for (const Baseline& baseline : task.baselines) {
      if (!baseline.cmd.empty()) check_command(task, "baseline " + baseline.name, baseline.cmd);
    }
    return findings_;
  }

 private:
  void add(const std::string& place, const std::string& text) {
    findings_.push_back(config_ + ": " + place + ": " + text);
  }

  void check_entry(const Task& task, const Entry& entry) {
    const std::string place = printable(entry.label);
    const std::string script = check_command(task, place, entry.cmd);
    for (const std::string& text : check_macro_batch(entry, script_defaults(script))) {
      findings_.push_back(config_ + ": " + text);
    }
    if (!entry.package.empty()) check_package(place, entry.package);
  }

  // Returns the text of the script that the command names, if that is as it should be.
  std::string check_command(const Task& task, const std::string& place, const std::string& cmd) {
    const CommandLine line = split_command(cmd);
    if (line.script.empty()) {
      check_syntax(place + ": cmd " + quoted(cmd), {"bash", "-n", "-c", line.rest});
      return "";
    }
    const std::string file = task.dir + "/" + line.script;
    if (!is_inside(task.dir, file)) {
      add(place, "script " + quoted(line.script) + " lies outside the task folder");
      return "";
    }
    const auto text = read_text_file(file);
    if (!text.ok()) {
      add(place, text.error().text);
      return "";
    }
    if (checked_scripts_.insert(file).second) check_syntax(place, {"bash", "-n", file});
    return *text;
  }

  void check_syntax(const std::string& place, const std::vector<std::string>& argv) {
    const auto result = runner_.run(argv, present_environment());
    if (!result.ok()) return add(place, result.error().text);
    if (result->exit_code == 0) return;
    const std::string first(trim(split(trim(result->errors), '\n').front()));
    add(place, first.empty() ? "is refused by bash -n" : printable(first, 500));
  }

  void check_package(const std::string& place, const std::string& name) {
    if (packages_dir_.empty()) return;
    const auto [known, is_new] = package_problems_.emplace(name, "");
    if (is_new) {
      const auto package = load_package(packages_dir_, name);
      if (!package.ok()) known->second = package.error().text;
    }
    if (!known->second.empty()) add(place, known->second);
  }

  std::string packages_dir_;
  ProcessRunner& runner_;
  std::string config_;
  Findings findings_;
  std::set<std::string> checked_scripts_;
  std::map<std::string, std::string> package_problems_;
};

std::string as_table(const Selection& selection, const std::map<std::string, Findings>& findings) {
  Table table({{"TASK", Table::Align::kLeft},
               {"ENTRIES", Table::Align::kRight},
               {"RESULT", Table::Align::kLeft}});
  for (const Task& task : selection.tasks) {
    const std::size_t count = findings.at(task.name).size();
    table.add(
        {task.name, std::to_string(task.entries.size()),
         count == 0 ? "OK" : std::to_string(count) + (count == 1 ? " finding" : " findings")});
  }
  return table.text();
}

}  // namespace

Result<int> run_check(const Context& context, const Reporter& reporter, ProcessRunner& runner) {
  COMPUTE_SCALE_TRY(selection,
                    select_tasks(context.tasks_dir, context.options, WithoutPatterns::kAll));
  Checker checker(context, runner);
  Findings all;
  for (const Error& error : selection.errors) {
    if (error.kind == ErrorKind::kUsage) return error;  // no such task
    all.push_back(error.text);
  }
  std::map<std::string, Findings> by_task;
  for (const Task& task : selection.tasks) {
    by_task[task.name] = checker.check(task);
    all.insert(all.end(), by_task[task.name].begin(), by_task[task.name].end());
  }
  const int status = all.empty() ? 0 : static_cast<int>(ErrorKind::kTask);
  if (context.options.json) {
    using Json = nlohmann::ordered_json;
    const std::string text = Json(all).dump(1, ' ', false, Json::error_handler_t::replace);
    return print(text + "\n") ? status : 1;
  }
  if (!context.config.packages_dir) reporter.note("packages are not checked: no packages_dir");
  std::string out;
  for (const std::string& finding : all) out += finding + "\n";
  return print(out + as_table(selection, by_task)) ? status : 1;
}

}  // namespace compute_scale
