#include "run.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <sstream>

#include "fake/request.h"
#include "fake_slurm.h"
#include "record.h"

namespace compute_scale_test {
namespace {

namespace fs = std::filesystem;

// Kinds of records.
enum : char { kLog = 'l', kComponent = 'c', kVariable = 'v', kOption = 'o', kJobControl = 'j' };

fs::path build_folder() {
  return BUILD_FOLDER;
}

// --- the child's side ---

int results = -1;

void load_globally(const std::string& name) {
  const fs::path path = build_folder() / (name + ".so");
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) abort();
}

struct Plugin {
  spank_f* init;
  spank_f* post_opt;
  spank_f* task_init;
};

Plugin load_plugin(const fs::path& path) {
  // As Slurm does (plugin_load_from_file in its src/common/plugin.c).
  void* handle = dlopen(path.c_str(), RTLD_LAZY);
  if (handle == nullptr) abort();
  const auto hook = [&](const char* name) {
    return reinterpret_cast<spank_f*>(dlsym(handle, name));
  };
  return {hook("slurm_spank_init"), hook("slurm_spank_init_post_opt"),
          hook("slurm_spank_task_init")};
}

std::vector<Plugin> load_plugins(int lines, bool copies, const fs::path& folder) {
  const fs::path original = build_folder() / "spank_compute_scale.so";
  std::vector<Plugin> plugins;
  for (int i = 0; i < lines; ++i) {
    fs::path path = original;
    if (copies) {
      path = folder / ("copy" + std::to_string(i) + ".so");
      fs::copy_file(original, path);
    }
    plugins.push_back(load_plugin(path));
  }
  return plugins;
}

class PlugstackArguments {
 public:
  explicit PlugstackArguments(const std::vector<std::string>& texts) : texts_(texts) {
    for (std::string& text : texts_) pointers_.push_back(text.data());
  }
  int count() const { return static_cast<int>(pointers_.size()); }
  char** array() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

void call_hook(spank_f* hook, PlugstackArguments* arguments) {
  spank_t spank = nullptr;
  if (hook(spank, arguments->count(), arguments->array()) != 0) abort();
}

std::string remote_name(const RegisteredOption& option) {
  std::string name = "_SLURM_SPANK_OPTION_compute_scale_" + option.name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

void call_back(RegisteredOption* option, const std::string& argument) {
  if (option->callback(option->value, argument.c_str(), 0) != 0) abort();
  option->used = true;
  option->argument = argument;
}

void use_options(const std::vector<std::pair<std::string, std::string>>& given) {
  for (const auto& [name, argument] : given) {
    for (RegisteredOption& option : fake_slurm().options) {
      if (option.name == name) call_back(&option, argument);
    }
  }
}

void use_environment() {
  for (RegisteredOption& option : fake_slurm().options) {
    const char* argument = getenv(("SLURM_SPANK_" + remote_name(option)).c_str());
    if (argument != nullptr) call_back(&option, argument);
  }
}

// _spank_stack_set_remote_options_env, which Slurm runs before the hook.
void pass_options_on() {
  for (const RegisteredOption& option : fake_slurm().options) {
    if (!option.used) continue;
    setenv(remote_name(option).c_str(), option.argument.c_str(), 1);
    fake_slurm().job_control[remote_name(option)] = option.argument;
  }
}

// _set_spank_env of sbatch and salloc, after the hook.
void export_job_control() {
  for (const auto& [name, value] : fake_slurm().job_control) {
    setenv(("SLURM_SPANK_" + name).c_str(), value.c_str(), 1);
  }
}

void report_environment(const char* const* variables) {
  for (; *variables != nullptr; ++variables) {
    const std::string variable = *variables;
    const std::size_t equals = variable.find('=');
    write_record(results, {kVariable, variable.substr(0, equals), variable.substr(equals + 1)});
  }
}

void report_component(const FakeRequest* request) {
  write_record(results, {kComponent, "", ""});
  report_environment(environ);
  if (request == nullptr) return;
  for (const auto& [name, value] : request->values) write_record(results, {kOption, name, value});
}

void run_component(const CommandRun& run, const Component& component, FakeRequest* request,
                   const std::vector<Plugin>& plugins, PlugstackArguments* arguments) {
  use_options(component.directives);
  use_environment();
  use_options(component.command_line);
  if (request != nullptr) {
    *request = FakeRequest();
    request->values.insert(component.request.begin(), component.request.end());
    request->derived.insert(component.derived.begin(), component.derived.end());
    request->refused.insert(run.unsettable.begin(), run.unsettable.end());
  }
  pass_options_on();
  for (const Plugin& plugin : plugins) call_hook(plugin.post_opt, arguments);
  if (run.command != "srun") export_job_control();
  report_component(request);
}

void set_environment(const Variables& variables) {
  clearenv();
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
}

void be_command(const CommandRun& run, const fs::path& folder) {
  set_environment(run.environment);
  setenv("FAKE_LIBRARY_DECISION", run.decision.c_str(), 1);
  setenv("FAKE_LIBRARY_FAULT", run.fault.c_str(), 1);
  setenv("FAKE_LIBRARY_LOG", (folder / "calls").c_str(), 1);
  fake_slurm().context = run.command == "srun" ? S_CTX_LOCAL : S_CTX_ALLOCATOR;
  if (run.command == "sbatch" || run.command == "salloc" || run.command == "srun") {
    load_globally("fake-" + run.command);
  }
  FakeRequest* request = nullptr;
  if (!run.request_api.empty()) {
    load_globally(run.request_api);
    request = static_cast<FakeRequest*>(dlsym(RTLD_DEFAULT, "opt"));
  }
  std::vector<std::string> texts = run.plugstack_arguments;
  const fs::path library = build_folder() / "fake-library.so";
  texts.push_back("library=" + (run.library.empty() ? library.string() : run.library));
  PlugstackArguments arguments(texts);
  const auto plugins = load_plugins(run.plugstack_lines, run.copies, folder);
  for (const Plugin& plugin : plugins) call_hook(plugin.init, &arguments);
  for (const Component& component : run.components) {
    run_component(run, component, request, plugins, &arguments);
  }
  for (const auto& [name, value] : fake_slurm().job_control) {
    write_record(results, {kJobControl, name, value});
  }
}

void be_step(const StepRun& run) {
  FakeSlurm& slurm = fake_slurm();
  slurm.context = S_CTX_REMOTE;
  slurm.step_id = run.step_id;
  slurm.job_id = run.job_id;
  slurm.task_id = run.task_id;
  for (const auto& [name, value] : run.environment) {
    spank_setenv(nullptr, name.c_str(), value.c_str(), 1);
  }
  PlugstackArguments arguments({});
  const auto plugins = load_plugins(run.plugstack_lines, false, "");
  for (const Plugin& plugin : plugins) call_hook(plugin.init, &arguments);
  for (const Plugin& plugin : plugins) call_hook(plugin.post_opt, &arguments);
  if (!run.task_devices.empty()) {
    spank_setenv(nullptr, "CUDA_VISIBLE_DEVICES", run.task_devices.c_str(), 1);
  }
  for (const Plugin& plugin : plugins) call_hook(plugin.task_init, &arguments);
  write_record(results, {kComponent, "", ""});
  std::vector<const char*> variables;
  for (const std::string& variable : slurm.step_environment) variables.push_back(variable.c_str());
  variables.push_back(nullptr);
  report_environment(variables.data());
}

// --- the parent's side ---

Outcome outcome_of(const std::vector<Record>& records) {
  Outcome outcome;
  for (const Record& record : records) {
    switch (record.kind) {
      case kLog:
        outcome.log.push_back(record.value);
        break;
      case kComponent:
        outcome.environments.emplace_back();
        outcome.requests.emplace_back();
        break;
      case kVariable:
        outcome.environments.back()[record.name] = record.value;
        break;
      case kOption:
        outcome.requests.back()[record.name] = record.value;
        break;
      case kJobControl:
        outcome.job_control[record.name] = record.value;
        break;
      default:
        abort();
    }
  }
  return outcome;
}

std::vector<std::string> split_calls(const std::string& text) {
  std::vector<std::string> calls;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("command=", 0) == 0) calls.emplace_back();
    calls.back() += line + "\n";
  }
  return calls;
}

int exit_status(int waited) {
  return WIFSIGNALED(waited) ? 128 + WTERMSIG(waited) : WEXITSTATUS(waited);
}

Outcome in_child(const std::function<void(const fs::path&)>& work) {
  std::string pattern = fs::temp_directory_path() / "plugin-test.XXXXXX";
  const fs::path folder = mkdtemp(pattern.data());
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    results = open((folder / "results").c_str(), O_CREAT | O_WRONLY, 0600);
    dup2(open((folder / "stderr").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600), STDERR_FILENO);
    fake_slurm().log = [](const std::string& line) { write_record(results, {kLog, "", line}); };
    // As in Slurm, nobody up the stack catches exceptions.
    [&]() noexcept { work(folder); }();
    _exit(0);
  }
  int waited = 0;
  waitpid(child, &waited, 0);
  Outcome outcome = outcome_of(read_records(read_all(folder / "results")));
  outcome.status = exit_status(waited);
  outcome.error_output = read_all(folder / "stderr");
  outcome.calls = split_calls(read_all(folder / "calls"));
  fs::remove_all(folder);
  return outcome;
}

