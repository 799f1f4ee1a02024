#include "queue.h"

#include <algorithm>
#include <array>

#include "gres.h"
#include "index_list.h"
#include "slurm_client.h"
#include "text.h"

namespace compute_scale {
namespace {

// A type with a suffix and no size is printed whole and not padded: _parse_long_token in Slurm's
// src/squeue/opts.c, _print_str in print.c. A name may hold the separator, so it comes last.
constexpr const char* kFields[] = {"ArrayJobID", "ArrayTaskID",   "JobID",      "State",
                                   "Reason",     "TimeUsed",      "StartTime",  "RestartCnt",
                                   "tres-alloc", "tres-per-job",  "NumNodes",   "tres-per-node",
                                   "NumTasks",   "tres-per-task", "SubmitTime", "Name"};
constexpr char kSeparator = '|';

constexpr std::string_view kWaitingStates[] = {"PENDING",      "REQUEUED",     "REQUEUE_FED",
                                               "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"};
constexpr std::string_view kActiveStates[] = {"RUNNING",   "COMPLETING", "CONFIGURING",
                                              "SUSPENDED", "STOPPED",    "SIGNALING",
                                              "RESIZING",  "STAGE_OUT",  "POWER_UP_NODE"};
constexpr std::string_view kEndedStates[] = {
    "COMPLETED", "FAILED",        "CANCELLED", "TIMEOUT",       "NODE_FAIL",    "BOOT_FAIL",
    "DEADLINE",  "OUT_OF_MEMORY", "PREEMPTED", "LAUNCH_FAILED", "RECONFIG_FAIL"};

template <std::size_t N>
bool is_one_of(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// More than these nobody has: what Slurm prints above them is its mark for "unset", and below them
// no sum or product of a run's numbers overflows.
constexpr std::int64_t kMostCount = 1'000'000;          // nodes, tasks, restarts, days, hours
constexpr std::int64_t kMostSeconds = 100'000'000'000;  // 3,000 years

std::int64_t number_or_0(std::string_view text, std::int64_t most) {
  const std::int64_t number = parse_digits(text).value_or(0);
  return number <= most ? number : 0;
}

// A count of GPUs for each of several nodes or tasks.
std::int64_t gpus_times(std::int64_t gpus, std::string_view times) {
  return std::min(kMostGpus, gpus * std::max<std::int64_t>(1, number_or_0(times, kMostCount)));
}

std::string text_or_empty(std::string_view text) {
  const bool none = text == "None" || text == "N/A" || text == "(null)" || text == "Unknown";
  return none ? "" : std::string(text);
}

// GPUs of a list of gres or trackable resources. The latter names them in sum and by type:
// "cpu=4,gres/gpu=2,gres/gpu:h200=2".
std::int64_t gpus_in(std::string_view list) {
  const auto items = parse_gres(text_or_empty(list));
  if (!items.ok()) return 0;
  std::int64_t of_types = 0;
  for (const GresItem& item : *items) {
    if (!item.is_gpu()) continue;
    if (item.type.empty()) return item.count;
    of_types += item.count;
  }
  return std::min(of_types, kMostGpus);
}

// Only where the site tracks GPUs are they among the allocated resources; else the request tells.
std::int64_t gpus_of(const std::vector<std::string_view>& fields) {
  if (const std::int64_t gpus = gpus_in(fields[8])) return gpus;
  if (const std::int64_t gpus = gpus_in(fields[9])) return gpus;
  if (const std::int64_t gpus = gpus_in(fields[11])) return gpus_times(gpus, fields[10]);
  return gpus_times(gpus_in(fields[13]), fields[12]);
}

// The fields of a line, or nothing where it has another form. The last one ends in a separator too.
std::vector<std::string_view> fields_of(std::string_view line, std::size_t count) {
  std::vector<std::string_view> fields = split(line, kSeparator);
  if (fields.size() <= count) return {};
  const char* end = fields[fields.size() - 2].data() + fields[fields.size() - 2].size();
  const char* start = fields[count - 1].data();
  fields.resize(count);
  fields.back() = std::string_view(start, static_cast<std::size_t>(end - start));
  return fields;
}

std::vector<std::string> on_cluster(std::vector<std::string> argv, const std::string& cluster) {
  if (!cluster.empty()) argv.push_back("--clusters=" + cluster);
  return argv;
}

}  // namespace

JobPhase phase_of(std::string_view state) {
  if (is_one_of(state, kWaitingStates)) return JobPhase::kWaiting;
  if (is_one_of(state, kActiveStates)) return JobPhase::kActive;
  if (is_one_of(state, kEndedStates)) return JobPhase::kEnded;
  return JobPhase::kUnknown;
}

std::string state_word(std::string_view text) {
  text = trim(text);
  text = text.substr(0, text.find_first_of(" \t+"));
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::int64_t elapsed_seconds(std::string_view text) {
  std::int64_t days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto number = parse_digits(text.substr(0, dash));
    if (!number || *number > kMostCount) return 0;
    days = *number;
    text.remove_prefix(dash + 1);
  }
  std::int64_t seconds = 0;
  const auto parts = split(text, ':');
  if (parts.size() > 3) return 0;
  for (const std::string_view part : parts) {
    const auto number = parse_digits(part);
    if (!number || *number > kMostCount) return 0;
    seconds = seconds * 60 + *number;
  }
  return days * 86400 + seconds;
}

std::vector<std::string> squeue_argv(const std::string& user_id, const std::string& cluster) {
  std::string format;
  for (const char* field : kFields) {
    if (!format.empty()) format += ",";
    format += std::string(field) + ":" + kSeparator;
  }
  return on_cluster({"squeue", "--noheader", "--array", "--states=all", "--user=" + user_id,
                     "--Format=" + format},
                    cluster);
}

std::vector<QueueJob> parse_squeue(std::string_view text) {
  std::vector<QueueJob> out;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = fields_of(line, std::size(kFields));
    if (fields.empty() || !parse_digits(fields[0]) || !parse_digits(fields[2])) continue;
    QueueJob job;
    job.id = fields[0];
    job.index = parse_digits(fields[1]);
    job.job_id = fields[2];
    job.state = state_word(fields[3]);
    job.reason = text_or_empty(fields[4]);
    job.elapsed_seconds = elapsed_seconds(fields[5]);
    job.started = number_or_0(fields[6], kMostSeconds);
    job.restarts = static_cast<int>(number_or_0(fields[7], kMostCount));
    job.gpus = gpus_of(fields);
    job.submitted = number_or_0(fields[14], kMostSeconds);
    job.name = fields[15];
    // The start that is expected of a job that waits is none.
    if (phase_of(job.state) == JobPhase::kWaiting) job.started = 0;
    out.push_back(std::move(job));
  }
  return out;
}

std::vector<std::vector<std::string>> sacct_argvs(const std::vector<std::string>& ids,
                                                  const std::string& cluster) {
  constexpr std::size_t kLongest = 100'000;
  std::vector<std::string> lists;
  for (const std::string& id : ids) {
    if (lists.empty() || lists.back().size() + id.size() > kLongest) lists.emplace_back();
    lists.back() += (lists.back().empty() ? "" : ",") + id;
  }
  std::vector<std::vector<std::string>> out;
  out.reserve(lists.size());
  for (const std::string& list : lists) {
    out.push_back(on_cluster({"sacct", "--noheader", "--parsable2", "--allocations",
                              "--format=JobID,State,ElapsedRaw,AllocTRES", "--jobs=" + list},
                             cluster));
  }
  return out;
}

std::vector<QueueJob> parse_sacct(std::string_view text) {
  std::vector<QueueJob> out;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, kSeparator);
    if (fields.size() != 4) continue;
    const std::size_t underscore = fields[0].find('_');
    QueueJob job;
    job.id = fields[0].substr(0, underscore);
    if (!parse_digits(job.id)) continue;
    job.state = state_word(fields[1]);
    job.elapsed_seconds = number_or_0(fields[2], kMostSeconds);
    job.gpus = gpus_in(fields[3]);
    if (underscore == std::string_view::npos) out.push_back(job);
    if (underscore == std::string_view::npos) continue;
    for (const std::int64_t index : parse_index_list(fields[0].substr(underscore + 1))) {
      job.index = index;
      out.push_back(job);
    }
  }
  return out;
}

