#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>

#include "run_dir.h"
#include "run_layout.h"
#include "run_state.h"
#include "script_submission.h"
#include "submission.h"
#include "text.h"
#include "verbs.h"

namespace compute_scale {
namespace {

constexpr int kEndingSeconds = 60;  // Slurm ends a job's processes within KillWait, 30 by default

// A call of sbatch whose end nobody has recorded, with the jobs that it holds.
struct OpenCall {
  std::string name;
  std::int64_t began = 0;
  std::vector<std::size_t> jobs;
  std::string id;  // once it is found
};

// Brings a run to where each job is done, in the queue, or submitted again.
class Resumption {
 public:
  Resumption(const Context& context, const Reporter& reporter, ProcessRunner& runner, RunRecord run)
      : options_(context.options),
        reporter_(reporter),
        run_(std::move(run)),
        client_(runner, slurm_environment(run_)),
        number_(run_.submissions + 1) {
    if (context.config.slurm.max_running && context.options.max_running) {
      run_.max_running = context.config.slurm.max_running;
    }
  }

  Result<int> run() {
    if (!options_.dry_run) {
      COMPUTE_SCALE_CHECK(journal_.open(run_.run_dir + "/" + kJournalFile));
      // What another process has written until it let go of the journal.
      COMPUTE_SCALE_TRY(now, load_run_record(run_.run_dir));
      now.max_running = run_.max_running;
      run_ = std::move(now);
      number_ = run_.submissions + 1;
    }
    COMPUTE_SCALE_CHECK(read_queue());
    COMPUTE_SCALE_CHECK(settle_open_calls());
    COMPUTE_SCALE_CHECK(decide());
    const bool any = count(JobStanding::kBlocked) + count(JobStanding::kMissing) > 0;
    if (any) COMPUTE_SCALE_CHECK(check_plugin(run_, client_));  // before anything is cancelled
    COMPUTE_SCALE_CHECK(cancel_blocked());
    return submit();
  }

 private:
  Status read_queue() {
    auto queue = client_.queue();
    if (!queue.ok()) return at("the queue cannot be read, nothing is submitted", queue.error());
    queue_ = std::move(*queue);
    return Done{};
  }

  // ---- calls whose end is not recorded ----

  std::vector<OpenCall> open_calls() const {
    std::map<std::string, OpenCall> by_name;
    for (std::size_t i = 0; i < run_.jobs.size(); ++i) {
      for (const JobSubmission& submission : run_.jobs[i].submissions) {
        if (submission.state != SubmissionState::kPending) continue;
        OpenCall& call = by_name[submission.slurm_name];
        call.name = submission.slurm_name;
        call.began = submission.began;
        call.jobs.push_back(i);
      }
    }
    std::vector<OpenCall> out;
    out.reserve(by_name.size());
    for (auto& [name, call] : by_name) out.push_back(std::move(call));
    return out;
  }

  Status settle_open_calls() {
    std::vector<OpenCall> open = open_calls();
    if (open.empty()) return Done{};
    COMPUTE_SCALE_CHECK(find(open));
    if (options_.dry_run) return Done{};
    // The sbatch of a killed submit may have been on its way to the controller.
    while (!open.empty() && seconds_left(open) > 0) {
      sleep(1);
      COMPUTE_SCALE_CHECK(read_queue());
      COMPUTE_SCALE_CHECK(find(open));
    }
    // From here on a job that comes after all ends at once: it is superseded.
    for (const OpenCall& call : open) COMPUTE_SCALE_CHECK(mark(call, number_));
    std::vector<OpenCall> marked = open;
    COMPUTE_SCALE_CHECK(read_queue());
    COMPUTE_SCALE_CHECK(find(open));
    for (const OpenCall& call : marked) {
      if (call_is_open(open, call.name)) {
        COMPUTE_SCALE_CHECK(journal_.failed(call.name, "no such job is in the queue"));
        settle(call.name, SubmissionState::kFailed, "");
      } else {
        COMPUTE_SCALE_CHECK(mark(call, number_of(call)));  // it came in between: it counts
      }
    }
    return Done{};
  }

  static bool call_is_open(const std::vector<OpenCall>& open, const std::string& name) {
    return std::any_of(open.begin(), open.end(),
                       [&](const OpenCall& call) { return call.name == name; });
  }

