#include "run_dir.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "manifest.h"
#include "run_layout.h"
#include "script.h"
#include "text.h"

namespace compute_scale {
namespace {

namespace fs = std::filesystem;

Status require_empty(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return Done{};
  if (!fs::is_directory(folder, error)) return usage_error(folder + ": is not a folder");
  if (fs::is_empty(folder, error)) return Done{};
  return usage_error(folder + ": exists and is not empty: name another --run-dir or --exp-name");
}

Status require_writable(const std::string& folder) {
  if (access(folder.c_str(), W_OK | X_OK) == 0) return Done{};
  return usage_error(folder + ": cannot be written: " + std::strerror(errno));
}

std::string parent_of(const std::string& path) {
  return fs::path(path).parent_path().string();
}

Status fill_run_dir(const Plan& plan, const RunSettings& settings,
                    const std::vector<std::string>& scripts) {
  const std::string base = settings.run_dir + "/";
  COMPUTE_SCALE_CHECK(make_folder(settings.run_dir));
  COMPUTE_SCALE_CHECK(require_writable(settings.run_dir));
  COMPUTE_SCALE_CHECK(make_folder(settings.save_path));
  COMPUTE_SCALE_CHECK(require_writable(settings.save_path));
  for (const Step& step : plan.steps) {
    COMPUTE_SCALE_CHECK(make_folder(parent_of(base + step_log_path(plan, step))));
    COMPUTE_SCALE_CHECK(make_folder(parent_of(base + step_result_path(plan, step))));
  }
  COMPUTE_SCALE_CHECK(make_folder(base + "scripts"));
  COMPUTE_SCALE_CHECK(make_folder(base + "submissions"));
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    COMPUTE_SCALE_CHECK(write_file(base + script_path(plan.jobs[i]), scripts[i]));
  }
  return write_file(base + kPlanFile, manifest_json(plan, settings));
}

// The folder stays: it may have been there.
void empty_folder(const std::string& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Status make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return usage_error(folder + ": cannot be made: " + error.message());
  return Done{};
}

Status write_file(const std::string& file, const std::string& text) {
  const std::string next = file + ".new";
  std::ofstream stream(next, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream || std::rename(next.c_str(), file.c_str()) != 0) {
    return usage_error(file + ": cannot be written: " + std::strerror(errno));
  }
  return Done{};
}

Result<std::vector<std::string>> render_scripts(const Plan& plan, const RunSettings& settings) {
  std::vector<std::string> scripts;
  for (const Job& job : plan.jobs) {
    COMPUTE_SCALE_TRY(script, job_script(plan, job, settings));
    scripts.push_back(std::move(script));
  }
  return scripts;
}

Status write_run_dir(const Plan& plan, const RunSettings& settings,
                     const std::vector<std::string>& scripts) {
  COMPUTE_SCALE_CHECK(require_empty(settings.run_dir));
  Status status = fill_run_dir(plan, settings, scripts);
  if (!status.ok()) empty_folder(settings.run_dir);
  return status;
}

}  // namespace compute_scale
