#include "script.h"

#include <nlohmann/json.hpp>

#include "directives.h"
#include "run_layout.h"
#include "script_functions.h"
#include "script_submission.h"
#include "shell_quote.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr std::size_t kLargestScript = 4u << 20;  // Slurm's default max_script_size
constexpr std::size_t kColumns = 100;

// Appends words to an array `argv` of the script, in lines of a readable length.
class ArgvText {
 public:
  void word(const std::string& text) {
    if (line_.empty()) {
      line_ = "  argv+=(";
    } else if (line_.size() + text.size() + 2 > kColumns) {
      out_ += line_ + "\n";
      line_ = "    ";
    } else {
      line_ += " ";
    }
    line_ += text;
  }
  // A line of its own, between the words so far and the next ones.
  void statement(const std::string& text) {
    close();
    out_ += "  " + text + "\n";
  }
  std::string take() {
    close();
    return std::move(out_);
  }

 private:
  void close() {
    if (!line_.empty()) out_ += line_ + ")\n";
    line_.clear();
  }
  std::string out_;
  std::string line_;
};

// One field of --mount's comma-separated list.
std::string mount_field(const std::string& key, const std::string& value) {
  std::string out = "\"" + key + "=";
  for (const char c : value) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

// Apptainer splits --bind at ',' and ':'; --mount can carry both.
std::vector<std::string> bind_words(const Bind& bind) {
  const std::string both = bind.host + bind.container;
  if (both.find_first_of(",:") == std::string::npos) {
    return {"--bind", bind.host + ":" + bind.container};
  }
  return {"--mount", "type=bind," + mount_field("source", bind.host) + "," +
                         mount_field("destination", bind.container)};
}

void add_arg(ArgvText& argv, const Arg& arg) {
  switch (arg.kind) {
    case ArgKind::kText:
      return argv.word(shell_quote(arg.text));
    case ArgKind::kDevices:
      return argv.word(shell_quote(arg.text) + "\"$devices\"");
    case ArgKind::kBind:
      return argv.statement("bind_path " +
                            std::string(arg.bind.optional ? "optional " : "required ") +
                            shell_quote(arg.bind.host) + " " + shell_join(bind_words(arg.bind)));
    case ArgKind::kScratch:
      argv.statement("make_scratch");
      argv.word("--bind");
      return argv.word("\"$scratch:/tmp\"");
    case ArgKind::kEntryEnv:
      return argv.word("\"${entry_env[@]}\"");
  }
}

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
  StepFunction(const Plan& plan, const Job& job, const RunSettings& settings)
      : plan_(plan), job_(job), settings_(settings) {}

  Result<std::string> text(const std::string& function, const Lane& lane, const Step& step) const {
    COMPUTE_SCALE_TRY(command, step_command(plan_, step, settings_));
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
    out += "  make_output_dir " + shell_quote(command.output_dir) + "\n";
    out += devices_line(lane) + entry_env_line(command);
    if (!command.working_dir.empty()) {
      out += "  start_in " + shell_join({command.working_dir, command.fallback_dir}) + "\n";
    }
    return out + argv_lines(step, command) + "}\n";
  }

 private:
  std::string devices_line(const Lane& lane) const {
    if (lane.devices.empty()) return "";
    if (settings_.neutral) return "  use_all_devices\n";
    std::string line = "  use_devices";
    for (const int device : lane.devices) line += " " + std::to_string(device);
    return line + "\n";
  }

  std::string entry_env_line(const StepCommand& command) const {
    const std::string words = shell_join(assignments(command.entry_env));
    if (!settings_.neutral) return "  entry_env=(" + words + ")\n";
    return "  take_entry_env" + (words.empty() ? "" : " " + words) + "\n";
  }

  std::string argv_lines(const Step& step, const StepCommand& command) const {
    ArgvText argv;
    if (carries_plugin_options(job_, settings_)) {
      for (const char* word : {"srun", "--nodes=1", "--ntasks=1"}) argv.word(word);
      argv.word("--cpus-per-task=" + std::to_string(job_.cpus));
      // Named although the job has it: where the job is not scaled, a default of the site's config
      // must not scale the step.
      argv.word("--compute-scale=\"$compute_scale\"");
      argv.word(shell_quote("--compute-entry=" + entry_name(plan_, step)));
    }
    for (const Arg& arg : command.args) add_arg(argv, arg);
    return argv.take();
  }

  const Plan& plan_;
  const Job& job_;
  const RunSettings& settings_;
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

std::string functions(const RunSettings& settings) {
  std::string out(kScriptFunctions);
  if (settings.neutral) return out.append(kNeutralFunctions);
  return out.append(kFixedFunctions);
}

}  // namespace

Result<std::string> job_script(const Plan& plan, const Job& job, const RunSettings& settings) {
  COMPUTE_SCALE_TRY(options, directives(plan, job, settings));
  std::string out = head(options) + kTakeSubmission + prologue(settings.slurm);
  out += "\nrun_dir=" + shell_quote(settings.run_dir) + "\n" + scale_line(plan, settings);

  const StepFunction function(plan, job, settings);
  std::string lanes;
  int number = 0;
  for (const Lane& lane : job.lanes) {
    lanes += "run_lane";
    for (const std::size_t step : lane.steps) {
      const std::string name = "step_" + std::to_string(++number);
      COMPUTE_SCALE_TRY(text, function.text(name, lane, plan.steps[step]));
      out += text;
      lanes += " " + name;
    }
    lanes += " &\nlanes+=($!)\n";
  }
  out += functions(settings) + submission_check(plan, job) + std::string(kJobStart);
  if (!settings.neutral) out += "require_scale\n";
  out += lanes + "finish\n";
  if (out.size() > kLargestScript) {
    return site_error("job " + job.name + ": its script has " + std::to_string(out.size()) +
                      " bytes; Slurm takes at most 4 MiB");
  }
  return out;
}

}  // namespace compute_scale
