// The two ways to a scaled job agree: the script that is made for a scale, and the neutral script
// whose submission the plugin rewrites.
#include <gtest/gtest.h>

#include "client_decision.h"
#include "directives.h"
#include "payload.h"
#include "payload_wire.h"
#include "samples.h"
#include "task.h"
#include "text.h"

namespace compute_scale {
namespace {

std::vector<PlanTask> all_tasks() {
  std::vector<PlanTask> out;
  const auto names = list_tasks("tasks");
  if (!names.ok()) ADD_FAILURE() << names.error().text;
  for (const std::string& name : names.ok() ? *names : std::vector<std::string>()) {
    const auto task = load_task("tasks", name);
    if (!task.ok()) {
      ADD_FAILURE() << task.error().text;
      continue;
    }
    out.push_back({name, task->entries, {42}, {}});
  }
  return out;
}

// What the job gets: GPUs and the entry's environment.
struct Outcome {
  std::string gpus;
  EnvList env;
};

std::string gpu_option(const Plan& plan, const Job& job, const RunSettings& settings) {
  for (const std::string& line : *directives(plan, job, settings)) {
    if (starts_with(line, "--gres=")) return line.substr(std::string("--gres=").size());
  }
  return "";
}

// The plugin's decision about the neutral script's request.
Outcome submitted(const std::string& entry, const std::string& gres, const EnvList& base_env) {
  ClientInput input;
  input.command = "sbatch";
  input.site_config = "configs/site.yaml";
  input.scale = "0.5";
  input.entry = entry;
  if (!gres.empty()) input.request = {{"gres", "gres:" + gres, false}};
  const auto decision = decide(input);
  if (!decision.ok()) {
    ADD_FAILURE() << decision.error().text;
    return {};
  }
  Outcome outcome{gres, base_env};
  for (const Setting& setting : decision->request) {
    if (setting.name == "gres") outcome.gpus = setting.value.value_or("");
  }
  for (const Setting& setting : decision->environment) {
    if (setting.name != kPayloadVariable || !setting.value) continue;
    const auto payload = decode_payload(*setting.value);
    EXPECT_TRUE(payload.ok());
    if (payload.ok()) outcome.env = payload->env;
  }
  return outcome;
}

TEST(Neutral, EveryEntryGetsTheSameCountsAndEnvironment) {
  const std::vector<PlanTask> tasks = all_tasks();
  const Plan base = sample_plan(tasks, "1", PackScope::kNone);
  const Plan half = sample_plan(tasks, "0.5", PackScope::kNone);
  ASSERT_EQ(base.jobs.size(), half.jobs.size());
  ASSERT_GE(base.jobs.size(), 30u);
  RunSettings settings = sample_settings(half);
  settings.plugin = true;
  RunSettings neutral = settings;
  neutral.neutral = true;
  for (std::size_t i = 0; i < base.jobs.size(); ++i) {
    const PlanEntry& entry = half.entries[half.steps[i].entry];
    const PlanEntry& base_entry = base.entries[base.steps[i].entry];
    const std::string name = half.tasks[entry.task].name + "/" + entry.entry.label;
    const Outcome outcome =
        submitted(name, gpu_option(base, base.jobs[i], neutral), base_entry.entry.env);
    EXPECT_EQ(outcome.gpus, gpu_option(half, half.jobs[i], settings)) << name;
    EXPECT_EQ(outcome.env, entry.entry.env) << name;
  }
}

}  // namespace
}  // namespace compute_scale
