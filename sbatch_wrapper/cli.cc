#include "cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>

#include "directives.h"
#include "text.h"

namespace compute_scale {
namespace {

struct VerbHelp {
  Verb verb;
  const char* name;
  const char* help;
};
constexpr VerbHelp kVerbs[] = {
    {Verb::kList, "list", "show tasks and their entries"},
    {Verb::kCheck, "check", "check tasks: schema, scripts, macro-batch, packages"},
    {Verb::kPlan, "plan", "show what would run: GPUs at base and at the scale, jobs, GPU-hours"},
    {Verb::kRender, "render", "write the job scripts of a run, without submitting them"},
    {Verb::kSubmit, "submit", "write the job scripts and submit them with sbatch"},
    {Verb::kResume, "resume", "submit again what a run has not done, each job exactly once"},
    {Verb::kRun, "run", "run the steps on this machine, without Slurm"},
    {Verb::kStatus, "status", "show what became of the steps of a run"},
    {Verb::kLogs, "logs", "show the logs of a run's steps"},
    {Verb::kCancel, "cancel", "end jobs of a run that wait or run"},
    {Verb::kDoctor, "doctor", "check the site: Slurm, plugin, config, folders, container runtime"},
};

constexpr const char* kFooter = R"(
Precedence: option, then the variable that it names, then --config FILE, then the site's config.
After --, arguments go to sbatch untouched:  sbatch-tasks submit TASK -- --partition=h200
Exit status: 0 done, 1 usage or config, 2 a task is invalid, 3 does not fit the site,
4 submitting or a step failed, 130 interrupted.)";

bool is(Verb verb, std::initializer_list<Verb> verbs) {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

void add_selection(CLI::App& app, Options& options, Verb verb) {
  const std::string group = "Selection";
  if (verb == Verb::kResume) {
    app.add_option("RUN_DIR", options.run_dir, "the run's folder")->required();
    return;
  }
  app.add_option("TASK", options.patterns, "task or task/label; globs are allowed");
  app.add_flag("--all", options.all, "all tasks")->group(group);
  app.add_option("--label", options.labels, "only entries of these labels (globs)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--group", options.groups, "only entries of these groups")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
}

void add_config(CLI::App& app, Options& options, Verb verb) {
  const std::string group = "Config";
  const auto add = [&](const char* name, std::optional<std::string>& value, const char* help,
                       const char* variable) {
    app.add_option(name, value, help)->envname(variable)->group(group);
  };
  add("--config", options.config, "run config (YAML)", "COMPUTE_SCALE_CONFIG");
  if (verb == Verb::kResume) {
    add("--compute-scale", options.compute_scale, "refused unless it is the run's",
        "SBATCH_COMPUTE_SCALE");
    return;
  }
  add("--tasks-dir", options.tasks_dir, "folder of the tasks", "COMPUTE_SCALE_TASKS_DIR");
  add("--packages-dir", options.packages_dir, "folder of the packages",
      "COMPUTE_SCALE_PACKAGES_DIR");
  if (verb == Verb::kList) return;
  add("--compute-scale", options.compute_scale, "factor, hardware name or auto",
      "SBATCH_COMPUTE_SCALE");
  if (verb == Verb::kCheck) return;
  add("--workspace-root", options.workspace_root, "folder of the packages' working copies",
      "COMPUTE_SCALE_WORKSPACE_ROOT");
  add("--data-root", options.data_root, "{data_root} of packages", "COMPUTE_SCALE_DATA_ROOT");
  add("--save-path", options.save_path, "folder of the results", "COMPUTE_SCALE_SAVE_PATH");
  add("--container-runtime", options.container_runtime,
      "how commands are run, see the config's key", "COMPUTE_SCALE_CONTAINER_RUNTIME");
}

void add_local(CLI::App& app, Options& options, const std::string& group) {
  app.add_option("--gpus", options.gpus,
                 "how many GPUs, or which: 8, or 0,2, or names GPU-... and MIG-...; default: "
                 "CUDA_VISIBLE_DEVICES, else those that nvidia-smi lists")
      ->group(group);
  app.add_option("--cpu-jobs", options.cpu_jobs,
                 "steps without GPU that run at once; default: the number of CPUs")
      ->check(CLI::Range(1, 1 << 20))
      ->group(group);
  app.add_option("--kill-wait", options.kill_wait,
                 "seconds that a step has to end itself at its time limit or an interrupt; "
                 "default: 10")
      ->check(CLI::Range(0, 1 << 20))
      ->group(group);
}

// What submitting takes, the first time and again.
void add_submission(CLI::App& app, Options& options, Verb verb) {
  if (!is(verb, {Verb::kSubmit, Verb::kResume})) return;
  const std::string group = "Run";
  app.add_option("--max-running", options.max_running,
                 "at most so many jobs of the run at once, over all its arrays")
      ->check(CLI::PositiveNumber)
      ->group(group);
  app.add_option("--settle-seconds", options.settle_seconds,
                 "how long to look for a job after an sbatch call whose end is unclear; default 15")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  app.add_option("--parallel", options.parallel, "calls of sbatch at the same time; default 12")
      ->envname("COMPUTE_SCALE_PARALLEL")
      ->check(CLI::Range(1, 64))
      ->group(group);
  if (verb == Verb::kSubmit) {
    app.add_flag("--wait", options.wait, "follow the run until it is over")->group(group);
    app.add_option("--interval", options.interval, "with --wait: seconds between two looks")
        ->check(CLI::Range(1, 86400))
        ->group(group);
    return;
  }
  app.add_flag("-n,--dry-run", options.dry_run, "print what would be called; change nothing")
      ->group(group);
}

void add_doctor(CLI::App& app, Options& options) {
  app.add_flag("--nodes", options.nodes,
               "ask every node that has room, too, by a step of srun; arguments behind -- go to it")
      ->group("Checks");
  app.add_option("--config", options.config, "run config (YAML) to check with the site's")
      ->envname("COMPUTE_SCALE_CONFIG")
      ->group("Config");
}

// The steps of a run that is there.
void add_steps(CLI::App& app, Options& options, Verb verb) {
  const std::string group = "Run";
  app.add_option("TASK", options.patterns,
                 "task or task/label; globs are allowed. The first word may be the run directory");
  app.add_option("--seed", options.seeds, "only steps of these seeds")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  if (verb == Verb::kLogs) {
    app.add_flag("-f,--follow", options.follow, "go on until the steps have ended")->group(group);
    app.add_flag("--job", options.job_log, "what Slurm and the job script wrote")->group(group);
    return;
  }
  app.add_flag("--all", options.all, "all steps of the newest run")->group(group);
  app.add_flag("--force", options.force, "end also other steps of the same jobs")->group(group);
  app.add_flag("-n,--dry-run", options.dry_run, "print the calls of scancel; change nothing")
      ->group(group);
}

// Verbs that look at a run that is there: which one, and how.
void add_follow(CLI::App& app, Options& options, Verb verb) {
  const std::string group = "Run";
  if (verb == Verb::kStatus) {
    app.add_option("RUN_DIR", options.patterns, "run directory; default: the newest run")
        ->expected(0, 1);
    app.add_flag("--watch", options.watch, "follow until nothing waits or runs")->group(group);
    app.add_flag("--containers", options.containers,
                 "list containers on this machine that have outlived their step")
        ->group(group);
  } else {
    add_steps(app, options, verb);
  }
  app.add_option("--run-dir", options.run_dir, "the run directory; default: the newest run")
      ->group(group);
  app.add_option("--config", options.config, "run config (YAML): where runs are")
      ->envname("COMPUTE_SCALE_CONFIG")
      ->group(group);
  app.add_option("--save-path", options.save_path, "folder of the results: runs are below it")
      ->envname("COMPUTE_SCALE_SAVE_PATH")
      ->group(group);
  if (verb == Verb::kCancel) return;
  app.add_option("--interval", options.interval, "seconds between two looks at Slurm")
      ->check(CLI::Range(1, 86400))
      ->group(group);
}

void add_run(CLI::App& app, Options& options, Verb verb) {
  if (!is(verb, {Verb::kPlan, Verb::kRender, Verb::kSubmit, Verb::kRun})) return;
  const std::string group = "Run";
  app.add_option("--seeds", options.seeds, "seeds instead of the tasks' own")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--baseline", options.baseline, "run this baseline of the tasks")->group(group);
  if (verb != Verb::kRun) {
    app.add_option("--pack", options.pack,
                   "which steps share a job: none, those of one group, or all")
        ->check(CLI::IsMember({"none", "group", "all"}))
        ->group(group);
  }
  if (verb == Verb::kPlan) {
    auto* gantt =
        app.add_option("--gantt", options.gantt, "write a picture: devices over time (SVG)")
            ->group(group);
    app.add_option("--devices", options.devices, "devices in the picture; default 16")
        ->check(CLI::Range(1, 100000))
        ->needs(gantt)
        ->group(group);
    return;
  }
  app.add_option("--exp-name", options.exp_name, "name of the run; default: the time")
      ->group(group);
  app.add_option("--run-dir", options.run_dir, "folder for scripts, logs and records")
      ->group(group);
  app.add_flag("-n,--dry-run", options.dry_run, "print what would be written; change nothing")
      ->group(group);
  if (verb == Verb::kRun) return add_local(app, options, group);
  if (verb != Verb::kRender) return;
  app.add_flag("--neutral", options.neutral,
               "scripts at base counts that take their scale at submission, from the plugin")
      ->group(group);
}

void add_output(CLI::App& app, Options& options, Verb verb) {
  const std::string group = "Output";
  if (!is(verb,
          {Verb::kRender, Verb::kSubmit, Verb::kRun, Verb::kResume, Verb::kLogs, Verb::kCancel})) {
    app.add_flag("--json", options.json, "print JSON")->group(group);
  }
  auto* verbose = app.add_flag("-v,--verbose", options.verbose, "say more")->group(group);
  app.add_flag("-q,--quiet", options.quiet, "errors only")->excludes(verbose)->group(group);
}

std::string known_verbs_near(const std::string& word) {
  std::vector<std::string> names;
  for (const VerbHelp& verb : kVerbs) names.emplace_back(verb.name);
  const std::string near = did_you_mean(word, names);
  return near.empty() ? "; verbs are " + join(names, ", ") : near;
}

// CLI11 reports what it could not use by an exception; the options that it knows help to name one.
Error usage_problem(const CLI::App& app, const std::string& problem,
                    const std::vector<std::string>& arguments) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    if (!starts_with(name, "--") || is_known) continue;
    return usage_error("no option " + quoted(name) + did_you_mean(name, known));
  }
  return usage_error(problem);
}

