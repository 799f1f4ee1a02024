#include <algorithm>
#include <map>
#include <set>

#include "index_list.h"
#include "journal.h"
#include "queue.h"
#include "run_choice.h"
#include "run_dir.h"
#include "run_follower.h"
#include "shell_quote.h"
#include "status_view.h"
#include "text.h"
#include "verbs.h"

namespace compute_scale {
namespace {

constexpr std::size_t kLongestArgument = 60'000;
constexpr std::size_t kMostIds = 1000;  // of one call

bool is_open(const StepStatus& status) {
  return status.phase == StepPhase::kWaiting || status.phase == StepPhase::kRunning ||
         status.phase == StepPhase::kBlocked;
}

// Ends jobs of a run: those that hold chosen steps and are still in the queue.
class Cancellation {
 public:
  Cancellation(RunFollower& follower, const Options& options, const Reporter& reporter,
               ProcessRunner& runner)
      : follower_(follower), options_(options), reporter_(reporter), runner_(runner) {}

  Result<int> run(const std::vector<std::size_t>& steps) {
    chosen_.assign(follower_.run().steps.size(), false);
    for (const std::size_t step : steps) chosen_[step] = true;
    COMPUTE_SCALE_CHECK(check_slurm());
    choose_jobs();
    if (jobs_.empty()) {
      reporter_.note("nothing to cancel: no job of these steps is in the queue");
      return 0;
    }
    COMPUTE_SCALE_CHECK(check_others());
    if (options_.dry_run) return print_calls();
    return cancel();
  }

 private:
  const RunRecord& record() const { return follower_.run(); }
  const RunStatus& status() const { return follower_.status(); }

  Status check_slurm() const {
    if (!follower_.slurm_problem().empty()) {
      return submit_error("nothing is cancelled, Slurm cannot be asked: " +
                          follower_.slurm_problem());
    }
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const bool local =
          status().steps[i].phase == StepPhase::kRunning && status().steps[i].job_id.empty();
      if (!chosen_[i] || !local) continue;
      return usage_error(step_title(record().steps[i]) +
                         " runs outside of Slurm: end it where it was started");
    }
    return Done{};
  }

  // Later jobs first: a job that waits for one that is cancelled is ended by Slurm itself.
  void choose_jobs() {
    for (std::size_t i = record().jobs.size(); i-- > 0;) {
      if (!status().jobs[i].in_queue) continue;
      const auto steps = record().jobs[i].steps();
      const bool meant = std::any_of(steps.begin(), steps.end(), [&](std::size_t step) {
        return chosen_[step] && is_open(status().steps[step]);
      });
      if (meant) jobs_.push_back(i);
    }
  }

  // Steps that share a job with the chosen ones end with it: only if that is said.
  Status check_others() const {
    std::vector<std::string> others;
    for (const std::size_t job : jobs_) {
      for (const std::size_t step : record().jobs[job].steps()) {
        if (chosen_[step] || !is_open(status().steps[step])) continue;
        others.push_back(step_title(record().steps[step]) + " (job " + record().jobs[job].name +
                         ")");
      }
    }
    if (others.empty()) return Done{};
    const std::string names = join(others, ", ");
    if (!options_.force) {
      return usage_error("nothing is cancelled, the same jobs hold " + names +
                         ": name these steps too, or --force");
    }
    reporter_.note("the same jobs hold, and end with them, " + names);
    return Done{};
  }

