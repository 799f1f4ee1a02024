#include "slurm_client.h"

#include <algorithm>

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

// Several lines as one, for a message.
std::string on_one_line(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!trim(line).empty()) lines.push_back(printable(trim(line), 500));
  }
  return join(lines, "; ");
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

Result<JobId> SlurmClient::submit(const std::vector<std::string>& argv, std::string& said) {
  COMPUTE_SCALE_TRY(result, runner_.run(argv, environment_));
  said = on_one_line(result.errors);
  if (result.exit_code == 0) return parse_sbatch_answer(result.output);
  return submit_error(said.empty() ? "sbatch ended with exit code " +
                                         std::to_string(result.exit_code) + " and no message"
                                   : said);
}

}  // namespace compute_scale
