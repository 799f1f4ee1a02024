#include "site_limits.h"

#include <algorithm>

#include "text.h"

namespace compute_scale {
namespace {

std::string listed(const std::vector<Unprofiled>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const Unprofiled value : values) names.push_back(to_string(value));
  return join(names, ", ");
}

}  // namespace

Result<LayeredConfig> lay_configs(const ConfigFile& site, const std::optional<ConfigFile>& user) {
  if (user && user->config.unprofiled_allowed) {
    return usage_error(user->name +
                       ": unprofiled_allowed: only the site's config may have this key");
  }
  LayeredConfig out{default_run_config(), {site.name, {}, {}, ""}};
  const auto& allowed = site.config.unprofiled_allowed;
  if (allowed) out.config.unprofiled = allowed->front();
  out.config = merge(std::move(out.config), site.config);
  out.limits.hardware = out.config.hardware.value_or(std::vector<Hardware>());
  out.limits.unprofiled = allowed.value_or(std::vector<Unprofiled>());
  out.limits.default_partition = out.config.slurm.default_partition.value_or("");
  if (user) out.config = merge(std::move(out.config), user->config);
  return out;
}

Status check_scale(const SiteLimits& limits, const Scale& scale, const std::string& partitions) {
  const std::string& meant = partitions.empty() ? limits.default_partition : partitions;
  const Status fits = check_partitions(scale, limits.hardware, meant);
  if (fits) return Done{};
  return site_error(fits.error().text + " (hardware in " + limits.file + ")");
}

Status check_unprofiled(const SiteLimits& limits, Unprofiled value) {
  const auto& allowed = limits.unprofiled;
  if (allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end()) {
    return Done{};
  }
  return site_error(quoted(to_string(value)) + ": this site allows " + listed(allowed) +
                    " (unprofiled_allowed in " + limits.file + ")");
}

Status check_unprofiled_entry(const std::string& warning, Unprofiled policy,
                              const std::string& place) {
  if (warning.empty() || policy == Unprofiled::kKeep) return Done{};
  return site_error(warning + "; refused by " + place + to_string(policy));
}

}  // namespace compute_scale
