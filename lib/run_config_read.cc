// The part of run_config.h that reads YAML.
#include <algorithm>
#include <exception>
#include <filesystem>

#include "backend.h"
#include "doc_field.h"
#include "doc_value.h"
#include "hardware_table.h"
#include "read_file.h"
#include "run_config.h"
#include "text.h"

namespace compute_scale {
namespace {

namespace fs = std::filesystem;

using Kind = DocValue::Kind;

// A config that is being read, with what its paths refer to.
struct Draft {
  RunConfig config;
  std::string base_dir, home;
};

// The rest of `path` behind a mark of the user's home at its start, or nothing.
std::optional<std::string_view> below_home(std::string_view path) {
  for (const std::string_view mark : {"~", "${HOME}", "$HOME"}) {
    if (!starts_with(path, mark)) continue;
    const std::string_view rest = path.substr(mark.size());
    if (rest.empty() || rest[0] == '/') return rest;
  }
  return std::nullopt;
}

Result<std::string> read_path(const DocField& field, const Draft& draft) {
  COMPUTE_SCALE_TRY(text, read_line(field));
  fs::path path = text;
  if (const auto rest = below_home(text)) {
    if (draft.home.empty()) return field.expected("a path; the home folder is not known here");
    path = draft.home + std::string(*rest);
  } else if (text[0] == '~' || text.find('$') != std::string::npos) {
    return field.expected("a path; only ~, $HOME and ${HOME} at its start are replaced");
  }
  std::string whole = (fs::path(draft.base_dir) / path).lexically_normal().string();
  if (whole.size() > 1 && whole.back() == '/') whole.pop_back();
  return whole;
}

// Whether a name is one of the hardware table is known only when all layers are.
Result<std::string> read_scale(const DocField& field) {
  COMPUTE_SCALE_TRY(text, read_line(field));
  const std::string lowered = to_lower(text);
  const bool named = lowered == "auto" || is_hardware_name(lowered);
  if (!named && !ScaleFactor::parse(text).ok()) {
    return field.expected("a factor such as 0.5, a hardware name, or auto");
  }
  return text;
}

Result<Unprofiled> read_unprofiled(const DocField& field) {
  COMPUTE_SCALE_TRY(text, read_line(field));
  const Result<Unprofiled> policy = parse_unprofiled(text);
  if (!policy.ok()) return field.placed(policy.error());
  return *policy;
}

// The values that a submission may have, each once.
Result<std::vector<Unprofiled>> read_unprofiled_list(const DocField& field) {
  COMPUTE_SCALE_CHECK(expect_list(field, "a list of keep, scale and refuse"));
  std::vector<Unprofiled> values;
  for (std::size_t i = 0; i < field.size(); ++i) {
    COMPUTE_SCALE_TRY(value, read_unprofiled(field.item(i)));
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      return field.item(i).problem(quoted(to_string(value)) + " is there twice");
    }
    values.push_back(value);
  }
  if (values.empty()) return field.expected("at least one of keep, scale and refuse");
  return values;
}

Result<MemSize> read_mem(const DocField& field) {
  COMPUTE_SCALE_TRY(text, read_line(field));
  const Result<MemSize> size = parse_mem_size(text, 'M');
  if (!size.ok()) return field.placed(size.error());
  return *size;
}

Result<std::vector<std::int64_t>> read_config_seeds(const DocField& field) {
  COMPUTE_SCALE_TRY(seeds, read_seeds(field));
  if (seeds.empty()) return field.expected("at least one seed");
  return seeds;
}

Result<std::string> read_gpu_flag(const DocField& field) {
  const std::vector<std::string> flags = {"gres", "gpus", "gpus-per-node"};
  COMPUTE_SCALE_TRY(text, read_line(field));
  if (std::find(flags.begin(), flags.end(), text) == flags.end()) {
    return field.expected(join(flags, ", ") + did_you_mean(text, flags));
  }
  return text;
}

// Shell text: it may have lines and tabs.
Result<std::string> read_prologue(const DocField& field) {
  if (field.value().kind != Kind::kText) return field.expected("shell lines");
  return field.value().text;
}

Result<std::vector<std::string>> read_directives(const DocField& field) {
  COMPUTE_SCALE_TRY(directives, read_lines(field));
  for (std::size_t i = 0; i < directives.size(); ++i) {
    if (directives[i][0] != '-') {
      return field.item(i).expected("an sbatch option such as \"--exclusive\"");
    }
  }
  return directives;
}

// The options of one runtime: the first begins with '-', others may be values of the one before.
Result<std::vector<std::string>> read_flags(const DocField& field) {
  if (!parse_backend(field.key()).ok() || field.key() == to_string(Backend::kLocal)) {
    std::vector<std::string> names = backend_names();
    names.erase(std::remove(names.begin(), names.end(), to_string(Backend::kLocal)), names.end());
    return unknown_key(field, names);
  }
  COMPUTE_SCALE_TRY(flags, read_lines(field));
  if (!flags.empty() && flags[0][0] != '-') {
    return field.item(0).expected("an option such as \"--network=host\"");
  }
  return flags;
}

Status read_container_flags(const DocField& field, Draft& draft) {
  COMPUTE_SCALE_CHECK(expect_map(field, "a map such as {docker: [\"--network=host\"]}"));
  auto& all = draft.config.container_flags.emplace();
  for (std::size_t i = 0; i < field.size(); ++i) {
    COMPUTE_SCALE_TRY(flags, read_flags(field.item(i)));
    all[field.item(i).key()] = std::move(flags);
  }
  return Done{};
}

using Text = std::optional<std::string>;
using Count = std::optional<int>;

template <Text SlurmConfig::*kField>
Status slurm_line(const DocField& field, Draft& draft) {
  return assign(read_line(field), draft.config.slurm.*kField);
}

template <Count SlurmConfig::*kField>
Status slurm_count(const DocField& field, Draft& draft) {
  return assign(read_count(field), draft.config.slurm.*kField);
}

template <Text RunConfig::*kField>
Status config_path(const DocField& field, Draft& draft) {
  return assign(read_path(field, draft), draft.config.*kField);
}

constexpr DocKey<Draft> kSlurmKeys[] = {
    {"partition", slurm_line<&SlurmConfig::partition>},
    {"default_partition", slurm_line<&SlurmConfig::default_partition>},
    {"account", slurm_line<&SlurmConfig::account>},
    {"constraint", slurm_line<&SlurmConfig::constraint>},
    {"qos", slurm_line<&SlurmConfig::qos>},
    {"nodelist", slurm_line<&SlurmConfig::nodelist>},
    {"exclude", slurm_line<&SlurmConfig::exclude>},
    {"mail_user", slurm_line<&SlurmConfig::mail_user>},
    {"logs_dir",
     [](const DocField& f, Draft& d) { return assign(read_path(f, d), d.config.slurm.logs_dir); }},
    {"cpus_per_gpu", slurm_count<&SlurmConfig::cpus_per_gpu>},
    {"mem_per_gpu",
     [](const DocField& f, Draft& d) { return assign(read_mem(f), d.config.slurm.mem_per_gpu); }},
    {"gpus_per_node", slurm_count<&SlurmConfig::gpus_per_node>},
    {"cpus_per_node", slurm_count<&SlurmConfig::cpus_per_node>},
    {"mem_per_node",
     [](const DocField& f, Draft& d) { return assign(read_mem(f), d.config.slurm.mem_per_node); }},
    {"cpu_partition", slurm_line<&SlurmConfig::cpu_partition>},
    {"cpus_per_task", slurm_count<&SlurmConfig::cpus_per_task>},
    {"gpu_flag",
     [](const DocField& f, Draft& d) { return assign(read_gpu_flag(f), d.config.slurm.gpu_flag); }},
    {"shards_per_gpu", slurm_count<&SlurmConfig::shards_per_gpu>},
    {"plugin",
     [](const DocField& f, Draft& d) { return assign(read_bool(f), d.config.slurm.plugin); }},
    {"prologue",
     [](const DocField& f, Draft& d) { return assign(read_prologue(f), d.config.slurm.prologue); }},
    {"extra_directives",
     [](const DocField& f, Draft& d) {
       return assign(read_directives(f), d.config.slurm.extra_directives);
     }},
    {"max_running", slurm_count<&SlurmConfig::max_running>},
};

Status read_slurm(const DocField& field, Draft& draft) {
  COMPUTE_SCALE_CHECK(expect_map(field, "a map such as {partition: gpu}"));
  return read_map(field, kSlurmKeys, draft);
}

constexpr DocKey<Draft> kConfigKeys[] = {
    {"compute_scale",
     [](const DocField& f, Draft& d) { return assign(read_scale(f), d.config.compute_scale); }},
    {"hardware",
     [](const DocField& f, Draft& d) { return assign(read_hardware_table(f), d.config.hardware); }},
    {"tasks_dir", config_path<&RunConfig::tasks_dir>},
    {"packages_dir", config_path<&RunConfig::packages_dir>},
    {"workspace_root", config_path<&RunConfig::workspace_root>},
    {"data_root", config_path<&RunConfig::data_root>},
    {"save_path", config_path<&RunConfig::save_path>},
    {"seeds",
     [](const DocField& f, Draft& d) { return assign(read_config_seeds(f), d.config.seeds); }},
    {"container_runtime",
     [](const DocField& f, Draft& d) { return assign(read_line(f), d.config.container_runtime); }},
    {"container_flags", read_container_flags},
    {"unprofiled",
     [](const DocField& f, Draft& d) { return assign(read_unprofiled(f), d.config.unprofiled); }},
    {"unprofiled_allowed",
     [](const DocField& f, Draft& d) {
       return assign(read_unprofiled_list(f), d.config.unprofiled_allowed);
     }},
    {"slurm", read_slurm},
};

// A file that forbids the very value that it sets is a slip.
Status check_own_unprofiled(const DocField& document, const RunConfig& config) {
  if (!config.unprofiled || !config.unprofiled_allowed) return Done{};
  const auto& allowed = *config.unprofiled_allowed;
  if (std::find(allowed.begin(), allowed.end(), *config.unprofiled) != allowed.end()) {
    return Done{};
  }
  std::size_t i = 0;
  while (document.item(i).key() != "unprofiled") ++i;
  return document.item(i).expected("one of unprofiled_allowed");
}

// A key that belongs under `slurm` is named as such, as it is a likely slip.
Status read_config(const DocField& document, Draft& draft) {
  for (std::size_t i = 0; i < document.size(); ++i) {
    const DocField field = document.item(i);
    if (find_key(kConfigKeys, field.key()) == nullptr &&
        find_key(kSlurmKeys, field.key()) != nullptr) {
      return field.problem("unknown key; " + field.key() + " belongs under \"slurm\"");
    }
  }
  COMPUTE_SCALE_CHECK(read_map(document, kConfigKeys, draft));
  return check_own_unprofiled(document, draft.config);
}

}  // namespace

Result<RunConfig> parse_run_config(std::string_view text, const std::string& file,
                                   const std::string& base_dir, const std::string& home) {
  COMPUTE_SCALE_TRY(document, parse_yaml(unix_text(text), file));
  Draft draft{{}, base_dir, home};
  if (document.kind == Kind::kNull) return draft.config;
  const DocField top(document, DocFormat::kYaml, file);
  COMPUTE_SCALE_CHECK(expect_map(top, "a map of keys, such as compute_scale: 0.5"));
  try {
    COMPUTE_SCALE_CHECK(read_config(top, draft));
  } catch (const std::exception& failure) {  // of std::filesystem::path
    return usage_error(file + ": " + printable(failure.what()));
  }
  return draft.config;
}

Result<RunConfig> load_run_config(const std::string& file, const std::string& home) {
  COMPUTE_SCALE_TRY(text, read_text_file(file));
  std::error_code error;
  const fs::path whole = fs::absolute(file, error);
  if (error) return usage_error(printable(file, 4096) + ": " + error.message());
  return parse_run_config(text, file, whole.parent_path().string(), home);
}

}  // namespace compute_scale