  // "12_[0-3,7]" for the elements of an array, all of a cluster in as few calls as may be.
  std::vector<std::vector<std::string>> calls() const {
    std::vector<std::vector<std::string>> out;
    std::map<std::pair<std::string, std::string>, std::vector<std::int64_t>> elements;
    std::map<std::string, std::vector<std::string>> order;  // ids by cluster
    for (const std::size_t job : jobs_) {
      const JobStatus& place = status().jobs[job];
      auto& of_array = elements[{place.cluster, place.id}];
      if (of_array.empty()) order[place.cluster].push_back(place.id);
      of_array.push_back(place.index.value_or(-1));
    }
    for (const auto& [cluster, names] : order) {
      std::size_t count = kMostIds;
      for (const std::string& id : names) {
        for (const std::string& word : scancel_words(id, elements[{cluster, id}])) {
          if (count == kMostIds) {
            out.push_back({"scancel"});
            if (!cluster.empty()) out.back().push_back("--clusters=" + cluster);
            count = 0;
          }
          out.back().push_back(word);
          ++count;
        }
      }
    }
    return out;
  }

  static std::vector<std::string> scancel_words(const std::string& id,
                                                const std::vector<std::int64_t>& indices) {
    if (indices.front() < 0) return {id};
    std::vector<std::string> out;
    for (const std::string& list : index_lists(indices, kLongestArgument)) {
      out.push_back(std::string(id).append("_[").append(list).append("]"));
    }
    return out;
  }

  int print_calls() const {
    std::string out;
    for (const auto& call : calls()) out += shell_join(call) + "\n";
    return print(out) ? 0 : 1;
  }

  Result<int> cancel() {
    Journal journal;
    COMPUTE_SCALE_CHECK(journal.open(record().run_dir + "/" + kJournalFile));
    std::string problem;
    for (const auto& call : calls()) {
      const auto result = runner_.run(call, query_environment(present_environment()));
      if (!result.ok()) {
        problem = result.error().text;
      } else if (result->exit_code != 0) {
        problem = on_one_line(result->errors);
        if (problem.empty()) problem = "exit code " + std::to_string(result->exit_code);
      }
    }
    return problem.empty() ? note_cancelled(journal, jobs_) : report_left(journal, problem);
  }

  Result<int> note_cancelled(Journal& journal, const std::vector<std::size_t>& jobs) const {
    std::vector<std::string> names;
    names.reserve(jobs.size());
    for (const std::size_t job : jobs) names.push_back(record().jobs[job].name);
    if (!names.empty()) COMPUTE_SCALE_CHECK(journal.cancelled(names));
    reporter_.note("cancelled " + counted(static_cast<std::int64_t>(jobs.size()), "job"));
    return 0;
  }

  // scancel failed for some of the jobs; which ones the queue tells.
  Result<int> report_left(Journal& journal, const std::string& problem) {
    COMPUTE_SCALE_CHECK(follower_.look());
    std::vector<std::size_t> gone;
    std::vector<std::string> left;
    for (const std::size_t job : jobs_) {
      const bool unknown = !follower_.slurm_problem().empty();
      const JobStatus& now = status().jobs[job];
      if (unknown || (now.in_queue && now.state != "COMPLETING")) {
        left.push_back(record().jobs[job].name);
      } else {
        gone.push_back(job);
      }
    }
    COMPUTE_SCALE_CHECK(note_cancelled(journal, gone));
    if (left.empty()) return 0;
    return submit_error("not cancelled: " + join(left, " ") + ": " + problem);
  }

  RunFollower& follower_;
  const Options& options_;
  const Reporter& reporter_;
  ProcessRunner& runner_;
  std::vector<bool> chosen_;       // by step
  std::vector<std::size_t> jobs_;  // to end
};

}  // namespace

Result<int> run_cancel(const Options& options, const Reporter& reporter, ProcessRunner& runner) {
  COMPUTE_SCALE_TRY(choice, choose_run(options));
  if (choice.patterns.empty() && !choice.named && !options.all) {
    return usage_error("name steps of " + choice.run_dir + ", or that run directory for all");
  }
  if (!choice.named) reporter.note("run directory " + choice.run_dir);
  RunFollower follower(choice.run_dir, runner);
  COMPUTE_SCALE_CHECK(follower.look());
  COMPUTE_SCALE_TRY(steps, choose_steps(follower.run(), choice.patterns, options.seeds));
  return Cancellation(follower, options, reporter, runner).run(steps);
}

}  // namespace compute_scale
