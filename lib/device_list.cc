#include "device_list.h"

#include <algorithm>
#include <set>

#include "text.h"

namespace compute_scale {
namespace {

constexpr std::int64_t kMostDevices = 1024;

// Of the part behind "GPU-" and "MIG-": CUDA takes short forms, and older drivers write
// "MIG-GPU-…/1/2".
bool is_unique_name(std::string_view name) {
  if (!starts_with(name, "GPU-") && !starts_with(name, "MIG-")) return false;
  return name.size() > 4 && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '/';
         });
}

bool is_device(std::string_view name) {
  return is_unique_name(name) || parse_digits(name).has_value();
}

Status require_distinct(const DeviceList& devices, const std::string& where) {
  std::set<std::string_view> seen;
  for (const std::string& device : devices) {
    if (!seen.insert(device).second) {
      return usage_error(where + ": device " + quoted(device) + " comes twice");
    }
  }
  return Done{};
}

Error not_a_list(std::string_view text) {
  return usage_error("--gpus " + quoted(text) +
                     ": expected a count (8) or a list of devices (0,2 or GPU-… or MIG-…)");
}

// The text in "(UUID: …)".
std::string_view uuid_of(std::string_view line) {
  constexpr std::string_view kBefore = "(UUID: ";
  const std::size_t begin = line.find(kBefore);
  if (begin == std::string_view::npos) return "";
  line.remove_prefix(begin + kBefore.size());
  return line.substr(0, line.find(')'));
}

}  // namespace

Result<DeviceList> parse_gpus(std::string_view text) {
  DeviceList devices;
  if (const auto count = parse_digits(text)) {
    if (*count > kMostDevices) return not_a_list(text);
    for (std::int64_t i = 0; i < *count; ++i) devices.push_back(std::to_string(i));
    return devices;
  }
  std::string_view names = text;
  if (!names.empty() && names.back() == ',') names.remove_suffix(1);
  for (const std::string_view name : split(names, ',')) {
    if (!is_device(name)) return not_a_list(text);
    devices.emplace_back(name);
  }
  COMPUTE_SCALE_CHECK(require_distinct(devices, "--gpus " + quoted(text)));
  return devices;
}

Result<DeviceList> parse_visible_devices(std::string_view text) {
  DeviceList devices;
  for (const std::string_view name : split(text, ',')) {
    if (!is_device(trim(name))) break;
    devices.emplace_back(trim(name));
  }
  COMPUTE_SCALE_CHECK(require_distinct(devices, "CUDA_VISIBLE_DEVICES=" + quoted(text)));
  return devices;
}

DeviceList parse_nvidia_smi(std::string_view output) {
  DeviceList devices;
  bool whole = false;  // the last device is a GPU that may turn out to be divided
  for (std::string_view line : split(output, '\n')) {
    line = trim(line);
    const std::string_view uuid = uuid_of(line);
    if (starts_with(line, "MIG ") && is_unique_name(uuid)) {
      if (whole) devices.pop_back();
      whole = false;
      devices.emplace_back(uuid);
    } else if (starts_with(line, "GPU ")) {
      const std::string_view index = line.substr(4, line.find(':') - 4);
      if (!parse_digits(index)) continue;
      devices.emplace_back(index);
      whole = true;
    }
  }
  return devices;
}

}  // namespace compute_scale
