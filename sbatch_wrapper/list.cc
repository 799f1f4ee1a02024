#include <nlohmann/json.hpp>

#include "selection.h"
#include "text.h"
#include "verbs.h"

namespace compute_scale {
namespace {

using Json = nlohmann::ordered_json;

std::string group_text(const Entry& entry) {
  return entry.group ? std::to_string(*entry.group) : "-";
}

// "h200: 2" for each profile block.
std::string profiles_text(const Entry& entry) {
  std::vector<std::string> parts;
  for (const auto& [hardware, profile] : entry.profiles) {
    parts.push_back(hardware + ": " + profile.compute.value_or(entry.compute).to_string());
  }
  return parts.empty() ? "-" : join(parts, ", ");
}

std::string as_table(const std::vector<Task>& tasks) {
  using Align = Table::Align;
  Table table({{"TASK/LABEL", Align::kLeft},
               {"GROUP", Align::kRight},
               {"GPUS", Align::kRight},
               {"PROFILES", Align::kLeft},
               {"TIME", Align::kRight},
               {"PACKAGE", Align::kLeft}});
  for (const Task& task : tasks) {
    for (const Entry& entry : task.entries) {
      table.add({printable(task.name + "/" + entry.label), group_text(entry),
                 entry.compute.to_string(), profiles_text(entry), to_string(entry.time),
                 entry.package.empty() ? "-" : entry.package});
    }
  }
  return table.text();
}

std::string as_json(const std::vector<Task>& tasks) {
  Json out = Json::array();
  for (const Task& task : tasks) {
    for (const Entry& entry : task.entries) {
      Json json;
      json["task"] = task.name;
      json["label"] = entry.label;
      json["cmd"] = entry.cmd;
      json["group"] = entry.group ? Json(*entry.group) : Json(nullptr);
      json["compute"] = entry.compute.to_string();
      json["time_minutes"] = entry.time.minutes;
      json["package"] = entry.package.empty() ? Json(nullptr) : Json(entry.package);
      json["hidden"] = entry.hidden;
      json["seeds"] = task.seeds;
      json["profiles"] = Json::object();
      for (const auto& [hardware, profile] : entry.profiles) {
        json["profiles"][hardware] = profile.compute.value_or(entry.compute).to_string();
      }
      out.push_back(std::move(json));
    }
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<int> run_list(const Context& context, const Reporter& reporter) {
  COMPUTE_SCALE_TRY(selection,
                    select_tasks(context.tasks_dir, context.options, WithoutPatterns::kAll));
  const bool printed =
      print(context.options.json ? as_json(selection.tasks) : as_table(selection.tasks));
  const int status = report_errors(reporter, selection.errors);
  return printed ? status : 1;
}

}  // namespace compute_scale
