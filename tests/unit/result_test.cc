#include "result.h"

#include <gtest/gtest.h>

#include <memory>

namespace compute_scale {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return usage_error(std::to_string(number) + ": odd");
  return number / 2;
}

Result<std::string> quarter(int number) {
  COMPUTE_SCALE_TRY(halved, half(number));
  COMPUTE_SCALE_TRY(quartered, half(halved));
  return std::to_string(quartered);
}

Status needs_even(int number) {
  COMPUTE_SCALE_CHECK(half(number));
  return Done{};
}

TEST(Result, TryGoesOnWithTheValueOrReturnsTheError) {
  EXPECT_EQ(*quarter(12), "3");
  EXPECT_EQ(quarter(7).error().text, "7: odd");
  EXPECT_EQ(quarter(6).error().text, "3: odd");
}

TEST(Result, CheckReturnsTheError) {
  EXPECT_TRUE(needs_even(2).ok());
  EXPECT_EQ(needs_even(3).error().text, "3: odd");
}

TEST(Result, HoldsWhatOnlyMoves) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Result, ErrorKindsAreTheExitCodes) {
  EXPECT_EQ(static_cast<int>(usage_error("").kind), 1);
  EXPECT_EQ(static_cast<int>(task_error("").kind), 2);
  EXPECT_EQ(static_cast<int>(site_error("").kind), 3);
  EXPECT_EQ(static_cast<int>(submit_error("").kind), 4);
}

TEST(Result, AtPutsThePlaceInFrontAndKeepsTheKind) {
  const Error error = at("tasks/x/config.json: /seeds", task_error("expected a list"));
  EXPECT_EQ(error.text, "tasks/x/config.json: /seeds: expected a list");
  EXPECT_EQ(error.kind, ErrorKind::kTask);
}

}  // namespace
}  // namespace compute_scale
