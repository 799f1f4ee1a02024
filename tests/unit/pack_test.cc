#include "pack.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace compute_scale {
namespace {

std::vector<PackItem> items(const std::vector<std::string>& amounts) {
  std::vector<PackItem> out;
  for (const std::string& amount : amounts) {
    out.push_back({out.size(), *GpuAmount::parse(amount)});
  }
  return out;
}

std::vector<std::string> times(std::size_t count, const std::string& amount) {
  return std::vector<std::string>(count, amount);
}

// "devices: lane's devices=steps …" per allocation, for tables.
std::string show(const std::vector<Allocation>& allocations) {
  std::string out;
  for (const Allocation& allocation : allocations) {
    if (!out.empty()) out += " | ";
    out += std::to_string(allocation.devices) + ":";
    for (const Lane& lane : allocation.lanes) {
      out += ' ';
      for (const int device : lane.devices) out += std::to_string(device);
      out += '=';
      for (const std::size_t step : lane.steps) out += std::to_string(step);
    }
  }
  return out;
}

TEST(Pack, Group) {
  const struct {
    std::vector<std::string> amounts;
    const char* expected;
  } cases[] = {
      {{}, ""},
      {{"2"}, "2: 01=0"},
      {{"0"}, "0: =0"},
      {{"1", "0.5"}, "1: 0=0 | 1: 0=1"},
      {{"0.5", "0.5"}, "1: 0=0 0=1"},
      {{"0.4", "0.6", "0.6"}, "2: 0=0 0=1 1=2"},
      {{"0.34", "0.34", "0.34"}, "2: 0=0 0=1 1=2"},
      {{"0.33", "0.33", "0.33"}, "1: 0=0 0=1 0=2"},
      {{"0", "0.5", "4", "0"}, "0: =0 | 4: 0123=2 | 0: =3 | 1: 0=1"},
      {{"2.5"}, "3: 012=0"},
      {{"1.000000", "0.999999", "0.000001"}, "1: 0=0 | 1: 0=1 0=2"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(show(pack(items(c.amounts), PackScope::kGroup, 8)), c.expected);
  }
}

TEST(Pack, NoneGivesEveryStepItsOwn) {
  EXPECT_EQ(show(pack(items({"0.5", "0.5"}), PackScope::kNone, 8)), "1: 0=0 | 1: 0=1");
}

TEST(Pack, TenTenthsFillOneDevice) {
  const auto packed = pack(items(times(10, "0.1")), PackScope::kGroup, 8);
  ASSERT_EQ(packed.size(), 1u);
  EXPECT_EQ(packed[0].devices, 1);
  EXPECT_EQ(packed[0].lanes.size(), 10u);
}

TEST(Pack, AllocationsStayWithinANode) {
  // Six of 0.15 fit on a device, so 54 need nine: eight on one node and one more.
  const auto packed = pack(items(times(54, "0.15")), PackScope::kGroup, 8);
  ASSERT_EQ(packed.size(), 2u);
  EXPECT_EQ(packed[0].devices, 8);
  EXPECT_EQ(packed[0].lanes.size(), 48u);
  EXPECT_EQ(packed[1].devices, 1);
  EXPECT_EQ(packed[1].lanes.size(), 6u);
}

TEST(Pack, NoDeviceHoldsMoreThanOne) {
  std::vector<std::string> amounts;
  for (int i = 1; i < 400; ++i)
    amounts.push_back("0." + std::to_string(100000 + (i * 7919) % 899999));
  const auto all = items(amounts);
  std::size_t steps = 0;
  for (const Allocation& allocation : pack(all, PackScope::kGroup, 8)) {
    std::map<int, GpuAmount> used;
    for (const Lane& lane : allocation.lanes) {
      ASSERT_EQ(lane.devices.size(), 1u);
      EXPECT_LT(lane.devices[0], allocation.devices);
      for (const std::size_t step : lane.steps) {
        used[lane.devices[0]] = used[lane.devices[0]] + all[step].compute;
        ++steps;
      }
    }
    for (const auto& [device, amount] : used) EXPECT_LE(amount, GpuAmount::whole(1)) << device;
  }
  EXPECT_EQ(steps, all.size());
}

}  // namespace
}  // namespace compute_scale