std::string find_or_unset(const std::vector<Variables>& all, const std::string& name) {
  if (all.empty()) return "(no component)";
  const auto found = all.front().find(name);
  return found == all.front().end() ? kUnset : found->second;
}

}  // namespace

std::string Outcome::variable(const std::string& name) const {
  return find_or_unset(environments, name);
}

std::string Outcome::option(const std::string& name) const {
  return find_or_unset(requests, name);
}

Outcome run_command(const CommandRun& run) {
  return in_child([&](const fs::path& folder) { be_command(run, folder); });
}

Outcome run_step(const StepRun& run) {
  return in_child([&](const fs::path&) { be_step(run); });
}

Outcome run_daemon(spank_context_t context) {
  return in_child([&](const fs::path& folder) {
    fake_slurm().context = context;
    PlugstackArguments arguments({});
    const Plugin plugin = load_plugins(1, false, folder).front();
    for (spank_f* hook : {plugin.init, plugin.post_opt, plugin.task_init}) {
      call_hook(hook, &arguments);
    }
    write_record(results, {kComponent, "", ""});
    for (const RegisteredOption& option : fake_slurm().options) {
      write_record(results, {kOption, option.name, ""});
    }
  });
}

std::string built(const std::string& name) {
  return build_folder() / name;
}

std::string passed_on(const std::string& option) {
  return "SLURM_SPANK_" + remote_name({option, nullptr, 0, false, ""});
}

}  // namespace compute_scale_test
