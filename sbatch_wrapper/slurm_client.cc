#include "slurm_client.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "client_environment.h"
#include "payload_wire.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr std::string_view kSlurmPrefixes[] = {"SLURM_", "SBATCH_", "SALLOC_", "SRUN_"};

bool is_of_a_job(std::string_view variable) {
  if (starts_with(variable, "SLURM_CONF=")) return false;
  return std::any_of(std::begin(kSlurmPrefixes), std::end(kSlurmPrefixes),
                     [&](std::string_view prefix) { return starts_with(variable, prefix); });
}

// Undoes what the plugin has set in a surrounding job: variables of its entry are no user's wish.
void leave_scaled_job(std::vector<std::string>& variables) {
  ClientEnvironment environment(variables);
  const char* payload = environment.get(kPayloadVariable);
  if (payload == nullptr) return;
  ClientInput input;
  input.job_payload = payload;
  environment.leave_job(input);
  for (const Setting& change : environment.changes()) {
    const std::string start = change.name + "=";
    variables.erase(
        std::remove_if(variables.begin(), variables.end(),
                       [&](const std::string& variable) { return starts_with(variable, start); }),
        variables.end());
    if (change.value) variables.push_back(start + *change.value);
  }
}

bool parse_id_line(std::string_view line, JobId& job) {
  const std::size_t semicolon = line.find(';');
  const std::string_view id = line.substr(0, semicolon);
  if (!parse_digits(id)) return false;
  const std::string_view cluster =
      semicolon == std::string_view::npos ? "" : line.substr(semicolon + 1);
  if (cluster.find_first_of(" \t;") != std::string_view::npos) return false;
  job = {std::string(id), std::string(cluster)};
  return true;
}

// Whether these words of sbatch say that it does not know what the controller has done.
bool lost_controller(const std::string& said) {
  static constexpr std::string_view kSigns[] = {
      "timed out",          "timeout",       "unable to contact", "connect", "zero bytes",
      "unexpected message", "communication", "temporarily unable"};
  const std::string text = to_lower(said);
  return std::any_of(std::begin(kSigns), std::end(kSigns),
                     [&](std::string_view sign) { return text.find(sign) != std::string::npos; });
}

}  // namespace

Result<JobId> parse_sbatch_answer(std::string_view output) {
  JobId job;
  bool found = false;
  for (const std::string_view line : split(output, '\n')) {
    found = parse_id_line(trim(line), job) || found;
  }
  if (found) return job;
  return submit_error("sbatch printed no job id, but " + quoted(trim(output)));
}

std::vector<std::string> submission_environment(std::vector<std::string> environment) {
  leave_scaled_job(environment);
  environment.erase(std::remove_if(environment.begin(), environment.end(), is_of_a_job),
                    environment.end());
  return environment;
}

std::optional<JobId> find_by_name(const std::vector<QueueJob>& queue, const std::string& name,
                                  std::int64_t since) {
  constexpr std::int64_t kClocks = 300;  // by which two hosts' clocks may differ, in seconds
  for (const QueueJob& job : queue) {
    const bool before = job.submitted > 0 && job.submitted + kClocks < since;
    if (job.name == name && !before) return JobId{job.id, ""};
  }
  return std::nullopt;
}

SbatchAnswer SlurmClient::submit(const std::vector<std::string>& argv) {
  using Kind = SbatchAnswer::Kind;
  const auto result = runner_.run(argv, environment_);
  if (!result.ok()) return {Kind::kRefused, {}, result.error().text};
  std::string said = on_one_line(result->errors);
  if (result->exit_code == 0) {
    const auto job = parse_sbatch_answer(result->output);
    if (job.ok()) return {Kind::kTaken, *job, said};
    return {Kind::kUnclear, {}, job.error().text};
  }
  const Kind kind =
      result->exit_code > 128 || lost_controller(said) ? Kind::kUnclear : Kind::kRefused;
  if (said.empty()) {
    said = "sbatch ended with exit code " + std::to_string(result->exit_code) + " and no message";
  }
  return {kind, {}, said};
}

Result<std::string> SlurmClient::output_of(const std::vector<std::string>& argv) {
  COMPUTE_SCALE_TRY(result, runner_.run(argv, environment_));
  if (result.exit_code == 0) return std::move(result.output);
  const std::string said = on_one_line(result.errors);
  return submit_error(said.empty() ? argv.front() + " ended with exit code " +
                                         std::to_string(result.exit_code) + " and no message"
                                   : said);
}

Result<std::vector<QueueJob>> SlurmClient::queue() {
  return ask_squeue(runner_, std::to_string(geteuid()), "");
}

std::map<std::string, std::string> SlurmClient::history(std::int64_t since) {
  std::map<std::string, std::string> out;
  const std::time_t start = since;
  std::tm parts = {};
  char text[32];
  if (localtime_r(&start, &parts) == nullptr) return out;
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  const auto output = output_of({"sacct", "--noheader", "--parsable2", "--allocations",
                                 "--format=JobID,JobName", std::string("--starttime=") + text});
  if (!output.ok()) return out;
  for (const std::string_view line : split(*output, '\n')) {
    const std::size_t bar = line.find('|');
    const std::string_view id = line.substr(0, line.find_first_of("_|"));
    if (bar == std::string_view::npos || !parse_digits(id)) continue;
    out[std::string(line.substr(bar + 1))] = id;
  }
  return out;
}

Status SlurmClient::cancel(const std::vector<std::string>& ids) {
  std::vector<std::string> argv = {"scancel"};
  argv.insert(argv.end(), ids.begin(), ids.end());
  COMPUTE_SCALE_CHECK(output_of(argv));
  return Done{};
}

Result<bool> SlurmClient::has_option(const std::string& name) {
  COMPUTE_SCALE_TRY(output, output_of({"sbatch", "--help"}));
  return output.find(" " + name + "=") != std::string::npos;
}

// "slurm 22.05.8", on Debian "slurm-wlm 22.05.8".
Result<std::string> SlurmClient::version() {
  COMPUTE_SCALE_TRY(output, output_of({"sbatch", "--version"}));
  const std::string_view line = trim(output);
  return std::string(line.substr(line.find_last_of(' ') + 1));
}

Result<std::vector<ClusterNode>> SlurmClient::nodes() {
  COMPUTE_SCALE_TRY(
      output, output_of({"sinfo", "--noheader", "--Node", std::string("--format=") + kNodeFormat}));
  return parse_nodes(output);
}

Result<std::vector<ClusterPartition>> SlurmClient::partitions() {
  COMPUTE_SCALE_TRY(output, output_of({"sinfo", "--noheader", "--all",
                                       std::string("--format=") + kPartitionFormat}));
  return parse_partitions(output);
}

Result<std::map<std::string, std::string>> SlurmClient::configuration() {
  COMPUTE_SCALE_TRY(output, output_of({"scontrol", "show", "config"}));
  std::map<std::string, std::string> out;
  for (const std::string_view line : split(output, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    out.emplace(trim(line.substr(0, equals)), trim(line.substr(equals + 1)));
  }
  return out;
}

Result<std::int64_t> SlurmClient::max_array_size() {
  COMPUTE_SCALE_TRY(config, configuration());
  const auto size = parse_digits(config["MaxArraySize"]);
  if (size) return *size;
  return submit_error("scontrol show config names no MaxArraySize");
}

}  // namespace compute_scale
