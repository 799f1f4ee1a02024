#include "context.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace compute_scale {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<ConfigFile> site_config(const std::string& home) {
  const std::string file = site_config_file();
  if (file.empty()) return ConfigFile{};
  COMPUTE_SCALE_TRY(config, load_run_config(file, home));
  return ConfigFile{file, std::move(config)};
}

Result<std::optional<ConfigFile>> run_config(const Options& options, const std::string& home) {
  if (!options.config) return std::optional<ConfigFile>();
  COMPUTE_SCALE_TRY(config, load_run_config(*options.config, home));
  return std::optional<ConfigFile>({*options.config, std::move(config)});
}

RunConfig option_layer(const Options& options) {
  const auto path = [](const std::optional<std::string>& value) {
    return value ? std::optional(absolute_path(*value)) : std::nullopt;
  };
  RunConfig layer;
  layer.compute_scale = options.compute_scale;
  layer.tasks_dir = path(options.tasks_dir);
  layer.packages_dir = path(options.packages_dir);
  layer.workspace_root = path(options.workspace_root);
  layer.data_root = path(options.data_root);
  layer.save_path = path(options.save_path);
  layer.container_runtime = options.container_runtime;
  layer.slurm.max_running = options.max_running;
  return layer;
}

}  // namespace

InstalledFiles installed_files() {
  return {COMPUTE_SCALE_PLUGIN, COMPUTE_SCALE_LIBRARY, COMPUTE_SCALE_SITE_CONFIG};
}

// The installed one is optional; one that the environment names is not.
std::string site_config_file() {
  if (const char* named = std::getenv("COMPUTE_SCALE_SITE_CONFIG")) return named;
  std::string file = installed_files().site_config;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) file.clear();
  return file;
}

Result<Scale> context_scale(const Context& context, const std::string& text) {
  RequestHints hints;
  const SlurmConfig& slurm = context.config.slurm;
  hints.partition = slurm.partition.value_or(slurm.default_partition.value_or(""));
  auto scale =
      resolve_scale(text, context.config.hardware.value_or(std::vector<Hardware>{}), hints);
  if (!scale.ok()) return at("compute_scale", scale.error());
  if (context.options.verb == Verb::kRun) return scale;  // goes to no partition
  const Status permitted = check_scale(context.limits, *scale, slurm.partition.value_or(""));
  if (!permitted.ok()) return at("compute_scale", permitted.error());
  return scale;
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  std::string out = (error ? fs::path(path) : absolute).lexically_normal().string();
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

Result<LayeredConfig> load_config(const Options& options) {
  const std::string home = variable("HOME");
  COMPUTE_SCALE_TRY(site, site_config(home));
  COMPUTE_SCALE_TRY(run, run_config(options, home));
  COMPUTE_SCALE_TRY(layered, lay_configs(site, run));
  layered.config = merge(std::move(layered.config), option_layer(options));
  return std::move(layered);
}

Result<Context> load_context(const Options& options) {
  Context context;
  context.options = options;
  context.home = variable("HOME");
  COMPUTE_SCALE_TRY(layered, load_config(options));
  context.config = std::move(layered.config);
  context.limits = std::move(layered.limits);
  if (options.config) context.config_file = absolute_path(*options.config);
  context.tasks_of_config = !options.tasks_dir.has_value();
  if (options.verb == Verb::kResume) return context;  // its run knows its tasks and scale
  if (!context.config.tasks_dir) {
    return usage_error("no folder of tasks: give --tasks-dir, or set tasks_dir in a config");
  }
  context.tasks_dir = absolute_path(*context.config.tasks_dir);
  // A neutral script is made at the base counts, whatever the config's scale.
  COMPUTE_SCALE_TRY(
      scale,
      context_scale(context, options.neutral ? "1" : context.config.compute_scale.value_or("1")));
  context.scale = scale;
  return context;
}

}  // namespace compute_scale
