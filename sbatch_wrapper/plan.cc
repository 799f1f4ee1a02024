#include "plan.h"

#include <fmt/format.h>

#include <optional>

#include "gantt.h"
#include "macro_batch.h"
#include "makespan.h"
#include "manifest.h"
#include "plan_figures.h"
#include "planning.h"
#include "read_file.h"
#include "run_dir.h"
#include "text.h"
#include "verbs.h"

namespace compute_scale {
namespace {

std::string change(const std::string& base, const std::string& scaled) {
  return base == scaled ? base : base + " -> " + scaled;
}

std::optional<std::int64_t> variable(const EnvList& env, std::string_view name) {
  for (const auto& [known, value] : env) {
    if (known == name) return parse_digits(value);
  }
  return std::nullopt;
}

std::string macro_batch(const EnvList& env) {
  const auto batch = variable(env, "BATCH_SIZE");
  const auto accum = variable(env, "GRAD_ACCUM");
  if (!batch || !accum || *batch > 1000000000 || *accum > 1000000000) return "-";
  return std::to_string(*batch * *accum);
}

// The first training on several GPUs of each task, as an index into the plan's entries, or nothing.
std::vector<std::optional<std::size_t>> first_trainings(const Plan& plan) {
  std::vector<std::optional<std::size_t>> out(plan.tasks.size());
  for (std::size_t i = 0; i < plan.entries.size(); ++i) {
    const PlanEntry& entry = plan.entries[i];
    if (!out[entry.task] && entry.base_compute > GpuAmount::whole(1)) out[entry.task] = i;
  }
  return out;
}

// The macro-batch of an entry, from its script's defaults and its environment at base and at the
// scale; "-" where the script states none.
std::string macro_batch_of(const Planned& planned, std::optional<std::size_t> entry) {
  if (!entry) return "-";
  const PlanEntry& scaled = planned.plan.entries[*entry];
  const std::string script = split_command(scaled.entry.cmd).script;
  const auto text = read_text_file(planned.tasks[scaled.task].dir + "/" + script);
  if (script.empty() || !text.ok()) return "-";
  const EnvList defaults = script_defaults(*text);
  return change(macro_batch(overlay(defaults, planned.base.entries[*entry].entry.env)),
                macro_batch(overlay(defaults, scaled.entry.env)));
}

std::string hours(GpuTime time) {
  return short_number(time.hours(), 1);
}

std::string count(std::size_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string scale_text(const Scale& scale) {
  const std::string factor = scale.factor.to_string();
  return scale.hardware.empty() ? factor : factor + " (" + scale.hardware + ")";
}

// What `jobs` jobs of the plan request, and how that compares with the least that any could.
std::string total(const Plan& plan, const std::string& what, std::size_t jobs, GpuTime requested) {
  const double least = lower_bound_gpu_time(plan).hours();
  std::string out = "at " + scale_text(plan.scale) + what + ": " + count(jobs, "job") + ", " +
                    hours(requested) + " GPU-hours requested";
  if (least > 0) {
    out += ", " + fmt::format("{:.2f}", requested.hours() / least) + " x the lower bound of " +
           short_number(least, 1);
  }
  return out + "\n";
}

std::string totals(const Plan& plan) {
  return total(plan, "", plan.jobs.size(), requested_gpu_time(plan)) +
         total(plan, ", unpacked", plan.steps.size(), unpacked_gpu_time(plan));
}

std::string as_table(const Planned& planned) {
  using Align = Table::Align;
  const std::vector<TaskFigures> base = figures_by_task(planned.base);
  const std::vector<TaskFigures> scaled = figures_by_task(planned.plan);
  const auto trainings = first_trainings(planned.plan);
  Table table({{"TASK", Align::kLeft},
               {"ENTRIES", Align::kRight},
               {"GPUS", Align::kRight},
               {"MACRO-BATCH", Align::kRight},
               {"JOBS", Align::kRight},
               {"GPU-HOURS", Align::kRight}});
  for (std::size_t i = 0; i < planned.plan.tasks.size(); ++i) {
    table.add({planned.plan.tasks[i].name, std::to_string(scaled[i].entries),
               change(std::to_string(base[i].gpus), std::to_string(scaled[i].gpus)),
               macro_batch_of(planned, trainings[i]),
               change(std::to_string(base[i].jobs), std::to_string(scaled[i].jobs)),
               change(hours(base[i].requested), hours(scaled[i].requested))});
  }
  table.rule();
  table.add(
      {count(planned.plan.tasks.size(), "task"), std::to_string(planned.plan.entries.size()), "",
       "",
       change(std::to_string(planned.base.jobs.size()), std::to_string(planned.plan.jobs.size())),
       change(hours(requested_gpu_time(planned.base)), hours(requested_gpu_time(planned.plan)))});
  std::string out = table.text() + "\n";
  if (!planned.plan.scale.factor.is_one()) out += totals(planned.base);
  return out + totals(planned.plan);
}

}  // namespace

Result<int> run_plan(const Context& context, const Reporter& reporter) {
  COMPUTE_SCALE_TRY(planned, plan_run(context, Packages::kIfThere, reporter));
  const Options& options = context.options;
  if (!options.gantt.empty()) {
    const Schedule scheduled = schedule(planned.plan, options.devices);
    COMPUTE_SCALE_CHECK(write_file(options.gantt, gantt_svg(planned.plan, scheduled)));
  }
  const std::string text = options.json ? plan_json(planned.plan, planned.base) : as_table(planned);
  return print(text) ? 0 : 1;
}

}  // namespace compute_scale
