// doctor: Slurm, its plugstack and the plugin on this host.
#include <fmt/format.h>
#include <filesystem>

#include <algorithm>
#include <system_error>

#include "context.h"
#include "doctor_checks.h"
#include "elf_symbol.h"
#include "read_file.h"
#include "text.h"

namespace compute_scale {
namespace {

namespace fs = std::filesystem;

constexpr char kInstallAgain[] = "install compute-scale here again";
constexpr char kEnable[] = "compute-scale-plugin enable";

std::string folder_of(const std::string& file) {
  return fs::path(file).parent_path().string();
}

// The file that Slurm's commands read here. The controller's own name for it is another one where
// hosts get their configuration from the controller.
std::string plugstack_file(const Site& site) {
  const auto named = site.conf.find("PlugStackConfig");
  std::string file = named == site.conf.end() ? "" : named->second;
  if (file.empty() || file == "(null)") {
    const auto conf = site.conf.find("SLURM_CONF");
    if (conf == site.conf.end()) return "";
    file = folder_of(conf->second) + "/plugstack.conf";
  }
  const std::string configless = "/run/slurm/conf/plugstack.conf";
  std::error_code error;
  return !fs::exists(file, error) && fs::exists(configless, error) ? configless : file;
}

// Slurm looks for a name without a folder in its plugin folders.
std::string plugin_path(const Site& site, const std::string& name) {
  if (starts_with(name, "/")) return name;
  const auto folders = site.conf.find("PluginDir");
  if (folders == site.conf.end()) return name;
  for (const std::string_view folder : split(folders->second, ':')) {
    std::string path = std::string(folder) + "/" + name;
    if (std::error_code error; fs::exists(path, error)) return path;
  }
  return name;
}

// What the plugin takes from its line (spank_plugin/arguments.cc): the last of each counts.
std::string argument_of(const PlugstackLine& line, const std::string& name,
                        const std::string& otherwise) {
  std::string value = otherwise;
  for (const std::string& argument : line.arguments) {
    if (starts_with(argument, name + "=/")) value = argument.substr(name.size() + 1);
  }
  return value;
}

void check_line(Site& site, const PlugstackLine& line) {
  if (line.required) {
    site.warn("plugstack",
              line.place +
                  ": says required: where the plugin cannot be loaded, every sbatch and "
                  "srun stops",
              "write optional");
  }
  if (!line.cut.empty()) {
    site.problem("plugstack",
                 line.place + ": " + quoted(line.cut) + " is cut at a '#', which begins a comment",
                 "use a path without '#'");
  }
  for (const std::string& argument : line.arguments) {
    if (starts_with(argument, "config=/") || starts_with(argument, "library=/")) continue;
    site.problem("plugstack", line.place + ": the plugin ignores " + quoted(argument),
                 "its arguments are config=/FILE and library=/FILE");
  }
}

void check_lines(Site& site, const std::string& file) {
  const std::vector<PlugstackLine>& lines = site.plugstack.lines;
  site.findings.insert(site.findings.end(), site.plugstack.faults.begin(),
                       site.plugstack.faults.end());
  std::vector<std::string> places;
  for (const PlugstackLine& line : lines) {
    places.push_back(line.place);
    check_line(site, line);
  }
  if (lines.size() > 1) {
    site.problem("plugstack", "the plugin is loaded twice: by " + join(places, " and by "),
                 "keep one of the lines");
  }
  if (lines.size() == 1) {
    site.ok("plugstack", "enabled by " + places.front());
  } else if (lines.empty() && site.config.slurm.plugin.value_or(false)) {
    site.problem("plugstack", file + " does not load the plugin, which slurm.plugin promises",
                 kEnable);
  } else if (lines.empty()) {
    site.warn("plugstack",
              file +
                  " does not load the plugin; sbatch-tasks works without it, "
                  "sbatch --compute-scale does not",
              kEnable);
  }
}

// "22.05.8" of the number in Slurm's headers.
std::string release_text(std::uint32_t number) {
  return fmt::format("{}.{:02}.{}", number >> 16 & 255, number >> 8 & 255, number & 255);
}

std::string built_for(const std::string& plugin) {
  const auto bytes = read_binary_file(plugin);
  const auto number = bytes.ok() ? elf_number(*bytes, "plugin_version") : std::nullopt;
  return number ? release_text(*number) : "";
}

// Whether file and library are sound.
bool check_files(Site& site, const std::string& plugin, const std::string& library) {
  const std::vector<ProbeItem> items = {{ProbeItem::Kind::kObject, plugin},
                                        {ProbeItem::Kind::kObject, library}};
  const std::vector<ProbeAnswer> answers = site.look_at(items);
  bool sound = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (answers[i].ok) continue;
    site.problem("plugin", items[i].what + " " + answers[i].text, kInstallAgain);
    sound = false;
  }
  site.plugin_release = built_for(plugin);
  const std::string& built = site.plugin_release;
  if (!sound || built.empty() || site.release.empty() || same_release(built, site.release)) {
    return sound;
  }
  site.problem("plugin",
               plugin + " is built for Slurm " + built + ", but Slurm " + site.release +
                   " is installed, which does not load it",
               "install the compute-scale that is built for it");
  return false;
}

// The plugin's site config need not be the one that sbatch-tasks reads.
void check_plugin_config(Site& site, const std::string& file) {
  site.look_at({{ProbeItem::Kind::kFile, file}});
  const char* home = std::getenv("HOME");
  auto config = load_run_config(file, home == nullptr ? "" : home);
  if (!config.ok()) {
    site.config_broken = true;
    site.problem("config", "the plugin's: " + config.error().text, "correct the file");
  } else if (file != site_config_file()) {
    site.ok("config", "the plugin's: " + file);
    site.plugin_config = std::move(*config);
  }
}

// Only sbatch itself knows whether it has loaded the plugin.
void check_loaded(Site& site, const std::string& plugin) {
  const auto loaded = site.slurm.has_option("--compute-entry");
  if (loaded.ok() && *loaded) {
    const std::string release = site.plugin_release.empty() ? "?" : site.plugin_release;
    site.ok("plugin", plugin + ", built for Slurm " + release + "; sbatch has its options");
    return;
  }
  site.problem("plugin",
               loaded.ok() ? "sbatch does not have the plugin's options"
                           : "sbatch cannot show its options: " + loaded.error().text,
               "see what sbatch -vv says of spank");
}

void check_disabled(Site& site) {
  const InstalledFiles files = installed_files();
  if (std::error_code error; !fs::exists(files.plugin, error)) {
    if (!site.plugin_wanted()) return;
    return site.problem("plugin", files.plugin + " is missing", kInstallAgain);
  }
  if (check_files(site, files.plugin, files.library)) {
    site.ok("plugin", files.plugin + ", built for Slurm " + site.plugin_release + ", not enabled");
  }
  if (site.plugin_wanted()) return;
  site.items.clear();  // nodes need not have it
  site.here.items.clear();
}

}  // namespace

