#include "macro_batch.h"

#include <algorithm>
#include <array>
#include <optional>

#include "text.h"

namespace compute_scale {
namespace {

const std::string* find_value(const EnvList& env, std::string_view name) {
  const auto found = std::find_if(env.begin(), env.end(),
                                  [&](const auto& setting) { return setting.first == name; });
  return found == env.end() ? nullptr : &found->second;
}

// The ${NAME:-value} or ${NAME:=value} behind `text`'s "${", if its value is plain and not empty.
std::optional<std::pair<std::string, std::string>> read_default(std::string_view text) {
  constexpr std::string_view kNameLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  const std::size_t name_end = text.find_first_not_of(kNameLetters);
  if (name_end == 0 || name_end == std::string_view::npos) return std::nullopt;
  const std::string_view mark = text.substr(name_end, 2);
  const std::string_view rest = text.substr(name_end + mark.size());
  const std::size_t end = rest.find('}');
  if ((mark != ":-" && mark != ":=") || end == std::string_view::npos || end == 0) {
    return std::nullopt;
  }
  const std::string_view value = rest.substr(0, end);
  if (value.find_first_of("$`\"'\\{ \t") != std::string_view::npos) return std::nullopt;
  return std::make_pair(std::string(text.substr(0, name_end)), std::string(value));
}

}  // namespace

EnvList script_defaults(std::string_view script) {
  EnvList defaults;
  for (const std::string_view line : split(script, '\n')) {
    if (starts_with(trim(line), "#")) continue;
    for (std::size_t at = line.find("${"); at != std::string_view::npos;
         at = line.find("${", at + 2)) {
      auto setting = read_default(line.substr(at + 2));
      if (setting && find_value(defaults, setting->first) == nullptr) {
        defaults.push_back(std::move(*setting));
      }
    }
  }
  return defaults;
}

namespace {

constexpr std::int64_t kMostValue = 1000000000;  // so that a product of two fits

enum Name { kBatchSize, kGradAccum, kTpSize };
constexpr std::array<const char*, 3> kNames = {"BATCH_SIZE", "GRAD_ACCUM", "TP_SIZE"};

// The environment of the entry on one hardware.
struct Variant {
  std::string where;  // "task/label" or "task/label (h200)"
  EnvList env;
  std::int64_t gpus = 1;  // a job without GPU runs as one with a single one

  const std::string* text(Name name) const { return find_value(env, kNames[name]); }
  // Nothing for what is not set or no whole number.
  std::optional<std::int64_t> value(Name name) const {
    const std::string* written = text(name);
    const auto number = written == nullptr ? std::nullopt : parse_digits(*written);
    return number && *number >= 1 && *number <= kMostValue ? number : std::nullopt;
  }
  bool is_invalid(Name name) const { return text(name) != nullptr && !value(name); }
};

Variant base_variant(const Entry& entry, const EnvList& defaults) {
  return {entry.task + "/" + entry.label, overlay(defaults, entry.env),
          std::max<std::int64_t>(1, entry.compute.devices())};
}

Variant profile_variant(const Variant& base, const std::string& hardware, const Profile& profile) {
  Variant variant = base;
  variant.where += " (" + hardware + ")";
  variant.env = overlay(std::move(variant.env), profile.env);
  if (profile.compute) variant.gpus = std::max<std::int64_t>(1, profile.compute->devices());
  return variant;
}

using Lines = std::vector<std::string>;

void check_values(const Variant& variant, const Variant* base, Lines& lines) {
  for (const Name name : {kBatchSize, kGradAccum, kTpSize}) {
    if (!variant.is_invalid(name)) continue;
    // What the profile inherits has been reported for the base.
    if (base != nullptr && base->is_invalid(name) && *base->text(name) == *variant.text(name)) {
      continue;
    }
    lines.push_back(variant.where + ": " + kNames[name] + " is " + quoted(*variant.text(name)) +
                    "; expected a whole number from 1 to " + std::to_string(kMostValue));
  }
}

void check_gpus(const Variant& variant, Lines& lines) {
  const std::string gpus = std::to_string(variant.gpus);
  const auto accum = variant.value(kGradAccum);
  if (accum && *accum % variant.gpus != 0) {
    lines.push_back(variant.where + ": GRAD_ACCUM " + std::to_string(*accum) +
                    " is not a multiple of its " + gpus + " GPUs");
  }
  const auto tp = variant.value(kTpSize);
  if (tp && *tp > variant.gpus) {
    lines.push_back(variant.where + ": TP_SIZE " + std::to_string(*tp) + " is more than its " +
                    gpus + (variant.gpus == 1 ? " GPU" : " GPUs"));
  } else if (tp && variant.gpus % *tp != 0) {
    lines.push_back(variant.where + ": TP_SIZE " + std::to_string(*tp) + " does not divide its " +
                    gpus + " GPUs");
  }
}

bool has_batch(const Variant& variant) {
  return variant.text(kBatchSize) != nullptr || variant.text(kGradAccum) != nullptr;
}

// "BATCH_SIZE 32 x GRAD_ACCUM 16 = 512"; one that is not set counts as 1.
std::string product_text(const Variant& variant) {
  const std::int64_t batch = variant.value(kBatchSize).value_or(1);
  const std::int64_t accum = variant.value(kGradAccum).value_or(1);
  return "BATCH_SIZE " + std::to_string(batch) + " x GRAD_ACCUM " + std::to_string(accum) + " = " +
         std::to_string(batch * accum);
}

std::int64_t product(const Variant& variant) {
  return variant.value(kBatchSize).value_or(1) * variant.value(kGradAccum).value_or(1);
}

bool has_invalid_batch(const Variant& variant) {
  return variant.is_invalid(kBatchSize) || variant.is_invalid(kGradAccum);
}

void compare_batches(const Variant& base, const Variant& profile, Lines& lines) {
  if (!has_batch(profile) || has_invalid_batch(base) || has_invalid_batch(profile)) return;
  if (!has_batch(base)) {
    lines.push_back(profile.where + ": " + product_text(profile) +
                    ", but neither the script's defaults nor the entry's env state the base's");
  } else if (product(base) != product(profile)) {
    lines.push_back(profile.where + ": " + product_text(profile) + ", but the base has " +
                    product_text(base));
  }
}

}  // namespace

std::vector<std::string> check_macro_batch(const Entry& entry, const EnvList& script_defaults) {
  Lines lines;
  const Variant base = base_variant(entry, script_defaults);
  check_values(base, nullptr, lines);
  check_gpus(base, lines);
  for (const auto& [hardware, profile] : entry.profiles) {
    const Variant variant = profile_variant(base, hardware, profile);
    check_values(variant, &base, lines);
    check_gpus(variant, lines);
    compare_batches(base, variant, lines);
  }
  return lines;
}

}  // namespace compute_scale