// Takes what stands behind the first "--" out of `arguments`.
std::vector<std::string> take_sbatch_args(std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes == arguments.end()) return {};
  std::vector<std::string> rest(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return rest;
}

// The variable behind --compute-scale may be set for the submission of such scripts; the option
// itself is a contradiction.
Status check_neutral(const Options& options, const std::vector<std::string>& given) {
  const bool has_scale = std::any_of(given.begin(), given.end(), [](const std::string& argument) {
    return argument.substr(0, argument.find('=')) == "--compute-scale";
  });
  if (!options.neutral || !has_scale) return Done{};
  return usage_error(
      "render: --neutral scripts take their scale at submission: leave "
      "--compute-scale out");
}

Result<ParsedCommandLine> parse_verb(const VerbHelp& verb, std::vector<std::string> arguments) {
  ParsedCommandLine parsed;
  parsed.options.verb = verb.verb;
  parsed.options.sbatch_args = take_sbatch_args(arguments);
  if (!parsed.options.sbatch_args.empty() &&
      !is(verb.verb, {Verb::kSubmit, Verb::kResume, Verb::kDoctor})) {
    return usage_error(std::string(verb.name) +
                       ": only submit, resume and doctor take arguments behind --");
  }
  for (const std::string& argument : parsed.options.sbatch_args) {
    const Status allowed = refuse_reserved(argument);
    if (!allowed.ok()) return at("behind --", allowed.error());
  }
  CLI::App app(verb.help, std::string("sbatch-tasks ") + verb.name);
  app.footer(kFooter);
  if (is(verb.verb, {Verb::kStatus, Verb::kLogs, Verb::kCancel})) {
    add_follow(app, parsed.options, verb.verb);
  } else if (verb.verb == Verb::kDoctor) {
    add_doctor(app, parsed.options);
  } else {
    add_selection(app, parsed.options, verb.verb);
    add_config(app, parsed.options, verb.verb);
    add_run(app, parsed.options, verb.verb);
    add_submission(app, parsed.options, verb.verb);
  }
  add_output(app, parsed.options, verb.verb);
  const std::vector<std::string> given = arguments;
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants a vector
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    parsed.print = app.help();
  } catch (const CLI::ParseError& error) {
    return usage_problem(app, error.what(), given);
  }
  COMPUTE_SCALE_CHECK(check_neutral(parsed.options, given));
  return parsed;
}

