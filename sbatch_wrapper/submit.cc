#include <algorithm>

#include "journal.h"
#include "planning.h"
#include "run_dir.h"
#include "run_layout.h"
#include "shell_quote.h"
#include "slurm_client.h"
#include "text.h"
#include "verbs.h"

namespace compute_scale {
namespace {

// The call of sbatch for one job; `ids` are those of the jobs before it in the plan. The user's
// arguments come first: they win over the script's directives, but not over the order of groups.
std::vector<std::string> sbatch_argv(const Job& job, const RunSettings& settings,
                                     const std::vector<std::string>& user_args,
                                     const std::vector<std::string>& ids) {
  std::vector<std::string> argv = {"sbatch", "--parsable"};
  argv.insert(argv.end(), user_args.begin(), user_args.end());
  if (!job.after.empty()) {
    std::string dependency = "--dependency=afterok";
    for (const std::size_t before : job.after) dependency += ":" + ids[before];
    argv.push_back(std::move(dependency));
    argv.emplace_back("--kill-on-invalid-dep=yes");
  }
  argv.push_back(settings.run_dir + "/" + script_path(job));
  return argv;
}

int print_calls(const Plan& plan, const RunSettings& settings, const Options& options) {
  std::vector<std::string> names;
  for (const Job& job : plan.jobs) names.push_back("ID-OF-" + job.name);
  std::string out;
  for (const Job& job : plan.jobs) {
    out += shell_join(sbatch_argv(job, settings, options.sbatch_args, names)) + "\n";
  }
  return print(out) ? 0 : 1;
}

// sbatch runs without what a surrounding job left. The plugin reads the same run config as we do.
std::vector<std::string> sbatch_environment(const Context& context, const RunSettings& settings) {
  std::vector<std::string> environment = submission_environment(present_environment());
  if (!settings.plugin || context.config_file.empty()) return environment;
  const std::string variable = "COMPUTE_SCALE_CONFIG=";
  environment.erase(std::remove_if(environment.begin(), environment.end(),
                                   [&](const std::string& v) { return starts_with(v, variable); }),
                    environment.end());
  environment.push_back(variable + context.config_file);
  return environment;
}

// Submits the jobs of a plan one after another and stops at the first that Slurm does not take.
class Submission {
 public:
  Submission(const Plan& plan, const RunSettings& settings, const Options& options,
             const Reporter& reporter, SlurmClient client)
      : plan_(plan),
        settings_(settings),
        options_(options),
        reporter_(reporter),
        client_(std::move(client)) {}

  Result<int> run() {
    COMPUTE_SCALE_CHECK(journal_.open(settings_.run_dir + "/" + kJournalFile));
    for (const Job& job : plan_.jobs) {
      const Status status = submit(job);
      if (!status.ok()) return report_stop(job, status.error());
    }
    reporter_.note("submitted " + std::to_string(plan_.jobs.size()) + " jobs; run directory " +
                   settings_.run_dir);
    return 0;
  }

 private:
  Status submit(const Job& job) {
    const std::string name = slurm_job_name(job, settings_.run_dir);
    const auto argv = sbatch_argv(job, settings_, options_.sbatch_args, ids_);
    COMPUTE_SCALE_CHECK(journal_.begin({name, 1, {{job.name, std::nullopt}}, argv}));
    std::string said;
    const Result<JobId> id = client_.submit(argv, said);
    if (!id.ok()) {
      COMPUTE_SCALE_CHECK(journal_.failed(name, id.error().text));
      return id.error();
    }
    COMPUTE_SCALE_CHECK(journal_.submitted(name, *id));
    if (!said.empty()) reporter_.note(said);
    ids_.push_back(id->id);
    print(id->id + (id->cluster.empty() ? "" : ";" + id->cluster) + " " + job.name + "\n");
    return Done{};
  }

  int report_stop(const Job& job, const Error& error) const {
    reporter_.error(job.name + ": not submitted: " + error.text);
    std::vector<std::string> missing;
    for (std::size_t i = ids_.size(); i < plan_.jobs.size(); ++i) {
      missing.push_back(plan_.jobs[i].name);
    }
    reporter_.error(std::to_string(ids_.size()) + " of " + std::to_string(plan_.jobs.size()) +
                    " jobs are submitted; these are not: " + join(missing, " "));
    reporter_.error("run directory " + settings_.run_dir);
    return static_cast<int>(ErrorKind::kSubmit);
  }

  const Plan& plan_;
  const RunSettings& settings_;
  const Options& options_;
  const Reporter& reporter_;
  SlurmClient client_;
  Journal journal_;
  std::vector<std::string> ids_;  // of the plan's first jobs
};

}  // namespace

Result<int> run_submit(const Context& context, const Reporter& reporter, ProcessRunner& runner) {
  COMPUTE_SCALE_TRY(planned, plan_run(context, Packages::kRequired, reporter));
  COMPUTE_SCALE_TRY(settings, run_settings(context, planned));
  COMPUTE_SCALE_TRY(scripts, render_scripts(planned.plan, settings));
  if (context.options.dry_run) return print_calls(planned.plan, settings, context.options);
  COMPUTE_SCALE_CHECK(write_run_dir(planned.plan, settings, scripts));
  SlurmClient client(runner, sbatch_environment(context, settings));
  return Submission(planned.plan, settings, context.options, reporter, std::move(client)).run();
}

}  // namespace compute_scale