  std::int64_t seconds_left(const std::vector<OpenCall>& open) const {
    std::int64_t latest = 0;
    for (const OpenCall& call : open) latest = std::max(latest, call.began);
    // A clock that was set back must not make anybody wait for long.
    return std::min<std::int64_t>(latest + options_.settle_seconds - std::time(nullptr),
                                  options_.settle_seconds);
  }

  int number_of(const OpenCall& call) const {
    for (const JobSubmission& submission : run_.jobs[call.jobs.front()].submissions) {
      if (submission.slurm_name == call.name) return submission.number;
    }
    return 1;
  }

  Status mark(const OpenCall& call, int number) const {
    for (const std::size_t job : call.jobs) {
      COMPUTE_SCALE_CHECK(
          write_file(run_.run_dir + "/" + newest_submission_path(run_.jobs[job].name),
                     std::to_string(number) + "\n"));
    }
    return Done{};
  }

  // Looks for the calls in the queue, in the accounting and in the records of steps; those that are
  // found are recorded and taken out of `open`.
  Status find(std::vector<OpenCall>& open) {
    COMPUTE_SCALE_TRY(records, load_step_records(run_));
    std::int64_t since = std::time(nullptr);
    for (const OpenCall& call : open) since = std::min(since, call.began);
    std::optional<std::map<std::string, std::string>> history;
    std::vector<OpenCall> left;
    for (OpenCall& call : open) {
      std::string id;
      if (const auto found = find_by_name(queue_, call.name, call.began)) id = found->id;
      if (id.empty()) id = id_in_records(call, records);
      if (id.empty()) {
        if (!history) history = client_.history(since - 1);
        if (const auto found = history->find(call.name); found != history->end())
          id = found->second;
      }
      if (id.empty()) {
        left.push_back(std::move(call));
        continue;
      }
      if (!options_.dry_run) COMPUTE_SCALE_CHECK(journal_.submitted(call.name, {id, ""}, true));
      settle(call.name, SubmissionState::kSubmitted, id);
      reporter_.note(call.name + ": is job " + id);
    }
    open = std::move(left);
    return Done{};
  }

  // A job that has started says so in the records of its steps, whatever Slurm has forgotten.
  std::string id_in_records(const OpenCall& call,
                            const std::vector<std::optional<StepRecord>>& records) const {
    for (const std::size_t job : call.jobs) {
      for (const std::size_t step : run_.jobs[job].steps()) {
        if (!records[step]) continue;
        const StepRecord& record = *records[step];
        const bool of_array = !record.array_job_id.empty();
        const std::string& id = of_array ? record.array_job_id : record.job_id;
        const bool fits = of_array == (call.jobs.size() > 1) && !id.empty();
        if (fits && !is_known_id(run_.jobs[job], id)) return id;
      }
    }
    return "";
  }

  static bool is_known_id(const RunJob& job, const std::string& id) {
    return std::any_of(job.submissions.begin(), job.submissions.end(),
                       [&](const JobSubmission& submission) { return submission.id == id; });
  }

  void settle(const std::string& name, SubmissionState state, const std::string& id) {
    for (RunJob& job : run_.jobs) {
      for (JobSubmission& submission : job.submissions) {
        if (submission.slurm_name != name) continue;
        submission.state = state;
        submission.id = id;
      }
    }
  }

  // ---- what is to be done ----

  Status decide() {
    const std::time_t deadline = std::time(nullptr) + kEndingSeconds;
    for (;;) {
      COMPUTE_SCALE_TRY(records, load_step_records(run_));
      standings_ = job_standings(run_, records, queue_);
      const bool ending = count(JobStanding::kEnding) > 0;
      if (!ending || options_.dry_run || std::time(nullptr) >= deadline) break;
      sleep(1);
      COMPUTE_SCALE_CHECK(read_queue());
    }
    for (std::size_t job = 0; job < run_.jobs.size(); ++job) {
      if (standings_[job] != JobStanding::kEnding) continue;
      reporter_.warning(run_.jobs[job].name + ": is still ending: resume the run again later");
    }
    return Done{};
  }

  std::size_t count(JobStanding standing) const {
    return static_cast<std::size_t>(std::count(standings_.begin(), standings_.end(), standing));
  }