std::vector<std::string> query_environment(std::vector<std::string> environment) {
  environment = submission_environment(std::move(environment));
  const auto changes_output = [](const std::string& variable) {
    for (const char* prefix : {"SQUEUE_", "SACCT_", "SCANCEL_"}) {
      if (starts_with(variable, prefix)) return true;
    }
    return false;
  };
  environment.erase(std::remove_if(environment.begin(), environment.end(), changes_output),
                    environment.end());
  environment.emplace_back("SLURM_TIME_FORMAT=%s");  // times as seconds since the epoch
  return environment;
}

Result<std::vector<QueueJob>> ask_squeue(ProcessRunner& runner, const std::string& user_id,
                                         const std::string& cluster) {
  COMPUTE_SCALE_TRY(
      result, runner.run(squeue_argv(user_id, cluster), query_environment(present_environment())));
  if (result.exit_code == 0) return parse_squeue(result.output);
  const std::string said = on_one_line(result.errors);
  return submit_error(said.empty() ? "squeue ended with exit code " +
                                         std::to_string(result.exit_code) + " and no message"
                                   : said);
}

std::vector<QueueJob> ask_sacct(ProcessRunner& runner, const std::vector<std::string>& ids,
                                const std::string& cluster) {
  std::vector<QueueJob> out;
  for (const auto& argv : sacct_argvs(ids, cluster)) {
    const auto result = runner.run(argv, query_environment(present_environment()));
    if (!result.ok() || result->exit_code != 0) return out;
    const std::vector<QueueJob> jobs = parse_sacct(result->output);
    out.insert(out.end(), jobs.begin(), jobs.end());
  }
  return out;
}

}  // namespace compute_scale
