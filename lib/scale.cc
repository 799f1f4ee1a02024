#include "scale.h"

#include <algorithm>

#include "text.h"

namespace compute_scale {
namespace {

// The entry as it is, without its blocks, which are not even copied.
Entry base_of(const Entry& entry) {
  return {static_cast<const BaseEntry&>(entry), {}};
}

Entry with_profile(const Entry& entry, const Profile& profile) {
  Entry scaled = base_of(entry);
  if (profile.compute) scaled.compute = *profile.compute;
  if (profile.time) scaled.time = *profile.time;
  if (profile.mem) scaled.mem = profile.mem;
  if (profile.cpus) scaled.cpus = profile.cpus;
  scaled.env = overlay(std::move(scaled.env), profile.env);
  return scaled;
}

// One GPU or less: a single job's result does not depend on how much of the device it has.
Entry packed_denser(const Entry& entry, ScaleFactor factor) {
  Entry scaled = base_of(entry);
  scaled.compute = std::min(entry.compute.scaled(factor), GpuAmount::whole(1));
  return scaled;
}

std::string kept_warning(const Entry& entry, const Scale& scale) {
  const std::string factor = scale.factor.to_string();
  const std::string start = printable(entry.task, 256) + "/" + printable(entry.label, 256) +
                            ": compute " + entry.compute.to_string() + " kept at scale " + factor;
  const GpuAmount fitting = GpuAmount::whole(entry.compute.scaled(scale.factor).devices());
  const std::string block = "{\"compute\": " + fitting.to_string() + ", \"env\": {...}}";
  if (scale.hardware.empty()) {
    return start + ": more than one GPU, and the factor " + factor +
           " matches no hardware of the site; give a hardware of the site's config that scale and "
           "the entry a block of its name, " +
           block + ", to keep the macro-batch";
  }
  return start + " (" + scale.hardware + "): more than one GPU and no \"" + scale.hardware +
         "\" block; add \"" + scale.hardware + "\": " + block + " to keep the macro-batch";
}

}  // namespace

ScaledEntries scale_test_cmd_entries(const std::vector<Entry>& entries, const Scale& scale) {
  ScaledEntries scaled;
  scaled.entries.reserve(entries.size());
  for (const Entry& entry : entries) {
    const auto profile = entry.profiles.find(scale.hardware);
    if (scale.factor.is_one()) {
      scaled.entries.push_back(base_of(entry));
    } else if (profile != entry.profiles.end()) {
      scaled.entries.push_back(with_profile(entry, profile->second));
    } else if (entry.compute <= GpuAmount::whole(1)) {
      scaled.entries.push_back(packed_denser(entry, scale.factor));
    } else {
      scaled.entries.push_back(base_of(entry));
      scaled.warnings.push_back(kept_warning(entry, scale));
    }
  }
  return scaled;
}

}  // namespace compute_scale
