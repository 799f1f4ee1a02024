#include "submission.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "run_dir.h"
#include "run_layout.h"
#include "script_submission.h"
#include "shell_quote.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr std::int64_t kDefaultArraySize = 1001;  // slurm.conf(5), MaxArraySize

// The number of each job's chain: its task and seed. A job of several has a number of its own.
std::vector<std::int64_t> chains(const RunRecord& run) {
  std::map<std::vector<std::pair<std::size_t, std::int64_t>>, std::int64_t> known;
  std::vector<std::int64_t> out;
  for (const RunJob& job : run.jobs) {
    std::vector<std::pair<std::size_t, std::int64_t>> parts;
    for (const std::size_t step : job.steps()) {
      parts.emplace_back(run.steps[step].task, run.steps[step].seed);
    }
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    const auto next = static_cast<std::int64_t>(known.size());
    out.push_back(known.try_emplace(std::move(parts), next).first->second);
  }
  return out;
}

std::vector<ArrayJob> array_jobs(const RunRecord& run, const SubmissionPlan& plan) {
  const std::vector<std::int64_t> chain = chains(run);
  std::map<std::size_t, std::size_t> position;
  std::vector<ArrayJob> out;
  for (const std::size_t number : plan.jobs) {
    const RunJob& job = run.jobs[number];
    ArrayJob next;
    next.directives = job.directives;
    next.chain = chain[number];
    for (const std::size_t before : job.after) {
      if (const auto here = position.find(before); here != position.end()) {
        next.after.push_back(here->second);
      } else if (const auto there = plan.queued.find(before); there != plan.queued.end()) {
        next.after_queued.push_back(there->second);
      }
    }
    position[number] = out.size();
    out.push_back(std::move(next));
  }
  return out;
}

std::string shown_id(const JobId& job, const std::optional<std::int64_t>& index) {
  return job.id + (index ? "_" + std::to_string(*index) : "") +
         (job.cluster.empty() ? "" : ";" + job.cluster);
}

}  // namespace

std::vector<std::string> slurm_environment(const RunRecord& run) {
  std::vector<std::string> environment = submission_environment(present_environment());
  if (!run.plugin || run.config_file.empty()) return environment;
  const std::string variable = "COMPUTE_SCALE_CONFIG=";
  environment.erase(std::remove_if(environment.begin(), environment.end(),
                                   [&](const std::string& v) { return starts_with(v, variable); }),
                    environment.end());
  environment.push_back(variable + run.config_file);
  return environment;
}

// Where sbatch cannot even show its options, the submission itself says why.
Status check_plugin(const RunRecord& run, SlurmClient& client) {
  if (!run.plugin) return Done{};
  const auto loaded = client.has_option("--compute-entry");
  if (!loaded.ok() || *loaded) return Done{};
  return site_error(
      "slurm.plugin of the config promises the plugin, but sbatch has no --compute-entry here: "
      "sbatch-tasks doctor says why; nothing was submitted");
}

Submission::Submission(const RunRecord& run, SubmissionPlan plan, SlurmClient& client,
                       const Reporter& reporter, int settle_seconds)
    : run_(run),
      plan_(std::move(plan)),
      client_(client),
      reporter_(reporter),
      settle_seconds_(settle_seconds) {
  if (plan_.jobs.size() < 2) return;
  max_array_size_ = std::async(std::launch::async | std::launch::deferred,
                               [this] { return client_.max_array_size(); });
}

std::int64_t Submission::array_size() {
  if (!max_array_size_.valid()) return kDefaultArraySize;
  const auto size = max_array_size_.get();
  if (size.ok()) return *size;
  reporter_.warning("MaxArraySize cannot be read (" + size.error().text + "): taken as " +
                    std::to_string(kDefaultArraySize));
  return kDefaultArraySize;
}

Status Submission::prepare() {
  ArrayOptions options;
  options.max_array_size = array_size();
  options.max_running = run_.max_running;
  options.still_there = plan_.still_there;
  for (ArraySubmission& jobs : array_submissions(array_jobs(run_, plan_), options)) {
    COMPUTE_SCALE_CHECK(add_call(std::move(jobs)));
  }
  return Done{};
}

