#include "step_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "package_env.h"
#include "run_layout.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr const char* kDefaultSearchPath = "/usr/local/bin:/usr/bin:/bin";

std::string_view name_of(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

std::string assignment_of(const std::string& name, std::string_view value) {
  return std::string(name).append("=").append(value);
}

bool is_program(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

// What the local backend does not pass on: LC_ALL as in every run, and what only told of the
// caller.
bool is_left_out(std::string_view name) {
  return name == "LC_ALL" || name == "_" || name == "OLDPWD";
}

// A job script names its containers by the job, of which several run side by side here.
bool is_of_a_job(std::string_view name) {
  return name == "SLURM_JOB_ID" || name == "SLURM_RESTART_COUNT" ||
         starts_with(name, "SLURM_ARRAY_") || name == "SLURM_COMPUTE_SCALE_PAYLOAD";
}

}  // namespace

StepPrograms::StepPrograms(const Plan& plan, const RunSettings& settings,
                           std::vector<std::string> environment)
    : plan_(plan), settings_(settings), base_(std::move(environment)) {
  const auto left_out = by_script() ? is_of_a_job : is_left_out;
  base_.erase(std::remove_if(base_.begin(), base_.end(),
                             [&](const std::string& v) { return left_out(name_of(v)); }),
              base_.end());
  for (std::size_t i = 0; i < base_.size(); ++i) {
    const std::string_view name = name_of(base_[i]);
    base_index_.emplace(name, i);
    bash_settings_ = bash_settings_ || concerns_bash(name);
  }
  job_of_step_.resize(plan.steps.size());
  for (std::size_t job = 0; job < plan.jobs.size(); ++job) {
    for (const Lane& lane : plan.jobs[job].lanes) {
      for (const std::size_t step : lane.steps) job_of_step_[step] = job;
    }
  }
}

Result<StepProgram> StepPrograms::make(std::size_t step, const std::string& devices) {
  if (by_script()) return make_script(step, devices);
  return make_local(plan_.steps[step], devices);
}

Result<StepProgram> StepPrograms::make_local(const Step& step, const std::string& devices) {
  COMPUTE_SCALE_TRY(context, step_context(plan_, step, settings_));
  const Entry& entry = plan_.entries[step.entry].entry;
  COMPUTE_SCALE_TRY(local, local_program(entry, context, devices));
  StepProgram program;
  assign(local, program);
  program.output_dir = std::move(local.output_dir);
  program.working_dir = std::move(local.working_dir);
  program.fallback_dir = std::move(local.fallback_dir);
  program.assignments.push_back("PWD=" + program.working_dir);
  const bool bash_settings =
      bash_settings_ || std::any_of(program.assignments.begin(), program.assignments.end(),
                                    [](const std::string& v) { return concerns_bash(name_of(v)); });
  const std::string path = search_path(program);
  if (!local.direct.empty() && !bash_settings) program.path = find(local.direct.front(), path);
  program.direct = !program.path.empty();
  if (program.direct) {
    program.argv = std::move(local.direct);
    program.in_shell = std::move(local.argv);
  } else {
    program.argv = std::move(local.argv);
    program.path = find(program.argv.front(), path);
  }
  return program;
}

StepProgram StepPrograms::make_script(std::size_t step, const std::string& devices) {
  StepProgram program;
  const Job& job = plan_.jobs[job_of_step_[step]];
  program.argv = {"bash", settings_.run_dir + "/" + script_path(job)};
  program.assignments = {"CUDA_VISIBLE_DEVICES=" + devices};
  program.path = find("bash", search_path(program));
  return program;
}

void StepPrograms::assign(const LocalProgram& from, StepProgram& program) const {
  for (const auto& [name, value] : from.defaults) {
    if (value_of(name) == nullptr) program.assignments.push_back(assignment_of(name, value));
  }
  const auto look_up = [&](std::string_view name) -> std::string_view {
    if (const char* value = value_of(name)) return value;
    for (const auto& [known, value] : from.defaults) {
      if (known == name) return value;
    }
    return "";
  };
  for (const auto& [name, value] : from.package) {
    program.assignments.push_back(assignment_of(name, expanded(value, look_up)));
  }
  for (const auto& [name, value] : from.env) {
    program.assignments.push_back(assignment_of(name, value));
  }
}

const char* StepPrograms::value_of(std::string_view name) const {
  const auto found = base_index_.find(name);
  return found == base_index_.end() ? nullptr : base_[found->second].c_str() + name.size() + 1;
}

std::vector<char*> StepPrograms::environment(StepProgram& program) const {
  std::vector<char*> list;
  list.reserve(base_.size() + program.assignments.size() + 1);
  for (const std::string& variable : base_) list.push_back(const_cast<char*>(variable.c_str()));
  for (std::string& assignment : program.assignments) {
    const std::string_view name = name_of(assignment);
    const auto known = base_index_.find(name);
    if (known != base_index_.end()) {
      list[known->second] = assignment.data();
      continue;
    }
    // A later assignment of the same name wins.
    const auto same =
        std::find_if(list.begin() + static_cast<std::ptrdiff_t>(base_.size()), list.end(),
                     [&](const char* added) { return name_of(added) == name; });
    if (same == list.end()) {
      list.push_back(assignment.data());
    } else {
      *same = assignment.data();
    }
  }
  list.push_back(nullptr);
  return list;
}

std::string StepPrograms::search_path(const StepProgram& program) const {
  for (auto v = program.assignments.rbegin(); v != program.assignments.rend(); ++v) {
    if (starts_with(*v, "PATH=")) return v->substr(5);
  }
  const char* value = value_of("PATH");
  return value == nullptr ? kDefaultSearchPath : value;
}

// Empty where the word is in none of the folders; relative ones are left to a shell.
const std::string& StepPrograms::find(const std::string& word, const std::string& search_path) {
  const auto [found, is_new] = found_.try_emplace({search_path, word});
  if (!is_new) return found->second;
  for (const std::string_view folder : split(search_path, ':')) {
    if (!starts_with(folder, "/")) break;
    std::string path = std::string(folder) + "/" + word;
    if (!is_program(path)) continue;
    found->second = std::move(path);
    return found->second;
  }
  // Every machine that runs job scripts has this one.
  if (word == "bash") found->second = "/bin/bash";
  return found->second;
}

}  // namespace compute_scale