bool same_release(const std::string& a, const std::string& b) {
  const auto release = [](const std::string& text) {
    return text.substr(0, text.find('.', text.find('.') + 1));
  };
  return release(a) == release(b);
}

void check_slurm(Site& site) {
  const auto version = site.slurm.version();
  auto conf = site.slurm.configuration();
  if (conf.ok()) site.conf = std::move(*conf);
  // A plugstack that stops sbatch does not stop scontrol: what is wrong with it is told below.
  if (!version.ok()) {
    return site.problem("slurm", "sbatch cannot be used: " + version.error().text,
                        conf.ok() ? "see what is said of plugstack and plugin"
                                  : "install Slurm's commands here, put them on PATH, or set "
                                    "SLURM_CONF");
  }
  site.release = *version;
  if (!conf.ok()) {
    return site.problem("slurm",
                        "Slurm " + site.release +
                            " is here, but the controller does not answer: " + conf.error().text,
                        "see what scontrol ping says");
  }
  const std::string controller = site.conf["SLURM_VERSION"];
  if (same_release(controller, site.release)) {
    site.ok("slurm", "Slurm " + site.release + "; the controller answers");
  } else {
    site.warn("slurm", "Slurm " + site.release + " is here, but the controller is " + controller,
              "keep hosts at one release; the plugin is for that of its host");
  }
  const auto nodes = site.slurm.nodes();
  if (nodes.ok()) {
    site.nodes = *nodes;
  } else {
    site.problem("slurm", "the nodes cannot be asked for: " + nodes.error().text,
                 "see what sinfo says");
  }
}

void check_plugin(Site& site) {
  const std::string file = plugstack_file(site);
  if (file.empty()) {
    site.warn("plugstack", "not checked: only the controller knows where plugstack.conf is",
              "mend what is said of slurm");
    return check_disabled(site);
  }
  site.plugstack = read_plugstack(file);
  site.plugin_enabled = !site.plugstack.lines.empty();
  check_lines(site, file);
  if (!site.plugin_enabled) return check_disabled(site);
  const InstalledFiles files = installed_files();
  const PlugstackLine& line = site.plugstack.lines.front();
  const std::string plugin = plugin_path(site, line.plugin);
  const bool sound = check_files(site, plugin, argument_of(line, "library", files.library));
  check_plugin_config(site, argument_of(line, "config", files.site_config));
  if (sound) check_loaded(site, plugin);
}

}  // namespace compute_scale
