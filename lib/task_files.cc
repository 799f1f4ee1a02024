// The part of task.h that finds tasks on the disk.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>

#include "read_file.h"
#include "task.h"
#include "text.h"

namespace compute_scale {
namespace {

namespace fs = std::filesystem;

Status check_task_name(const std::string& name) {
  if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos || has_control(name)) {
    return usage_error(quoted(name) +
                       ": not a task name: expected the name of a folder of the tasks folder");
  }
  return Done{};
}

Error no_such_task(const std::string& tasks_dir, const std::string& name) {
  const Result<std::vector<std::string>> names = list_tasks(tasks_dir);
  if (!names.ok()) return names.error();
  return usage_error("no task " + quoted(name) + " in " + printable(tasks_dir, 4096) +
                     did_you_mean(name, *names));
}

Result<std::vector<std::string>> scan(const std::string& tasks_dir) {
  std::error_code error;
  std::vector<std::string> names;
  fs::directory_iterator folder(tasks_dir, error);
  for (; !error && folder != fs::directory_iterator(); folder.increment(error)) {
    const std::string name = folder->path().filename().string();
    std::error_code missing;  // a plain file, or a folder that may not be entered
    if (name[0] != '.' && fs::exists(folder->path() / "config.json", missing)) {
      names.push_back(name);
    }
  }
  if (error) {
    return usage_error(printable(tasks_dir, 4096) +
                       ": the tasks folder cannot be read: " + error.message());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Task> load(const std::string& tasks_dir, const std::string& name) {
  const std::string dir = fs::absolute(fs::path(tasks_dir) / name).lexically_normal().string();
  const std::string file = (fs::path(tasks_dir) / name / "config.json").string();
  const Result<std::string> text = read_text_file(file);
  if (text.ok()) return parse_task(*text, name, dir, file);
  std::error_code error;
  if (!fs::exists(file, error) && !error) return no_such_task(tasks_dir, name);
  return task_error(text.error().text);
}

}  // namespace

Result<std::vector<std::string>> list_tasks(const std::string& tasks_dir) {
  try {
    return scan(tasks_dir);
  } catch (const std::exception& failure) {
    return usage_error(printable(tasks_dir, 4096) + ": " + printable(failure.what()));
  }
}

Result<Task> load_task(const std::string& tasks_dir, const std::string& name) {
  COMPUTE_SCALE_CHECK(check_task_name(name));
  try {
    return load(tasks_dir, name);
  } catch (const std::exception& failure) {
    return usage_error(printable(tasks_dir, 4096) + ": " + printable(failure.what()));
  }
}

}  // namespace compute_scale
