#include "script.h"

#include <nlohmann/json.hpp>

#include "directives.h"
#include "run_layout.h"
#include "script_argv.h"
#include "script_functions.h"
#include "script_session.h"
#include "script_submission.h"
#include "shell_quote.h"
#include "text.h"

namespace compute_scale {
namespace {

// The step's record of what it is, as members of a JSON object without the braces. What a neutral
// script decides at its submission, the scale and so the amount, is not in it.
std::string record_members(const Plan& plan, const Step& step, bool neutral) {
  const PlanEntry& entry = plan.entries[step.entry];
  nlohmann::ordered_json json;
  json["step"] = entry_name(plan, step);
  json["seed"] = step.seed;
  json["base_compute"] = entry.base_compute.to_string();
  if (!neutral) json["compute"] = entry.entry.compute.to_string();
  const std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.substr(1, text.size() - 2);
}

std::string comment_text(const std::string& text) {
  const std::string shown = compute_scale::quoted(text);
  return shown.substr(1, shown.size() - 2);
}

// The shell function of one step.
class StepFunction {
 public:
  StepFunction(const Plan& plan, const Job& job, const RunSettings& settings,
               const Sessions& sessions)
      : plan_(plan), job_(job), settings_(settings), sessions_(sessions) {}

  // `position`: of the step in its lane.
  Result<std::string> text(const std::string& function, const Lane& lane,
                           std::size_t position) const {
    const std::size_t number = lane.steps[position];
    const Step& step = plan_.steps[number];
    COMPUTE_SCALE_TRY(command, step_command(plan_, step, settings_, sessions_.in_use()));
    const std::string seed = std::to_string(step.seed);
    std::string out = "\n# " + comment_text(entry_name(plan_, step)) + ", seed " + seed + "\n" +
                      function + "() {\n";
    const auto set = [&](const char* name, const std::string& value) {
      out += std::string("  ") + name + "=" + shell_quote(value) + "\n";
    };
    set("name", entry_name(plan_, step) + " seed " + seed);
    set("log", settings_.run_dir + "/" + step_log_path(plan_, step));
    set("result", settings_.run_dir + "/" + step_result_path(plan_, step));
    set("record", record_members(plan_, step, settings_.neutral));
    if (has_own_limit(lane, position)) set("limit", std::to_string(minutes_of(step) * 60));
    out += "  make_output_dir " + shell_quote(command.output_dir) + "\n";
    out += devices_line(lane) + sessions_.join_lines(number, lane) + entry_env_line(command);
    if (!command.working_dir.empty()) {
      out += "  start_in " + shell_join({command.working_dir, command.fallback_dir}) + "\n";
    }
    return out + step_argv(step, std::move(command.args)) + "}\n";
  }

 private:
  std::int64_t minutes_of(const Step& step) const {
    return plan_.entries[step.entry].entry.time.minutes;
  }

  // Slurm ends the job at the limit of its longest lane. A step that may not last that long is
  // ended by the script, so that it takes no time from a step behind it and no devices for longer.
  bool has_own_limit(const Lane& lane, std::size_t position) const {
    std::int64_t sum = 0;
    for (const std::size_t step : lane.steps) sum += minutes_of(plan_.steps[step]);
    return position + 1 < lane.steps.size() || sum < job_.time.minutes;
  }

  std::string devices_line(const Lane& lane) const {
    if (lane.devices.empty()) return "";
    if (settings_.neutral) return "  use_all_devices\n";
    return "  use_devices " + device_words(lane.devices) + "\n";
  }

  std::string entry_env_line(const StepCommand& command) const {
    const std::string words = shell_join(assignments(command.entry_env));
    if (!settings_.neutral) return "  entry_env=(" + words + ")\n";
    return "  take_entry_env" + (words.empty() ? "" : " " + words) + "\n";
  }

  // srun and its options, as text for bash.
  std::vector<std::string> srun_words(const Step& step) const {
    std::vector<std::string> words = {"srun", "--nodes=1", "--ntasks=1",
                                      "--cpus-per-task=" + std::to_string(job_.cpus)};
    if (job_.lanes.size() > 1) words.push_back("--overlap");
    if (!carries_plugin_options(job_, settings_)) return words;
    // Named although the job has it: where the job is not scaled, a default of the site's config
    // must not scale the step.
    words.push_back("--compute-scale=\"$compute_scale\"");
    words.push_back(shell_quote("--compute-entry=" + entry_name(plan_, step)));
    return words;
  }

