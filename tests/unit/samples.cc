#include "samples.h"

#include <gtest/gtest.h>

#include "task.h"

namespace compute_scale {

const char* const kPretrainCmds = R"([
  {"cmd": "scripts/gpt.sh", "label": "gpt", "group": 1, "compute": 4.0, "time": "12:00:00",
   "package": "nanoGPT", "env": {"BATCH_SIZE": "32", "GRAD_ACCUM": "16"},
   "h200": {"compute": 2.0, "env": {"BATCH_SIZE": "64", "GRAD_ACCUM": "8"}}},
  {"cmd": "scripts/eval.sh", "label": "eval", "group": 2, "compute": 1.0, "time": "1:00:00",
   "package": "nanoGPT", "hidden": true}])";

PlanTask sample_task(const std::string& name, const std::string& test_cmds,
                     std::vector<std::int64_t> seeds) {
  auto task = parse_task("{\"test_cmds\": " + test_cmds + "}", name, "/tasks/" + name,
                         name + "/config.json");
  if (!task.ok()) {
    ADD_FAILURE() << task.error().text;
    return {};
  }
  return {name, task->entries, std::move(seeds), {}};
}

Scale sample_scale(const std::string& factor) {
  const Scale scale{*ScaleFactor::parse(factor), ""};
  if (factor == "0.5") return {scale.factor, "h200"};
  return scale.factor.is_one() ? Scale{scale.factor, "h100"} : scale;
}

Plan sample_plan(const std::vector<PlanTask>& tasks, const std::string& factor, PackScope pack) {
  PlanOptions options;
  options.scale = sample_scale(factor);
  options.pack = pack;
  return build_plan(tasks, options);
}

RunSettings sample_settings(const Plan& plan) {
  RunSettings settings;
  settings.exp_name = "r1";
  settings.run_dir = "/runs/r1";
  settings.save_path = "/results";
  settings.workspace_root = "/vendor/workspace";
  settings.data_root = "/data root";
  settings.project_root = "/project";
  settings.home = "/home/u";
  for (const PlannedTask& task : plan.tasks) settings.task_dirs[task.name] = "/tasks/" + task.name;
  for (const char* text : {
           R"(nanoGPT {"image": "{project_root}/images/nanoGPT.sif", "writable_tmpfs": true,
              "no_home": true, "env": {"DATA_DIR": "/data/climbmix",
              "PYTHONPATH": "/workspace/nanoGPT:${PYTHONPATH}"},
              "data_deps": [{"host": "{data_root}/climbmix", "container": "/data/climbmix"},
                {"host": "{data_root}/extra", "container": "/data/extra", "optional": true}]})",
           R"(verl {"image": "/images/verl.sif", "apptainer_flags": ["--contain"], "no_home": true,
              "env": {"VLLM_USE_V1": "1"}})",
           R"(demo {"image": ""})"}) {
    const std::string all = text;
    const std::string name = all.substr(0, all.find(' '));
    auto package = parse_package(all.substr(all.find(' ')), name, name + ".json");
    if (!package.ok()) {
      ADD_FAILURE() << package.error().text;
      continue;
    }
    settings.packages[name] = *package;
  }
  return settings;
}

}  // namespace compute_scale
