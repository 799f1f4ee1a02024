#include "directives.h"

#include <algorithm>

#include "run_layout.h"
#include "shell_quote.h"
#include "text.h"

namespace compute_scale {
namespace {

// Collects options and the first error.
class Options {
 public:
  void add(const std::string& name, const std::string& value) {
    auto text = directive_quote(value);
    if (!text.ok()) {
      if (!error_) error_ = at("--" + name, text.error());
      return;
    }
    lines_.push_back("--" + name + "=" + *text);
  }
  void add(const std::string& name, const std::optional<std::string>& value) {
    if (value && !value->empty()) add(name, *value);
  }
  void add_line(std::string line) { lines_.push_back(std::move(line)); }
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  Result<std::vector<std::string>> take() {
    if (error_) return *error_;
    return std::move(lines_);
  }

 private:
  std::vector<std::string> lines_;
  std::optional<Error> error_;
};

// The pattern that --output reads as `path`: '%' starts a replacement there.
std::string output_pattern(std::string_view path) {
  std::string out;
  for (const char c : path) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

constexpr std::string_view kElement = "%a";  // the index in the array

bool is_memory_option(const std::string& option) {
  return starts_with(option, "--mem");
}

bool names_memory(const Plan& plan, const Job& job) {
  for (const Lane& lane : job.lanes) {
    for (const std::size_t step : lane.steps) {
      if (plan.entries[plan.steps[step].entry].entry.mem) return true;
    }
  }
  return false;
}

// A site may ask for memory in its own way for all jobs whose entries name none.
bool site_decides_memory(const Plan& plan, const Job& job, const SlurmConfig& slurm) {
  if (!slurm.extra_directives || names_memory(plan, job)) return false;
  for (const std::string& option : *slurm.extra_directives) {
    if (is_memory_option(option)) return true;
  }
  return false;
}

void add_gpus(Options& options, int devices, const SlurmConfig& slurm) {
  if (devices == 0) return;
  const std::string flag = slurm.gpu_flag.value_or("gres");
  options.add(flag, (flag == "gres" ? "gpu:" : "") + std::to_string(devices));
}

void add_placement(Options& options, const Job& job, const SlurmConfig& slurm) {
  const bool cpu_only = job.devices == 0;
  const bool elsewhere = cpu_only && slurm.cpu_partition.has_value();
  options.add("partition", elsewhere ? slurm.cpu_partition : slurm.partition);
  options.add("account", slurm.account);
  options.add("qos", slurm.qos);
  if (!cpu_only) options.add("constraint", slurm.constraint);
  if (!elsewhere) options.add("nodelist", slurm.nodelist);
  options.add("exclude", slurm.exclude);
  if (slurm.mail_user && !slurm.mail_user->empty()) {
    options.add("mail-user", *slurm.mail_user);
    options.add("mail-type", std::string("END,FAIL"));
  }
}

// `~/` at the start of an option's value, which sbatch would take as a folder named "~".
std::string expand_home(const std::string& option, const std::string& home) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || option.compare(equals + 1, 2, "~/") != 0) return option;
  return option.substr(0, equals + 1) + home + option.substr(equals + 2);
}

void add_extra(Options& options, const RunSettings& settings, bool with_memory) {
  if (!settings.slurm.extra_directives) return;
  for (const std::string& option : *settings.slurm.extra_directives) {
    if (!starts_with(option, "-")) {
      options.fail(usage_error("slurm.extra_directives: " + quoted(option) +
                               " is no sbatch option (like \"--exclusive\")"));
      return;
    }
    if (const Status allowed = refuse_reserved(option); !allowed.ok()) {
      return options.fail(at("slurm.extra_directives", allowed.error()));
    }
    if (!with_memory && is_memory_option(option)) continue;
    auto text = directive_quote(expand_home(option, settings.home));
    if (!text.ok()) return options.fail(at("slurm.extra_directives", text.error()));
    options.add_line(*text);
  }
}

void add_plugin_options(Options& options, const Plan& plan, const Job& job,
                        const RunSettings& settings) {
  if (!carries_plugin_options(job, settings)) return;
  const Step& step = plan.steps[job.lanes.front().steps.front()];
  if (!settings.neutral) options.add("compute-scale", plan.scale.factor.to_string());
  options.add("compute-entry", entry_name(plan, step));
}

}  // namespace

Result<std::vector<std::string>> name_and_output(const std::string& name,
                                                 const std::string& run_dir,
                                                 const std::string& output) {
  if (run_dir.find('\\') != std::string::npos) {
    return usage_error("run directory " + quoted(run_dir) +
                       ": Slurm cannot write logs below a folder with a backslash in its name");
  }
  const std::size_t element = output.find(kElement);
  std::string pattern = output_pattern(run_dir + "/") + output_pattern(output.substr(0, element));
  if (element != std::string::npos) {
    pattern += kElement;
    pattern += output_pattern(output.substr(element + kElement.size()));
  }
  Options options;
  options.add("job-name", name);
  options.add("output", pattern);
  return options.take();
}

std::vector<std::string> shared_directives(const std::vector<std::string>& directives) {
  // The name and the output are the first two; another --output is the site's.
  std::vector<std::string> out;
  for (std::size_t i = std::min<std::size_t>(directives.size(), 2); i < directives.size(); ++i) {
    const bool plugins = starts_with(directives[i], "--compute-scale=") ||
                         starts_with(directives[i], "--compute-entry=");
    if (!plugins) out.push_back(directives[i]);
  }
  return out;
}

Status refuse_reserved(const std::string& option) {
  static constexpr std::string_view kReserved[] = {"--job-name", "-J", "--array", "-a", "--wrap"};
  for (const std::string_view reserved : kReserved) {
    // sbatch takes the start of a long option's name for all of it (getopt_long(3)).
    const std::string_view name = std::string_view(option).substr(0, option.find('='));
    const bool is_long = starts_with(reserved, "--");
    const bool is_reserved =
        is_long ? name.size() > 2 && starts_with(reserved, name) : starts_with(option, reserved);
    if (!is_reserved) continue;
    return usage_error(quoted(option) + ": a run names its jobs and arrays itself");
  }
  return Done{};
}

bool carries_plugin_options(const Job& job, const RunSettings& settings) {
  return settings.plugin && job.lanes.size() == 1 && job.lanes.front().steps.size() == 1;
}

Result<std::vector<std::string>> directives(const Plan& plan, const Job& job,
                                            const RunSettings& settings) {
  COMPUTE_SCALE_TRY(own, name_and_output(slurm_job_name(job.name, settings.run_dir),
                                         settings.run_dir, job_log_path(job)));
  Options options;
  for (std::string& option : own) options.add_line(std::move(option));
  const bool site_memory = site_decides_memory(plan, job, settings.slurm);
  options.add("open-mode", std::string("append"));
  options.add("nodes", std::string("1"));
  options.add("ntasks", std::string("1"));
  options.add("cpus-per-task", std::to_string(job.cpus));
  if (!site_memory) options.add("mem", to_string(job.mem));
  options.add("time", to_string(job.time));
  add_gpus(options, job.devices, settings.slurm);
  add_placement(options, job, settings.slurm);
  add_plugin_options(options, plan, job, settings);
  add_extra(options, settings, site_memory);
  return options.take();
}

}  // namespace compute_scale
