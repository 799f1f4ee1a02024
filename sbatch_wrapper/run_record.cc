#include "run_record.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "journal.h"
#include "members.h"
#include "read_file.h"
#include "run_dir.h"
#include "text.h"

namespace compute_scale {

namespace {

constexpr int kVersion = 1;

struct EntryMembers {
  std::string task, label;
  RunStep step;  // what all its steps have
};

struct StepMembers {
  std::size_t entry = 0;
  std::int64_t seed = 0;
  std::string log, result;
};

struct TaskMembers {
  std::string name;
};

struct ScaleMembers {
  std::string compute_scale, hardware;
};

}  // namespace

// Behind the types and in front of their use, as Members finds them by their type.
static Status read_value(const DocField& field, EntryMembers& entry) {
  return Members(field)
      .need("task", entry.task)
      .need("label", entry.label)
      .need("group", entry.step.group)
      .need("stage", entry.step.stage)
      .may("hidden", entry.step.hidden)
      .need("base_compute", entry.step.base_compute)
      .need("compute", entry.step.compute)
      .need("time_minutes", entry.step.time_minutes)
      .status();
}

static Status read_value(const DocField& field, StepMembers& step) {
  return Members(field)
      .need("entry", step.entry)
      .need("seed", step.seed)
      .need("log", step.log)
      .need("result", step.result)
      .status();
}

static Status read_value(const DocField& field, TaskMembers& task) {
  return Members(field).need("name", task.name).status();
}

static Status read_value(const DocField& field, ScaleMembers& scale) {
  return Members(field)
      .need("compute_scale", scale.compute_scale)
      .may("hardware", scale.hardware)
      .status();
}

static Status read_value(const DocField& field, RunLane& lane) {
  return Members(field).need("devices", lane.devices).need("steps", lane.steps).status();
}

static Status read_value(const DocField& field, RunJob& job) {
  return Members(field)
      .need("name", job.name)
      .need("slurm_name", job.slurm_name)
      .need("script", job.script)
      .need("log", job.log)
      .need("directives", job.directives)
      .need("devices", job.devices)
      .need("time_minutes", job.time_minutes)
      .need("mem_mib", job.mem_mib)
      .need("cpus", job.cpus)
      .need("after", job.after)
      .need("lanes", job.lanes)
      .status();
}

static Status read_value(const DocField& field, RunRecord& run) {
  return Members(field)
      .need("exp_name", run.exp_name)
      .need("run_dir", run.run_dir)
      .need("save_path", run.save_path)
      .need("container_runtime", run.container_runtime)
      .may("neutral", run.neutral)
      .may("plugin", run.plugin)
      .may("config_file", run.config_file)
      .may("sbatch_args", run.sbatch_args)
      .may("max_running", run.max_running)
      .status();
}

static Status read_value(const DocField& field, SubmissionCall::Member& member) {
  return Members(field).need("job", member.job).may("index", member.index).status();
}

namespace {

// All indices of plan.json must lead somewhere: nothing behind this looks again.
Status check_index(const std::string& file, const char* what, std::size_t index,
                   std::size_t below) {
  if (index < below) return Done{};
  return task_error(file + ": there is no " + what + " " + std::to_string(index));
}

// plan.json without the journal.
class PlanReader {
 public:
  PlanReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  Result<RunRecord> read() {
    COMPUTE_SCALE_TRY(document, parse_json(text_, file_));
    const DocField root(document, DocFormat::kJson, file_);
    int version = 0;
    COMPUTE_SCALE_CHECK(Members(root).need("version", version).status());
    if (version != kVersion) {
      return task_error(file_ + ": /version: " + std::to_string(version) + ": expected " +
                        std::to_string(kVersion));
    }
    COMPUTE_SCALE_CHECK(Members(root)
                            .need("run", run_)
                            .need("scale", scale_)
                            .need("tasks", tasks_)
                            .need("entries", entries_)
                            .need("steps", steps_)
                            .need("jobs", run_.jobs)
                            .status());
    run_.compute_scale = scale_.compute_scale;
    run_.hardware = scale_.hardware;
    for (const TaskMembers& task : tasks_) run_.tasks.push_back(task.name);
    for (const StepMembers& step : steps_) COMPUTE_SCALE_CHECK(add_step(step));
    COMPUTE_SCALE_CHECK(check_jobs());
    return std::move(run_);
  }

 private:
  Status add_step(const StepMembers& members) {
    COMPUTE_SCALE_CHECK(check_index(file_, "entry", members.entry, entries_.size()));
    const EntryMembers& entry = entries_[members.entry];
    RunStep step = entry.step;
    step.name = entry.task + "/" + entry.label;
    const auto task = std::find(run_.tasks.begin(), run_.tasks.end(), entry.task);
    step.task = static_cast<std::size_t>(task - run_.tasks.begin());
    COMPUTE_SCALE_CHECK(check_index(file_, "task", step.task, run_.tasks.size()));
    step.seed = members.seed;
    step.log = members.log;
    step.result = members.result;
    run_.steps.push_back(std::move(step));
    return Done{};
  }

  Status check_jobs() const {
    for (std::size_t job = 0; job < run_.jobs.size(); ++job) {
      for (const std::size_t step : run_.jobs[job].steps()) {
        COMPUTE_SCALE_CHECK(check_index(file_, "step", step, run_.steps.size()));
      }
      for (const std::size_t before : run_.jobs[job].after) {
        COMPUTE_SCALE_CHECK(check_index(file_, "earlier job", before, job));
      }
    }
    return Done{};
  }

