#include "fake_slurm.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <algorithm>

namespace compute_scale_test {

FakeSlurm& fake_slurm() {
  static FakeSlurm slurm;
  return slurm;
}

namespace {

void log_line(const char* level, const char* format, va_list arguments) {
  char text[8192];
  vsnprintf(text, sizeof text, format, arguments);
  fake_slurm().log(std::string(level) + ": " + text);
}

// Slurm hands out the array itself, which a later set or unset may move.
char** step_array() {
  static std::vector<char*> array;
  array.clear();
  for (std::string& variable : fake_slurm().step_environment) array.push_back(variable.data());
  array.push_back(nullptr);
  return array.data();
}

void remove_step_variable(const std::string& name) {
  auto& variables = fake_slurm().step_environment;
  const auto is_it = [&](const std::string& v) { return v.rfind(name + "=", 0) == 0; };
  variables.erase(std::remove_if(variables.begin(), variables.end(), is_it), variables.end());
}

}  // namespace
}  // namespace compute_scale_test

using compute_scale_test::fake_slurm;

// A macro of type int in some versions of Slurm, an enumerator in others.
static constexpr auto kSuccess = static_cast<spank_err_t>(ESPANK_SUCCESS);

extern "C" {

spank_context_t spank_context() {
  return fake_slurm().context;
}

spank_err_t spank_option_register(spank_t /*spank*/, struct spank_option* option) {
  auto& options = fake_slurm().options;
  for (const auto& known : options) {
    if (known.name == option->name) {
      fake_slurm().log("info: option " + known.name + " provided twice");
      return kSuccess;
    }
  }
  options.push_back({option->name, option->cb, option->val, false, ""});
  return kSuccess;
}

spank_err_t spank_get_item(spank_t /*spank*/, spank_item_t item, ...) {
  va_list arguments;
  va_start(arguments, item);
  spank_err_t result = kSuccess;
  if (item == S_JOB_ENV) {
    *va_arg(arguments, char***) = compute_scale_test::step_array();
  } else if (item == S_JOB_STEPID) {
    *va_arg(arguments, uint32_t*) = fake_slurm().step_id;
  } else if (item == S_JOB_ID) {
    *va_arg(arguments, uint32_t*) = fake_slurm().job_id;
  } else if (item == S_TASK_ID) {
    *va_arg(arguments, int*) = fake_slurm().task_id;
  } else {
    result = static_cast<spank_err_t>(ESPANK_NOT_AVAIL);
  }
  va_end(arguments);
  return result;
}

spank_err_t spank_setenv(spank_t /*spank*/, const char* name, const char* value, int /*over*/) {
  compute_scale_test::remove_step_variable(name);
  fake_slurm().step_environment.push_back(std::string(name) + "=" + value);
  return kSuccess;
}

spank_err_t spank_unsetenv(spank_t /*spank*/, const char* name) {
  compute_scale_test::remove_step_variable(name);
  return kSuccess;
}

spank_err_t spank_job_control_setenv(spank_t /*spank*/, const char* name, const char* value,
                                     int /*over*/) {
  fake_slurm().job_control[name] = value;
  return kSuccess;
}

spank_err_t spank_job_control_unsetenv(spank_t /*spank*/, const char* name) {
  fake_slurm().job_control.erase(name);
  return kSuccess;
}

void slurm_error(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  compute_scale_test::log_line("error", format, arguments);
  va_end(arguments);
}

void slurm_info(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  compute_scale_test::log_line("info", format, arguments);
  va_end(arguments);
}

void slurm_verbose(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  compute_scale_test::log_line("verbose", format, arguments);
  va_end(arguments);
}

}  // extern "C"
