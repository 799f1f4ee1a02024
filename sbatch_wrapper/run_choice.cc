#include "run_choice.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "context.h"
#include "planning.h"
#include "run_dir.h"
#include "text.h"

namespace compute_scale {
namespace {

namespace fs = std::filesystem;

bool is_run_dir(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path + "/" + kPlanFile, ignored);
}

// The run whose plan was written last.
Result<std::string> newest_run(const std::string& folder) {
  std::error_code error;
  std::string newest;
  fs::file_time_type latest;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const auto written = fs::last_write_time(it->path() / kPlanFile, ignored);
    if (ignored || (!newest.empty() && written <= latest)) continue;
    newest = it->path().string();
    latest = written;
  }
  if (!newest.empty()) return newest;
  return usage_error("no run in " + folder + ": name a run directory");
}

bool matches(const std::string& pattern, const std::string& text) {
  return pattern == text || glob_match(pattern, text);
}

bool matches_step(const std::string& pattern, const RunRecord& run, const RunStep& step) {
  const std::string& task = run.tasks[step.task];
  const std::string label = step.name.substr(task.size() + 1);
  const std::size_t slash = pattern.find('/');
  if (!matches(pattern.substr(0, slash), task)) return false;
  return slash == std::string::npos || matches(pattern.substr(slash + 1), label);
}

Error no_match(const std::string& pattern, const RunRecord& run) {
  std::vector<std::string> names = run.tasks;
  for (const RunStep& step : run.steps) names.push_back(step.name);
  std::sort(names.begin(), names.end());  // once each, not once per seed
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return usage_error("no step of " + run.run_dir + " matches " + quoted(pattern) +
                     did_you_mean(pattern, names));
}

}  // namespace

Result<RunChoice> choose_run(const Options& options) {
  RunChoice choice;
  choice.patterns = options.patterns;
  if (!options.run_dir.empty()) {
    choice.run_dir = absolute_path(options.run_dir);
    choice.named = true;
    return choice;
  }
  if (!choice.patterns.empty() && is_run_dir(choice.patterns.front())) {
    choice.run_dir = absolute_path(choice.patterns.front());
    choice.named = true;
    choice.patterns.erase(choice.patterns.begin());
    return choice;
  }
  COMPUTE_SCALE_TRY(layered, load_config(options));
  COMPUTE_SCALE_TRY(newest, newest_run(runs_folder(layered.config)));
  choice.run_dir = newest;
  return choice;
}

Result<std::vector<std::size_t>> choose_steps(const RunRecord& run,
                                              const std::vector<std::string>& patterns,
                                              const std::vector<std::int64_t>& seeds) {
  std::vector<bool> chosen(run.steps.size(), patterns.empty());
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
      if (!matches_step(pattern, run, run.steps[i])) continue;
      chosen[i] = true;
      any = true;
    }
    if (!any) return no_match(pattern, run);
  }
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const bool of_seed =
        seeds.empty() || std::find(seeds.begin(), seeds.end(), run.steps[i].seed) != seeds.end();
    if (chosen[i] && of_seed) out.push_back(i);
  }
  if (out.empty()) return usage_error("no step of " + run.run_dir + " has that seed");
  return out;
}

}  // namespace compute_scale