  std::string_view text_;
  std::string file_;
  RunRecord run_;
  ScaleMembers scale_;
  std::vector<TaskMembers> tasks_;
  std::vector<EntryMembers> entries_;
  std::vector<StepMembers> steps_;
};

// Adds what the journal says to a run.
class JournalReader {
 public:
  JournalReader(RunRecord& run, std::string file) : run_(run), file_(std::move(file)) {
    for (std::size_t i = 0; i < run.jobs.size(); ++i) jobs_[run.jobs[i].name] = i;
  }

  Status read(std::string_view text) {
    const std::vector<std::string_view> lines = split(text, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].empty()) continue;
      const std::string place = file_ + ":" + std::to_string(i + 1);
      const auto document = parse_json(lines[i], place);
      // A whole line ends in a newline: what follows the last one is what a killed writer left.
      if (!document.ok() && i + 1 == lines.size()) return Done{};
      if (!document.ok()) return document.error();
      COMPUTE_SCALE_CHECK(add(DocField(*document, DocFormat::kJson, place)));
    }
    return Done{};
  }

 private:
  Status add(const DocField& line) {
    std::string event;
    std::string name;
    COMPUTE_SCALE_CHECK(Members(line).need("event", event).need("name", name).status());
    if (event == "begin") return begin(line, name);
    if (event == "cancelled") return cancelled(line, name);
    JobSubmission end;
    COMPUTE_SCALE_CHECK(Members(line)
                            .may("id", end.id)
                            .may("cluster", end.cluster)
                            .may("reason", end.reason)
                            .status());
    if (event == "submitted") {
      end.state = SubmissionState::kSubmitted;
    } else if (event == "failed") {
      end.state = SubmissionState::kFailed;
    } else if (event != "unclear") {
      return line.problem(quoted(event) + " is no event of a journal");
    }
    return settle(line, name, end);
  }

  Status begin(const DocField& line, const std::string& name) {
    JobSubmission submission;
    submission.slurm_name = name;
    std::vector<SubmissionCall::Member> members;
    COMPUTE_SCALE_CHECK(Members(line)
                            .need("number", submission.number)
                            .need("jobs", members)
                            .need("time", submission.began)
                            .status());
    std::vector<std::size_t>& of_call = calls_[name];
    of_call.clear();
    for (const SubmissionCall::Member& member : members) {
      const auto job = jobs_.find(member.job);
      if (job == jobs_.end()) return line.problem("there is no job " + quoted(member.job));
      submission.index = member.index;
      run_.jobs[job->second].submissions.push_back(submission);
      of_call.push_back(job->second);
    }
    run_.submissions = std::max(run_.submissions, submission.number);
    return Done{};
  }

  Status settle(const DocField& line, const std::string& name, const JobSubmission& end) {
    const auto call = calls_.find(name);
    if (call == calls_.end()) return line.problem(quoted(name) + " was never begun");
    for (const std::size_t job : call->second) {
      for (JobSubmission& submission : run_.jobs[job].submissions) {
        if (submission.slurm_name != name) continue;
        submission.state = end.state;
        submission.id = end.id;
        submission.cluster = end.cluster;
        submission.reason = end.reason;
      }
    }
    return Done{};
  }

  // `name` is that of the job in the plan.
  Status cancelled(const DocField& line, const std::string& name) {
    const auto job = jobs_.find(name);
    if (job == jobs_.end()) return line.problem("there is no job " + quoted(name));
    std::vector<JobSubmission>& submissions = run_.jobs[job->second].submissions;
    if (!submissions.empty()) submissions.back().cancelled = true;
    return Done{};
  }

  RunRecord& run_;
  std::string file_;
  std::map<std::string, std::size_t> jobs_;                // by name
  std::map<std::string, std::vector<std::size_t>> calls_;  // the jobs of each call, by its name
};

bool exists(const std::string& path) {
  struct stat unused = {};
  return stat(path.c_str(), &unused) == 0;
}

}  // namespace

std::vector<std::size_t> RunJob::steps() const {
  std::vector<std::size_t> out;
  for (const RunLane& lane : lanes) out.insert(out.end(), lane.steps.begin(), lane.steps.end());
  return out;
}

Result<RunRecord> parse_run_record(std::string_view plan, std::string_view journal,
                                   const std::string& run_dir) {
  COMPUTE_SCALE_TRY(run, PlanReader(plan, run_dir + "/" + kPlanFile).read());
  COMPUTE_SCALE_CHECK(JournalReader(run, run_dir + "/" + kJournalFile).read(journal));
  return std::move(run);
}

Result<RunRecord> load_run_record(const std::string& run_dir) {
  if (!exists(run_dir + "/" + kPlanFile)) {
    return usage_error(run_dir + ": is no run directory: it has no " + kPlanFile);
  }
  COMPUTE_SCALE_TRY(plan, read_text_file(run_dir + "/" + kPlanFile, kMostRecorded));
  std::string journal;
  if (exists(run_dir + "/" + kJournalFile)) {
    COMPUTE_SCALE_TRY(text, read_text_file(run_dir + "/" + kJournalFile, kMostRecorded));
    journal = std::move(text);
  }
  return parse_run_record(plan, journal, run_dir);
}

}  // namespace compute_scale
