#include "task_entry.h"

#include <cstdlib>

#include "hardware.h"
#include "text.h"

namespace compute_scale {
namespace {

using Kind = DocValue::Kind;

// `bash -c` gets it as one argument (MAX_ARG_STRLEN in execve(2)), with the path of a script, which
// has at most 4 KiB, in front.
constexpr std::size_t kLongestCommand = std::size_t{120} * 1024;

Result<GpuAmount> read_compute(const DocField& field) {
  const DocValue& value = field.value();
  if (value.kind != Kind::kNumber && value.kind != Kind::kText) {
    return field.expected("a number of GPUs");
  }
  const bool has_exponent =
      value.kind == Kind::kNumber && value.text.find_first_of("eE") != std::string::npos;
  const Result<GpuAmount> amount =
      has_exponent ? GpuAmount::from_double(std::strtod(value.text.c_str(), nullptr))
                   : GpuAmount::parse(value.text);
  if (!amount.ok()) return field.placed(amount.error());
  return *amount;
}

Result<TimeLimit> read_time(const DocField& field) {
  const DocValue& value = field.value();
  if (value.kind == Kind::kNumber) {
    COMPUTE_SCALE_TRY(minutes, read_whole(field, 1, std::int64_t{365} * 24 * 60));
    return TimeLimit{minutes};
  }
  if (value.kind != Kind::kText) return field.expected("a time limit such as \"12:00:00\"");
  const Result<TimeLimit> limit = parse_time_limit(value.text);
  if (!limit.ok()) return field.placed(limit.error());
  return *limit;
}

Result<MemSize> read_mem(const DocField& field) {
  const DocValue& value = field.value();
  if (value.kind != Kind::kNumber && value.kind != Kind::kText) {
    return field.expected("a number of GB or a size such as \"200G\"");
  }
  const Result<MemSize> size = parse_mem_size(value.text, 'G');
  if (!size.ok()) return field.placed(size.error());
  return *size;
}

// A name that becomes a part of paths.
Result<std::string> read_package_name(const DocField& field) {
  COMPUTE_SCALE_TRY(name, read_line(field));
  if (name[0] == '.' || name.find('/') != std::string::npos) {
    return field.expected("a package name without '/' and without a '.' at its start");
  }
  return name;
}

// What an entry and a profile block have in common.
template <typename Target>
constexpr DocKey<Target> kResourceKeys[] = {
    {"compute", [](const DocField& f, Target& t) { return assign(read_compute(f), t.compute); }},
    {"env", [](const DocField& f, Target& t) { return assign(read_env(f), t.env); }},
    {"time", [](const DocField& f, Target& t) { return assign(read_time(f), t.time); }},
    {"mem", [](const DocField& f, Target& t) { return assign(read_mem(f), t.mem); }},
    {"cpus", [](const DocField& f, Target& t) { return assign(read_count(f), t.cpus); }},
};

constexpr DocKey<Entry> kEntryKeys[] = {
    {"cmd", [](const DocField& f, Entry& e) { return assign(read_command(f), e.cmd); }},
    {"label", [](const DocField& f, Entry& e) { return assign(read_line(f), e.label); }},
    {"group", [](const DocField& f, Entry& e) { return assign(read_count(f, 0), e.group); }},
    {"package",
     [](const DocField& f, Entry& e) { return assign(read_package_name(f), e.package); }},
    {"hidden", [](const DocField& f, Entry& e) { return assign(read_bool(f), e.hidden); }},
    {"use_cuda", [](const DocField& f, Entry& e) { return assign(read_bool(f), e.use_cuda); }},
    {"workdir",
     [](const DocField& f, Entry& e) { return assign(read_absolute_path(f), e.workdir); }},
};

std::vector<std::string> entry_key_names() {
  std::vector<std::string> names = names_of(kEntryKeys);
  for (const std::string& name : names_of(kResourceKeys<Entry>)) names.push_back(name);
  return names;
}

// An object with an unknown key: a profile block, unless it looks like a misspelt `env`.
Status read_profile(const DocField& field, Entry& entry) {
  const std::string hardware = to_lower(field.key());
  if (!is_hardware_name(hardware)) {
    return field.problem(
        "not a hardware name for a profile block: expected letters, digits, '_', '.' and '-', not "
        "\"auto\" and no number");
  }
  if (!nearest(hardware, {"env"}).empty()) return unknown_key(field, {"env"});
  Profile profile;
  COMPUTE_SCALE_CHECK(read_map(field, kResourceKeys<Profile>, profile));
  if (!entry.profiles.emplace(hardware, std::move(profile)).second) {
    return field.problem("the profile block of " + quoted(hardware) + " is there twice");
  }
  return Done{};
}

Status read_entry_field(const DocField& field, Entry& entry) {
  if (const auto* key = find_key(kEntryKeys, field.key())) return key->read(field, entry);
  if (const auto* key = find_key(kResourceKeys<Entry>, field.key())) return key->read(field, entry);
  if (field.value().kind == Kind::kMap) return read_profile(field, entry);
  return unknown_key(field, entry_key_names());
}

bool leaves_folder(std::string_view command) {
  const std::string_view script = command.substr(0, command.find_first_of(" \t"));
  if (starts_with(script, "/")) return true;
  for (const std::string_view part : split(script, '/')) {
    if (part == "..") return true;
  }
  return false;
}

}  // namespace

Result<std::string> read_command(const DocField& field) {
  const std::string command(trim(field.value().text));
  if (field.value().kind != Kind::kText || command.empty()) {
    return field.expected("a command such as \"scripts/train.sh\"");
  }
  if (command.size() > kLongestCommand) {
    return field.problem("the command has " + std::to_string(command.size()) +
                         " bytes, and a program takes at most 128 KiB in one argument; expected a "
                         "script of the task folder that holds it");
  }
  for (const char c : command) {
    if (c != '\t' && has_control({&c, 1})) {
      return field.expected("a command of one line, without control characters");
    }
  }
  if (leaves_folder(command)) {
    return field.expected("a path relative to the task folder, without \"..\"");
  }
  return command;
}

Result<Entry> read_entry(const DocField& field, const std::string& task) {
  COMPUTE_SCALE_CHECK(expect_map(field, "an entry, {\"cmd\": ...}"));
  Entry entry;
  entry.task = task;
  for (std::size_t i = 0; i < field.size(); ++i) {
    COMPUTE_SCALE_CHECK(read_entry_field(field.item(i), entry));
  }
  if (entry.cmd.empty()) return field.problem("the key \"cmd\" is missing");
  return entry;
}

}  // namespace compute_scale
