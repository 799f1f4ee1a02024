#include "manifest.h"
#include "planning.h"
#include "run_dir.h"
#include "run_record.h"
#include "submission.h"
#include "verbs.h"
#include "watch.h"

namespace compute_scale {
namespace {

// The journal is open no longer than needed: while it is, nobody may cancel.
Result<int> submit_all(Submission& submission, const std::string& journal_file) {
  Journal journal;
  COMPUTE_SCALE_CHECK(journal.open(journal_file));
  COMPUTE_SCALE_CHECK(submission.prepare());
  return submission.run(journal);
}

}  // namespace

Result<int> run_submit(const Context& context, const Reporter& reporter, ProcessRunner& runner) {
  const Options& options = context.options;
  COMPUTE_SCALE_TRY(planned, plan_run(context, Packages::kRequired, reporter));
  COMPUTE_SCALE_TRY(settings, run_settings(context, planned));
  COMPUTE_SCALE_TRY(scripts, render_scripts(planned.plan, settings));
  // From here on the run is what its record says, as for whoever resumes it.
  COMPUTE_SCALE_TRY(run,
                    parse_run_record(manifest_json(planned.plan, settings), "", settings.run_dir));
  SubmissionPlan all;
  all.sbatch_args = run.sbatch_args;
  all.parallel = options.parallel;
  for (std::size_t job = 0; job < run.jobs.size(); ++job) all.jobs.push_back(job);
  SlurmClient client(runner, slurm_environment(run));
  COMPUTE_SCALE_CHECK(check_plugin(run, client));
  Submission submission(run, std::move(all), client, reporter, options.settle_seconds);
  if (options.dry_run) {
    COMPUTE_SCALE_CHECK(submission.prepare());
    return print(submission.calls_text()) ? 0 : 1;
  }
  COMPUTE_SCALE_CHECK(write_run_dir(planned.plan, settings, scripts));
  COMPUTE_SCALE_TRY(submitted, submit_all(submission, settings.run_dir + "/" + kJournalFile));
  if (submitted != 0 || !options.wait) return submitted;
  return wait_for_run(settings.run_dir, options.interval, reporter, runner);
}

}  // namespace compute_scale
