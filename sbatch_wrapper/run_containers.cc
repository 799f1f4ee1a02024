#include "run_containers.h"

#include <algorithm>
#include <set>

#include "text.h"

namespace compute_scale {
namespace {

std::string engine_of(const RunRecord& run) {
  if (starts_with(run.container_runtime, "docker")) return "docker";
  return run.container_runtime == "podman" ? "podman" : "";
}

Result<std::string> output_of(const std::vector<std::string>& argv, ProcessRunner& runner) {
  COMPUTE_SCALE_TRY(result, runner.run(argv, present_environment()));
  if (result.exit_code == 0) return std::move(result.output);
  return submit_error(argv.front() + ": " + on_one_line(result.errors));
}

// The steps that run, as their containers are labelled.
std::set<std::string> running_steps(const RunRecord& run, const RunStatus& status) {
  std::set<std::string> out;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    if (status.steps[i].phase != StepPhase::kRunning) continue;
    out.insert(run.steps[i].name + " seed " + std::to_string(run.steps[i].seed));
  }
  return out;
}

}  // namespace

std::vector<RunContainer> parse_containers(std::string_view text) {
  std::vector<RunContainer> out;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t first = line.find('|');
    const std::size_t second = line.find('|', first + 1);  // npos + 1 is 0: found only with first
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    RunContainer container;
    container.name = line.substr(0, first);
    if (starts_with(container.name, "/")) container.name.erase(0, 1);
    container.job = line.substr(first + 1, second - first - 1);
    container.step = line.substr(second + 1);
    out.push_back(std::move(container));
  }
  return out;
}

Result<std::vector<RunContainer>> orphaned_containers(const RunRecord& run, const RunStatus& status,
                                                      ProcessRunner& runner) {
  const std::string engine = engine_of(run);
  if (engine.empty()) return std::vector<RunContainer>();
  COMPUTE_SCALE_TRY(ids, output_of({engine, "ps", "--quiet", "--no-trunc", "--filter",
                                    "label=compute-scale.run=" + run.run_dir},
                                   runner));
  std::vector<std::string> argv = {engine, "inspect", "--format",
                                   R"({{.Name}}|{{index .Config.Labels "compute-scale.job"}}|)"
                                   R"({{index .Config.Labels "compute-scale.step"}})"};
  const std::size_t options = argv.size();
  for (const std::string_view id : split(ids, '\n')) {
    if (!trim(id).empty()) argv.emplace_back(trim(id));
  }
  if (argv.size() == options) return std::vector<RunContainer>();
  // One that ends meanwhile makes it fail, and the others are told all the same.
  COMPUTE_SCALE_TRY(told, runner.run(argv, present_environment()));
  std::vector<RunContainer> out = parse_containers(told.output);
  const std::set<std::string> running = running_steps(run, status);
  // A container that several steps share has no step of its own: it goes with the last of them.
  const auto in_use = [&](const RunContainer& container) {
    return container.step.empty() ? !running.empty() : running.count(container.step) > 0;
  };
  out.erase(std::remove_if(out.begin(), out.end(), in_use), out.end());
  return out;
}

}  // namespace compute_scale