  // Jobs that would wait for ever, or be cancelled by Slurm later, are not there when the new ones
  // are submitted.
  Status cancel_blocked() {
    std::vector<std::string> ids;
    for (std::size_t job = 0; job < run_.jobs.size(); ++job) {
      if (standings_[job] != JobStanding::kBlocked) continue;
      ids.push_back(run_.jobs[job].submissions.back().element_id());
    }
    if (ids.empty()) return Done{};
    if (options_.dry_run) {
      dry_run_text_ = "scancel " + join(ids, " ") + "\n";
      return Done{};
    }
    return client_.cancel(ids);
  }

  SubmissionPlan plan() const {
    SubmissionPlan out;
    out.number = number_;
    out.parallel = options_.parallel;
    out.sbatch_args = run_.sbatch_args;
    out.sbatch_args.insert(out.sbatch_args.end(), options_.sbatch_args.begin(),
                           options_.sbatch_args.end());
    std::set<std::string> there;
    for (std::size_t job = 0; job < run_.jobs.size(); ++job) {
      switch (standings_[job]) {
        case JobStanding::kDone:
          break;
        case JobStanding::kQueued:
        case JobStanding::kEnding: {
          const JobSubmission& last = run_.jobs[job].submissions.back();
          out.queued[job] = {last.id, last.index};
          there.insert(last.id);
          break;
        }
        case JobStanding::kBlocked:
        case JobStanding::kMissing:
          out.jobs.push_back(job);
      }
    }
    out.still_there.assign(there.begin(), there.end());
    return out;
  }

  Result<int> submit() {
    SubmissionPlan next = plan();
    const auto counts = std::to_string(count(JobStanding::kDone)) + " done, " +
                        std::to_string(next.queued.size()) + " in the queue";
    if (next.jobs.empty()) {
      reporter_.note("nothing to submit: " + counts);
      return 0;
    }
    reporter_.note(counts + ", " + std::to_string(next.jobs.size()) + " to submit");
    Submission submission(run_, std::move(next), client_, reporter_, options_.settle_seconds);
    COMPUTE_SCALE_CHECK(submission.prepare());
    if (!options_.dry_run) return submission.run(journal_);
    return print(dry_run_text_ + submission.calls_text()) ? 0 : 1;
  }

  const Options& options_;
  const Reporter& reporter_;
  RunRecord run_;
  SlurmClient client_;
  Journal journal_;
  int number_;
  std::vector<QueueJob> queue_;
  std::vector<JobStanding> standings_;
  std::string dry_run_text_;
};

// The values in the run's scripts are those of its scale.
Status check_scale(const Context& context, const RunRecord& run) {
  if (!context.options.compute_scale) return Done{};
  COMPUTE_SCALE_TRY(scale, context_scale(context, *context.options.compute_scale));
  if (scale.factor.to_string() == run.compute_scale) return Done{};
  return usage_error("--compute-scale " + *context.options.compute_scale + " is " +
                     scale.factor.to_string() + ", but the run " + run.run_dir + " was made at " +
                     run.compute_scale + ": submit a new run");
}

Status check_run(const RunRecord& run, const std::string& folder) {
  for (const RunJob& job : run.jobs) {
    if (std::error_code error; std::filesystem::exists(folder + "/" + job.script, error)) continue;
    return usage_error(folder + ": has no " + job.script +
                       ": a run without Slurm is continued by sbatch-tasks run --run-dir");
  }
  if (run.neutral) {
    return usage_error(folder + ": its scripts take their scale at submission (render --neutral):" +
                       " submit them by sbatch");
  }
  std::error_code error;
  if (std::filesystem::equivalent(folder, run.run_dir, error)) return Done{};
  return usage_error(folder + ": was made as " + run.run_dir + ", which its scripts write to");
}

}  // namespace

Result<int> run_resume(const Context& context, const Reporter& reporter, ProcessRunner& runner) {
  const std::string folder = absolute_path(context.options.run_dir);
  COMPUTE_SCALE_TRY(run, load_run_record(folder));
  COMPUTE_SCALE_CHECK(check_run(run, folder));
  COMPUTE_SCALE_CHECK(check_scale(context, run));
  return Resumption(context, reporter, runner, std::move(run)).run();
}

}  // namespace compute_scale
