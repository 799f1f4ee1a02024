#include "gpu_amount.h"

#include <cmath>
#include <limits>

#include "text.h"

namespace compute_scale {
namespace {

constexpr std::int64_t kMicro = 1000000;
constexpr std::int64_t kMostFactor = 1000 * kMicro;
constexpr std::int64_t kMostGpus = kMicro * kMicro;

Error not_a_factor(std::string_view text) {
  return usage_error(quoted(text) +
                     ": not a scale factor: expected a plain decimal such as 0.5 or 2, above 0, at "
                     "most 1000, with at most six decimal places");
}

Error not_an_amount(const std::string& shown) {
  return usage_error(shown +
                     ": not an amount of GPU: expected a plain decimal such as 2 or 0.33, from 0 "
                     "to 1000000, with at most six decimal places");
}

}  // namespace

Result<ScaleFactor> ScaleFactor::parse(std::string_view text) {
  const auto micro = parse_decimal_micro(text);
  if (!micro || *micro == 0 || *micro > kMostFactor) return not_a_factor(text);
  ScaleFactor factor;
  factor.micro_ = *micro;
  return factor;
}

std::string ScaleFactor::to_string() const {
  return micro_to_string(micro_);
}

Result<GpuAmount> GpuAmount::parse(std::string_view text) {
  const auto micro = parse_decimal_micro(text);
  if (!micro || *micro > kMostGpus) return not_an_amount(quoted(text));
  return from_micro(*micro);
}

Result<GpuAmount> GpuAmount::from_double(double value) {
  constexpr double kTolerance = 1e-9;
  const bool in_range = value >= 0 && value <= 1e6;  // false for nan as well
  const std::int64_t micro = in_range ? std::llround(value * 1e6) : 0;
  const bool exact = in_range && std::fabs(value - static_cast<double>(micro) / 1e6) <= kTolerance;
  // A tiny amount is not "no GPU".
  if (!exact || (micro == 0 && value > 0)) return not_an_amount(std::to_string(value));
  return from_micro(micro);
}

GpuAmount GpuAmount::scaled(ScaleFactor factor) const {
  __extension__ using Wide = __int128;  // the product of two int64
  const Wide product = static_cast<Wide>(micro_) * factor.micro();
  const Wide rounded = (product + kMicro / 2) / kMicro;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (rounded > kMost) return GpuAmount(kMost);
  if (rounded == 0 && micro_ > 0) return GpuAmount(1);
  return GpuAmount(static_cast<std::int64_t>(rounded));
}

std::string GpuAmount::to_string() const {
  return micro_to_string(micro_);
}

}  // namespace compute_scale