Status Submission::add_call(ArraySubmission jobs) {
  Call call;
  call.record.number = plan_.number;
  if (!jobs.is_array()) {
    const RunJob& job = run_.jobs[plan_.jobs[jobs.members.front().job]];
    call.record.name = slurm_job_name(job.name, run_.run_dir, plan_.number);
    call.record.members.push_back({job.name, std::nullopt});
    call.script = job.script;
  } else {
    const auto arrays = std::count_if(calls_.begin(), calls_.end(),
                                      [](const Call& other) { return other.jobs.is_array(); });
    call.record.name = slurm_job_name(safe_name(run_.exp_name) + "-a" + std::to_string(arrays + 1),
                                      run_.run_dir, plan_.number);
    call.script = array_script_path(call.record.name);
    ArrayScript script{call.record.name,
                       run_.run_dir,
                       array_log_path(call.record.name, "%a"),
                       jobs.directives,
                       {}};
    for (const ArraySubmission::Member& member : jobs.members) {
      const RunJob& job = run_.jobs[plan_.jobs[member.job]];
      call.record.members.push_back({job.name, member.index});
      script.elements.push_back({member.index, job.script});
    }
    COMPUTE_SCALE_TRY(text, array_script(script));
    call.text = std::move(text);
  }
  call.jobs = std::move(jobs);
  calls_.push_back(std::move(call));
  return Done{};
}

// The user's arguments come first: they win over the script's directives, but not over the order of
// groups. The script gets the number of the submission.
std::vector<std::string> Submission::argv(const Call& call,
                                          const std::vector<std::string>& ids) const {
  std::vector<std::string> argv = {"sbatch", "--parsable"};
  argv.insert(argv.end(), plan_.sbatch_args.begin(), plan_.sbatch_args.end());
  if (!call.jobs.is_array() && plan_.number > 1) argv.push_back("--job-name=" + call.record.name);
  if (call.jobs.is_array()) argv.push_back("--array=" + array_indices(call.jobs));
  const std::string dependency = dependency_text(call.jobs, ids);
  if (!dependency.empty()) {
    argv.push_back("--dependency=" + dependency);
    argv.emplace_back("--kill-on-invalid-dep=yes");
  }
  argv.push_back(run_.run_dir + "/" + call.script);
  argv.push_back(std::to_string(plan_.number));
  return argv;
}

std::string Submission::calls_text() const {
  std::vector<std::string> names;
  for (const Call& call : calls_) names.push_back("ID-OF-" + call.record.name);
  std::string out;
  for (const Call& call : calls_) out += shell_join(argv(call, names)) + "\n";
  return out;
}

std::vector<std::string> Submission::ids() const {
  std::vector<std::string> out;
  for (const Call& call : calls_) out.push_back(call.id);
  return out;
}

// A call that has to succeed before and was not made.
const Submission::Call* Submission::missing_before(const Call& call) const {
  for (const auto* references : {&call.jobs.corresponding, &call.jobs.succeeded}) {
    for (const ArraySubmission::Reference& reference : *references) {
      if (reference.submission && calls_[*reference.submission].id.empty()) {
        return &calls_[*reference.submission];
      }
    }
  }
  return nullptr;
}

bool Submission::has_all_ids(const Call& call) const {
  for (const auto* references :
       {&call.jobs.corresponding, &call.jobs.succeeded, &call.jobs.ended}) {
    for (const ArraySubmission::Reference& reference : *references) {
      if (reference.submission && !calls_[*reference.submission].settled) return false;
    }
  }
  return true;
}

// Begins the first calls that wait for no other one, as many as may be under way at once. A call
// comes behind those that it names.
Status Submission::begin_ready(SbatchCalls& calls, Journal& journal) {
  std::vector<std::size_t> begun;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (calls.under_way() + begun.size() >= static_cast<std::size_t>(plan_.parallel)) break;
    Call& call = calls_[i];
    if (call.begun || !has_all_ids(call)) continue;
    call.begun = true;
    if (may_be_made(call)) {
      COMPUTE_SCALE_CHECK(begin(call, journal));
      begun.push_back(i);
    } else {
      call.settled = true;
      miss(call);
    }
  }
  if (begun.empty()) return Done{};
  COMPUTE_SCALE_CHECK(journal.sync());
  for (const std::size_t i : begun) calls.start(i, calls_[i].record.argv);
  return Done{};
}

// What is under way is taken to its end, whatever goes wrong with another call.
Result<int> Submission::run(Journal& journal) {
  SbatchCalls calls(client_);
  Status worked = Done{};
  for (;;) {
    if (worked.ok()) worked = begin_ready(calls, journal);
    if (calls.under_way() == 0) break;
    const auto [number, answer] = calls.next();
    calls_[number].settled = true;
    const Status finished = finish(calls_[number], answer, journal);
    if (worked.ok()) worked = finished;
  }
  if (!worked.ok()) return worked.error();
  COMPUTE_SCALE_CHECK(journal.sync());
  return report();
}

