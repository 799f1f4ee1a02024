#include "step_record.h"

#include <sys/stat.h>

#include <cerrno>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "doc_field.h"
#include "read_file.h"
#include "text.h"

namespace compute_scale {
namespace {

constexpr const char* kStates[] = {"running", "done", "failed", "timeout", "cancelled"};

Status read_state(const DocField& field, StepRecord& record) {
  for (std::size_t i = 0; i < std::size(kStates); ++i) {
    if (field.value().kind != DocValue::Kind::kText || field.value().text != kStates[i]) continue;
    record.state = static_cast<StepState>(i);
    return Done{};
  }
  return field.expected("running, done, failed, timeout or cancelled");
}

template <std::string StepRecord::*Member>
Status read_text(const DocField& field, StepRecord& record) {
  if (field.value().kind != DocValue::Kind::kText) return field.expected("a text");
  record.*Member = field.value().text;
  return Done{};
}

template <auto Member>
Status read_number(const DocField& field, StepRecord& record) {
  COMPUTE_SCALE_TRY(number, read_whole(field, 0, std::numeric_limits<std::int32_t>::max()));
  record.*Member = static_cast<int>(number);
  return Done{};
}

Status read_seed(const DocField& field, StepRecord& record) {
  return assign(read_whole(field, 0, std::numeric_limits<std::int64_t>::max()), record.seed);
}

constexpr DocKey<StepRecord> kKeys[] = {
    {"step", read_text<&StepRecord::step>},
    {"seed", read_seed},
    {"base_compute", read_text<&StepRecord::base_compute>},
    {"compute", read_text<&StepRecord::compute>},
    {"compute_scale", read_text<&StepRecord::compute_scale>},
    {"devices", read_text<&StepRecord::devices>},
    {"state", read_state},
    {"exit_code", read_number<&StepRecord::exit_code>},
    {"elapsed_seconds", read_number<&StepRecord::elapsed_seconds>},
    {"attempt", read_number<&StepRecord::attempt>},
    {"job_id", read_text<&StepRecord::job_id>},
    {"array_job_id", read_text<&StepRecord::array_job_id>},
    {"array_task_id", read_text<&StepRecord::array_task_id>},
    {"node", read_text<&StepRecord::node>},
    {"started", read_text<&StepRecord::started>},
    {"written", read_text<&StepRecord::written>},
};

bool has_member(const DocField& map, std::string_view name) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map.item(i).key() == name) return true;
  }
  return false;
}

}  // namespace

std::string to_string(StepState state) {
  return kStates[static_cast<std::size_t>(state)];
}

Result<StepRecord> parse_step_record(std::string_view text, const std::string& file) {
  COMPUTE_SCALE_TRY(document, parse_json(text, file));
  const DocField root(document, DocFormat::kJson, file);
  COMPUTE_SCALE_CHECK(expect_map(root, "the record of a step"));
  StepRecord record;
  COMPUTE_SCALE_CHECK(read_record(root, kKeys, record));
  if (!has_member(root, "state")) return root.problem("the record has no state");
  return record;
}

Result<std::optional<StepRecord>> load_step_record(const std::string& file) {
  struct stat unused = {};
  if (stat(file.c_str(), &unused) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    return std::optional<StepRecord>();
  }
  COMPUTE_SCALE_TRY(text, read_text_file(file));
  COMPUTE_SCALE_TRY(record, parse_step_record(text, file));
  return std::optional<StepRecord>(std::move(record));
}

std::string step_record_json(const StepRecord& record) {
  nlohmann::ordered_json json;
  json["step"] = record.step;
  json["seed"] = record.seed;
  json["base_compute"] = record.base_compute;
  if (!record.compute.empty()) json["compute"] = record.compute;
  json["compute_scale"] = record.compute_scale;
  json["devices"] = record.devices;
  json["state"] = to_string(record.state);
  json["exit_code"] = nullptr;
  if (record.exit_code) json["exit_code"] = *record.exit_code;
  json["elapsed_seconds"] = nullptr;
  if (record.elapsed_seconds) json["elapsed_seconds"] = *record.elapsed_seconds;
  json["attempt"] = record.attempt;
  json["job_id"] = record.job_id;
  if (!record.array_job_id.empty()) json["array_job_id"] = record.array_job_id;
  if (!record.array_task_id.empty()) json["array_task_id"] = record.array_task_id;
  json["node"] = record.node;
  json["started"] = record.started;
  json["written"] = record.written;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace compute_scale
