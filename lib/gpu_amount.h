// Exact amounts of GPU and exact scale factors, both whole numbers of 1e-6.
#ifndef COMPUTE_SCALE_LIB_GPU_AMOUNT_H_
#define COMPUTE_SCALE_LIB_GPU_AMOUNT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "result.h"

namespace compute_scale {

// A factor of GPU count relative to the reference hardware, > 0 and at most 1000, in 1e-6.
class ScaleFactor {
 public:
  constexpr ScaleFactor() = default;  // 1.0
  // "0.5", "2", ".25", "1.0": plain decimals with at most six places after the point (more only if
  // they are zeros). Errors: empty, sign, exponent, comma, unit, nan, inf, 0, more than 1000.
  static Result<ScaleFactor> parse(std::string_view text);

  constexpr std::int64_t micro() const { return micro_; }
  constexpr bool is_one() const { return micro_ == 1000000; }
  // The shortest decimal: "0.5", "1", "0.333333".
  std::string to_string() const;

  friend constexpr bool operator==(ScaleFactor a, ScaleFactor b) { return a.micro_ == b.micro_; }
  friend constexpr bool operator!=(ScaleFactor a, ScaleFactor b) { return !(a == b); }

 private:
  std::int64_t micro_ = 1000000;
};

// An amount of GPU, >= 0, in 1e-6 GPU. Sums are exact: 10 x 0.1 is 1; 3 x 0.34 is more than 1.
class GpuAmount {
 public:
  constexpr GpuAmount() = default;  // 0
  static constexpr GpuAmount from_micro(std::int64_t micro) { return GpuAmount(micro); }
  static constexpr GpuAmount whole(std::int64_t gpus) { return GpuAmount(gpus * 1000000); }
  // "2", "0.33", "4.0": as ScaleFactor::parse, but 0 is allowed and the largest is 1,000,000.
  static Result<GpuAmount> parse(std::string_view text);
  // The same for a number that a JSON reader has already turned into a double. Errors also for a
  // value that is not within 1e-9 of a whole number of 1e-6.
  static Result<GpuAmount> from_double(double value);

  constexpr std::int64_t micro() const { return micro_; }
  constexpr bool is_zero() const { return micro_ == 0; }
  constexpr bool is_whole() const { return micro_ % 1000000 == 0; }
  // The number of devices that hold this amount: 0 -> 0, 0.1 -> 1, 2 -> 2, 2.5 -> 3.
  constexpr std::int64_t devices() const { return (micro_ + 999999) / 1000000; }
  // this x factor, rounded half up to 1e-6, never to 0 unless this is 0.
  GpuAmount scaled(ScaleFactor factor) const;
  // The shortest decimal: "4", "0.165".
  std::string to_string() const;

  friend constexpr GpuAmount operator+(GpuAmount a, GpuAmount b) {
    return GpuAmount(a.micro_ + b.micro_);
  }
  friend constexpr GpuAmount operator-(GpuAmount a, GpuAmount b) {
    return GpuAmount(a.micro_ - b.micro_);
  }
  friend constexpr bool operator==(GpuAmount a, GpuAmount b) { return a.micro_ == b.micro_; }
  friend constexpr bool operator!=(GpuAmount a, GpuAmount b) { return a.micro_ != b.micro_; }
  friend constexpr bool operator<(GpuAmount a, GpuAmount b) { return a.micro_ < b.micro_; }
  friend constexpr bool operator<=(GpuAmount a, GpuAmount b) { return a.micro_ <= b.micro_; }
  friend constexpr bool operator>(GpuAmount a, GpuAmount b) { return b < a; }
  friend constexpr bool operator>=(GpuAmount a, GpuAmount b) { return b <= a; }

 private:
  explicit constexpr GpuAmount(std::int64_t micro) : micro_(micro) {}
  std::int64_t micro_ = 0;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_GPU_AMOUNT_H_
