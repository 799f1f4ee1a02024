// Times, memory sizes, amounts of GPU, factors: what is read is written so that it is read again.
#include "fuzz.h"
#include "gpu_amount.h"
#include "mem_size.h"
#include "time_limit.h"

namespace compute_scale::fuzz {
namespace {

constexpr std::int64_t kYear = 366 * 24 * 60;

void check_time(std::string_view text) {
  const auto time = parse_time_limit(text);
  if (!good(time)) return;
  require(time->minutes > 0 && time->minutes <= kYear, "a time is a minute to a year", text);
  const auto again = parse_time_limit(to_string(*time));
  require(again.ok() && *again == *time, "a time is written as it is read", text);
}

void check_mem(std::string_view text, char bare_unit) {
  const auto mem = parse_mem_size(text, bare_unit);
  if (!good(mem)) return;
  require(mem->mib > 0, "a size is more than nothing", text);
  const auto again = parse_mem_size(to_string(*mem), bare_unit);
  require(again.ok() && *again == *mem, "a size is written as it is read", text);
}

void check_scaled(GpuAmount amount, ScaleFactor factor) {
  const GpuAmount scaled = amount.scaled(factor);
  require(scaled.is_zero() == amount.is_zero(), "no amount becomes nothing", scaled.to_string());
  require(factor.micro() > 1000000 || scaled <= amount, "a factor below one makes no more",
          scaled.to_string());
}

void check_amount(std::string_view text) {
  const auto factor = ScaleFactor::parse(text);
  if (good(factor)) {
    const auto again = ScaleFactor::parse(factor->to_string());
    require(again.ok() && *again == *factor, "a factor is written as it is read", text);
  }
  const auto amount = GpuAmount::parse(text);
  if (!good(amount)) return;
  const auto again = GpuAmount::parse(amount->to_string());
  require(again.ok() && *again == *amount, "an amount is written as it is read", text);
  if (factor.ok()) check_scaled(*amount, *factor);
  check_scaled(*amount, *ScaleFactor::parse("0.5"));
}

}  // namespace
}  // namespace compute_scale::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace compute_scale::fuzz;
  const std::string_view text = text_of(data, size);
  check_time(text);
  for (const char unit : {'K', 'M', 'G', 'T'}) check_mem(text, unit);
  check_amount(text);
  return 0;
}
