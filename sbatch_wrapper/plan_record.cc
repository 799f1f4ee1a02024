#include "plan_record.h"

#include <algorithm>
#include <map>

#include "members.h"

namespace compute_scale {

// Behind the types and in front of their use, as Members finds them by their type.
static Status read_value(const DocField& field, EnvList& env) {
  COMPUTE_SCALE_CHECK(expect_map(field, "an object"));
  env.clear();
  for (std::size_t i = 0; i < field.size(); ++i) {
    env.emplace_back(field.item(i).key(), field.item(i).value().text);
  }
  return Done{};
}

static Status read_value(const DocField& field, GpuAmount& amount) {
  std::string text;
  COMPUTE_SCALE_CHECK(read_value(field, text));
  auto parsed = GpuAmount::parse(text);
  if (!parsed.ok()) return field.placed(parsed.error());
  amount = *parsed;
  return Done{};
}

static Status read_value(const DocField& field, MemSize& size) {
  return read_value(field, size.mib);
}

namespace {

struct TaskMembers {
  std::string name, dir;
  EnvList run_env;
};

struct EntryMembers {
  std::string task;
  PlanEntry entry;
};

}  // namespace

static Status read_value(const DocField& field, TaskMembers& task) {
  return Members(field)
      .need("name", task.name)
      .need("dir", task.dir)
      .may("run_env", task.run_env)
      .status();
}

static Status read_value(const DocField& field, EntryMembers& members) {
  Entry& entry = members.entry.entry;
  return Members(field)
      .need("task", members.task)
      .need("label", entry.label)
      .need("cmd", entry.cmd)
      .need("group", members.entry.group)
      .need("stage", members.entry.stage)
      .may("hidden", entry.hidden)
      .may("package", entry.package)
      .need("base_compute", members.entry.base_compute)
      .need("compute", entry.compute)
      .need("time_minutes", entry.time.minutes)
      .may("mem_mib", entry.mem)
      .may("cpus", entry.cpus)
      .may("workdir", entry.workdir)
      .need("env", entry.env)
      .status();
}

static Status read_value(const DocField& field, Step& step) {
  return Members(field).need("entry", step.entry).need("seed", step.seed).status();
}

static Status read_value(const DocField& field, Lane& lane) {
  return Members(field).need("devices", lane.devices).need("steps", lane.steps).status();
}

static Status read_value(const DocField& field, Job& job) {
  return Members(field)
      .need("name", job.name)
      .need("devices", job.devices)
      .need("time_minutes", job.time.minutes)
      .need("mem_mib", job.mem)
      .need("cpus", job.cpus)
      .need("after", job.after)
      .need("lanes", job.lanes)
      .status();
}

static Status read_value(const DocField& field, Scale& scale) {
  std::string factor;
  COMPUTE_SCALE_CHECK(
      Members(field).need("compute_scale", factor).may("hardware", scale.hardware).status());
  auto parsed = ScaleFactor::parse(factor);
  if (!parsed.ok()) return field.placed(parsed.error());
  scale.factor = *parsed;
  return Done{};
}

static Status read_value(const DocField& field, RunSettings& settings) {
  std::string runtime;
  COMPUTE_SCALE_CHECK(Members(field)
                          .need("exp_name", settings.exp_name)
                          .need("save_path", settings.save_path)
                          .need("container_runtime", runtime)
                          .may("local", settings.local)
                          .may("workspace_root", settings.workspace_root)
                          .may("data_root", settings.data_root)
                          .may("project_root", settings.project_root)
                          .status());
  auto backend = parse_backend(runtime);
  if (!backend.ok()) return field.placed(backend.error());
  settings.backend = *backend;
  return Done{};
}

// Nothing behind this looks again whether an index leads somewhere.
static Status check(const Plan& plan, const std::string& file) {
  const auto wrong = [&](const char* what) {
    return task_error(file + ": names a " + what + " that it does not have");
  };
  for (const Step& step : plan.steps) {
    if (step.entry >= plan.entries.size()) return wrong("entry");
  }
  for (const Job& job : plan.jobs) {
    for (const Lane& lane : job.lanes) {
      for (const std::size_t step : lane.steps) {
        if (step >= plan.steps.size()) return wrong("step");
      }
    }
  }
  return Done{};
}

Result<PlanRecord> parse_plan_record(std::string_view text, const std::string& file) {
  COMPUTE_SCALE_TRY(document, parse_json(text, file));
  PlanRecord record;
  std::vector<TaskMembers> tasks;
  std::vector<EntryMembers> entries;
  COMPUTE_SCALE_CHECK(Members(DocField(document, DocFormat::kJson, file))
                          .need("run", record.settings)
                          .need("scale", record.plan.scale)
                          .need("tasks", tasks)
                          .need("entries", entries)
                          .need("steps", record.plan.steps)
                          .need("jobs", record.plan.jobs)
                          .status());
  std::map<std::string, std::size_t> numbers;
  for (TaskMembers& task : tasks) {
    numbers[task.name] = record.plan.tasks.size();
    record.settings.task_dirs[task.name] = task.dir;
    record.plan.tasks.push_back({task.name, std::move(task.run_env)});
  }
  for (EntryMembers& members : entries) {
    const auto number = numbers.find(members.task);
    if (number == numbers.end()) {
      return task_error(file + ": names a task that it does not have");
    }
    members.entry.task = number->second;
    members.entry.entry.task = members.task;
    record.plan.entries.push_back(std::move(members.entry));
  }
  COMPUTE_SCALE_CHECK(check(record.plan, file));
  return record;
}

}  // namespace compute_scale
