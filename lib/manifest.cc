#include "manifest.h"

#include <nlohmann/json.hpp>

#include "directives.h"
#include "run_layout.h"

namespace compute_scale {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

Json env_json(const EnvList& env) {
  Json out = Json::object();
  for (const auto& [name, value] : env) out[name] = value;
  return out;
}

Json scale_json(const Scale& scale) {
  Json out;
  out["compute_scale"] = scale.factor.to_string();
  out["hardware"] = scale.hardware.empty() ? Json(nullptr) : Json(scale.hardware);
  return out;
}

Json entry_json(const Plan& plan, const PlanEntry& planned) {
  const Entry& entry = planned.entry;
  Json out;
  out["task"] = plan.tasks[planned.task].name;
  out["label"] = entry.label;
  out["cmd"] = entry.cmd;
  out["group"] = planned.group;
  out["stage"] = planned.stage;
  out["hidden"] = entry.hidden;
  out["package"] = entry.package.empty() ? Json(nullptr) : Json(entry.package);
  out["base_compute"] = planned.base_compute.to_string();
  out["compute"] = entry.compute.to_string();
  out["time_minutes"] = entry.time.minutes;
  if (entry.mem) out["mem_mib"] = entry.mem->mib;
  if (entry.cpus) out["cpus"] = *entry.cpus;
  if (!entry.workdir.empty()) out["workdir"] = entry.workdir;
  out["env"] = env_json(entry.env);
  return out;
}

Json job_json(const Job& job) {
  Json out;
  out["name"] = job.name;
  out["devices"] = job.devices;
  out["time_minutes"] = job.time.minutes;
  out["mem_mib"] = job.mem.mib;
  out["cpus"] = job.cpus;
  out["after"] = job.after;
  out["lanes"] = Json::array();
  for (const Lane& lane : job.lanes) {
    Json lane_json;
    lane_json["devices"] = lane.devices;
    lane_json["steps"] = lane.steps;
    out["lanes"].push_back(std::move(lane_json));
  }
  return out;
}

Json tasks_json(const Plan& plan, const RunSettings* run) {
  Json out = Json::array();
  for (const PlannedTask& task : plan.tasks) {
    Json task_json;
    task_json["name"] = task.name;
    if (run != nullptr) task_json["dir"] = run->task_dirs.at(task.name);
    if (!task.run_env.empty()) task_json["run_env"] = env_json(task.run_env);
    out.push_back(std::move(task_json));
  }
  return out;
}

Json steps_json(const Plan& plan, const RunSettings* run) {
  Json out = Json::array();
  for (const Step& step : plan.steps) {
    Json step_json;
    step_json["entry"] = step.entry;
    step_json["seed"] = step.seed;
    if (run != nullptr) {
      step_json["log"] = step_log_path(plan, step);
      step_json["result"] = step_result_path(plan, step);
    }
    out.push_back(std::move(step_json));
  }
  return out;
}

Json jobs_json(const Plan& plan, const RunSettings* run) {
  Json out = Json::array();
  for (const Job& job : plan.jobs) {
    Json json = job_json(job);
    if (run != nullptr) {
      json["slurm_name"] = slurm_job_name(job.name, run->run_dir);
      json["script"] = script_path(job);
      json["log"] = job_log_path(job);
      // What cannot be said to sbatch has made no script, and so no run.
      json["directives"] = Json::array();
      const auto options = directives(plan, job, *run);
      if (options.ok() && !run->local) json["directives"] = *options;
    }
    out.push_back(std::move(json));
  }
  return out;
}

Json run_json(const RunSettings& run) {
  Json out;
  out["exp_name"] = run.exp_name;
  out["run_dir"] = run.run_dir;
  out["save_path"] = run.save_path;
  out["container_runtime"] = to_string(run.backend);
  out["neutral"] = run.neutral;
  out["plugin"] = run.plugin;
  out["config_file"] = run.config_file;
  out["sbatch_args"] = run.sbatch_args;
  if (run.local) out["local"] = true;
  out["workspace_root"] = run.workspace_root;
  out["data_root"] = run.data_root;
  out["project_root"] = run.project_root;
  if (run.slurm.max_running) out["max_running"] = *run.slurm.max_running;
  return out;
}

Json gpu_hours_json(const Plan& plan) {
  Json out;
  out["requested"] = requested_gpu_time(plan).hours();
  out["lower_bound"] = lower_bound_gpu_time(plan).hours();
  out["one_job_per_step"] = unpacked_gpu_time(plan).hours();
  return out;
}

// `base`, the same plan at scale 1, only where there is one.
std::string whole(const Plan& plan, const RunSettings* run, const Plan* base) {
  Json out;
  out["version"] = kVersion;
  if (run != nullptr) out["run"] = run_json(*run);
  out["scale"] = scale_json(plan.scale);
  out["pack"] = to_string(plan.pack);
  out["gpu_hours"] = gpu_hours_json(plan);
  if (base != nullptr) out["base_gpu_hours"] = gpu_hours_json(*base);
  out["tasks"] = tasks_json(plan, run);
  out["entries"] = Json::array();
  for (const PlanEntry& entry : plan.entries) out["entries"].push_back(entry_json(plan, entry));
  out["steps"] = steps_json(plan, run);
  out["jobs"] = jobs_json(plan, run);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string plan_json(const Plan& plan, const Plan& base) {
  return whole(plan, nullptr, &base);
}

std::string manifest_json(const Plan& plan, const RunSettings& settings) {
  return whole(plan, &settings, nullptr);
}

}  // namespace compute_scale