  // The command, by srun where the plugin is to see the step.
  std::string step_argv(const Step& step, std::vector<Arg> args) const {
    const bool by_srun = settings_.backend == Backend::kPyxis;
    if (carries_plugin_options(job_, settings_) && !by_srun) {
      args.insert(args.begin(), Arg{ArgKind::kSrun, "", {}});
    }
    return argv_lines(args, srun_words(step));
  }

  const Plan& plan_;
  const Job& job_;
  const RunSettings& settings_;
  const Sessions& sessions_;
};

std::string head(const std::vector<std::string>& options) {
  std::string out = "#!/usr/bin/env bash\n";
  for (const std::string& option : options) out += "#SBATCH " + option + "\n";
  return out + "# Written by sbatch-tasks; complete by itself.\n";
}

std::string prologue(const SlurmConfig& slurm) {
  if (!slurm.prologue || trim(*slurm.prologue).empty()) return "";
  // The prologue may set options of the shell; the rest must see failing commands itself.
  return "\n" + std::string(trim(*slurm.prologue)) + "\n\nset +eu +o pipefail\n";
}

// A script with fixed values is refused at any other scale: its variables would belong to other GPU
// counts than the plugin gives to the job.
std::string scale_line(const Plan& plan, const RunSettings& settings) {
  if (!settings.neutral) return "compute_scale=" + plan.scale.factor.to_string() + "\n";
  return "compute_scale=1\n"
         "[[ -z ${SLURM_COMPUTE_SCALE_PAYLOAD-} ]] || compute_scale=$SLURM_COMPUTE_SCALE\n";
}

bool uses_containers(Backend backend) {
  return backend == Backend::kDocker || backend == Backend::kDockerRootless ||
         backend == Backend::kPodman;
}

std::string functions(const RunSettings& settings) {
  std::string out(kScriptFunctions);
  if (uses_containers(settings.backend)) out.append(kContainerFunctions);
  if (settings.backend == Backend::kDockerRootless) out.append(kSessionFunctions);
  if (settings.backend == Backend::kPyxis) out.append(kPyxisFunctions);
  if (settings.neutral) return out.append(kNeutralFunctions);
  return out.append(kFixedFunctions);
}

}  // namespace

Result<std::string> job_script(const Plan& plan, const Job& job, const RunSettings& settings) {
  COMPUTE_SCALE_TRY(options, directives(plan, job, settings));
  std::string out = head(options) + kTakeSubmission + prologue(settings.slurm);
  out += "\nrun_dir=" + shell_quote(settings.run_dir) + "\n" + scale_line(plan, settings);
  out += "job_seconds=" + std::to_string(std::int64_t{60} * job.time.minutes) + "\n";

  COMPUTE_SCALE_TRY(sessions, Sessions::of(plan, job, settings));
  const StepFunction function(plan, job, settings, sessions);
  out += sessions.functions(job);
  std::string lanes;
  int number = 0;
  for (const Lane& lane : job.lanes) {
    lanes += "run_lane";
    for (std::size_t position = 0; position < lane.steps.size(); ++position) {
      const std::string name = "step_" + std::to_string(++number);
      COMPUTE_SCALE_TRY(text, function.text(name, lane, position));
      out += text;
      lanes += " " + name;
    }
    lanes += " &\nlanes+=($!)\n";
  }
  out += functions(settings) + submission_check(plan, job) + std::string(kJobStart);
  if (uses_containers(settings.backend)) out += "find_host_gpus\n";
  if (!settings.neutral) out += "require_scale\n";
  out += sessions.starts() + lanes + "finish\n";
  if (out.size() > kLargestScript) {
    return site_error("job " + job.name + ": its script has " + std::to_string(out.size()) +
                      " bytes; Slurm takes at most 4 MiB");
  }
  return out;
}

}  // namespace compute_scale