bool Submission::may_be_made(const Call& call) const {
  // Whoever does not know what has become of one job submits no other one.
  if (unclear_) return false;
  const Call* before = missing_before(call);
  if (before == nullptr) return true;
  reporter_.error(call.record.name + ": not submitted: it waits for " + before->record.name +
                  ", which is not submitted");
  return false;
}

Status Submission::write_files(const Call& call) const {
  for (const SubmissionCall::Member& member : call.record.members) {
    if (plan_.number == 1) break;
    COMPUTE_SCALE_CHECK(write_file(run_.run_dir + "/" + newest_submission_path(member.job),
                                   std::to_string(plan_.number) + "\n"));
  }
  if (!call.jobs.is_array()) return Done{};
  const std::string logs = run_.run_dir + "/" + array_log_path(call.record.name, "");
  COMPUTE_SCALE_CHECK(make_folder(logs.substr(0, logs.rfind('/'))));
  for (const ArraySubmission::Member& member : call.jobs.members) {
    const std::string link =
        run_.run_dir + "/" + array_log_path(call.record.name, std::to_string(member.index));
    const std::string target = "../../" + run_.jobs[plan_.jobs[member.job]].log;
    if (symlink(target.c_str(), link.c_str()) != 0 && errno != EEXIST) {
      return usage_error(link + ": cannot be made: " + std::strerror(errno));
    }
  }
  return write_file(run_.run_dir + "/" + call.script, call.text);
}

Status Submission::begin(Call& call, Journal& journal) {
  COMPUTE_SCALE_CHECK(write_files(call));
  auto& ended = call.jobs.ended;  // those that were never submitted have ended
  ended.erase(std::remove_if(ended.begin(), ended.end(),
                             [&](const ArraySubmission::Reference& reference) {
                               return reference.submission &&
                                      calls_[*reference.submission].id.empty();
                             }),
              ended.end());
  call.record.argv = argv(call, ids());
  return journal.begin(call.record);
}

Status Submission::finish(Call& call, const SbatchAnswer& answer, Journal& journal) {
  if (answer.kind == SbatchAnswer::Kind::kUnclear) return look_for(call, answer.text, journal);
  if (answer.kind == SbatchAnswer::Kind::kRefused) {
    miss(call);
    COMPUTE_SCALE_CHECK(journal.failed(call.record.name, answer.text));
    reporter_.error(call.record.name + ": not submitted: " + answer.text);
    return Done{};
  }
  COMPUTE_SCALE_CHECK(journal.submitted(call.record.name, answer.job));
  if (!answer.text.empty()) reporter_.note(answer.text);
  take(call, answer.job);
  return Done{};
}

// sbatch does not know whether the job was made: it is looked for under its name, and never
// submitted a second time here.
Status Submission::look_for(Call& call, const std::string& why, Journal& journal) {
  const std::time_t now = std::time(nullptr);
  const std::time_t deadline = now + settle_seconds_;
  for (;;) {
    const auto queue = client_.queue();
    const auto found =
        queue.ok() ? find_by_name(*queue, call.record.name, now) : std::optional<JobId>();
    if (found) {
      COMPUTE_SCALE_CHECK(journal.submitted(call.record.name, *found, true));
      reporter_.note(call.record.name + ": is in the queue although sbatch said: " + why);
      take(call, *found);
      return Done{};
    }
    if (std::time(nullptr) >= deadline) break;
    sleep(1);
  }
  unclear_ = true;
  miss(call);
  COMPUTE_SCALE_CHECK(journal.unclear(call.record.name, why));
  reporter_.error(call.record.name + ": may be submitted or not: " + why);
  return Done{};
}

void Submission::take(Call& call, const JobId& job) {
  call.id = job.id;
  std::string out;
  for (const SubmissionCall::Member& member : call.record.members) {
    out += shown_id(job, member.index) + " " + member.job + "\n";
  }
  print(out);
}

void Submission::miss(const Call& call) {
  for (const SubmissionCall::Member& member : call.record.members) missing_.push_back(member.job);
}

int Submission::report() const {
  const std::size_t submitted = plan_.jobs.size() - missing_.size();
  if (missing_.empty()) {
    reporter_.note("submitted " + counted(static_cast<std::int64_t>(submitted), "job") + " by " +
                   counted(static_cast<std::int64_t>(calls_.size()), "call") +
                   " of sbatch; run directory " + run_.run_dir);
    return 0;
  }
  reporter_.error(std::to_string(submitted) + " of " + std::to_string(plan_.jobs.size()) +
                  " jobs are submitted; these are not: " + join(missing_, " "));
  reporter_.error("when the cause is gone: sbatch-tasks resume " + shell_quote(run_.run_dir));
  return static_cast<int>(ErrorKind::kSubmit);
}

}  // namespace compute_scale