std::string overview() {
  std::string out =
      "sbatch-tasks: run a benchmark's tasks on Slurm at another GPU count, with the same "
      "result\n\n"
      "Usage: sbatch-tasks VERB [TASK...] [OPTIONS]\n\nVerbs:\n";
  for (const VerbHelp& verb : kVerbs) {
    out += "  " + std::string(verb.name) + std::string(10 - std::string(verb.name).size(), ' ') +
           verb.help + "\n";
  }
  return out + "\n`sbatch-tasks VERB --help` shows the options of a verb.\n" + (kFooter + 1) + "\n";
}

}  // namespace

Result<ParsedCommandLine> parse_command_line(const std::vector<std::string>& arguments) {
  ParsedCommandLine parsed;
  const std::string first = arguments.empty() ? "--help" : arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    parsed.print = overview();
    return parsed;
  }
  if (first == "--version") {
    parsed.print = "sbatch-tasks " COMPUTE_SCALE_VERSION "\n";
    return parsed;
  }
  try {
    for (const VerbHelp& verb : kVerbs) {
      if (first == verb.name) return parse_verb(verb, {arguments.begin() + 1, arguments.end()});
    }
  } catch (const std::exception& failure) {
    return usage_error(failure.what());
  }
  return usage_error("no verb " + quoted(first) + known_verbs_near(first));
}

}  // namespace compute_scale
