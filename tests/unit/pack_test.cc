#include "pack.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace compute_scale {
namespace {

std::vector<PackItem> items(const std::vector<std::string>& amounts) {
  std::vector<PackItem> out;
  for (const std::string& amount : amounts) {
    out.push_back({out.size(), *GpuAmount::parse(amount), TimeLimit{60}});
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
    EXPECT_EQ(show(pack(items(c.amounts), PackOptions())), c.expected);
  }
}

TEST(Pack, NoneGivesEveryStepItsOwn) {
  EXPECT_EQ(show(pack(items({"0.5", "0.5"}), {PackScope::kNone, 8, {}})), "1: 0=0 | 1: 0=1");
}

struct Timed {
  const char* amount;
  std::int64_t minutes;
};

std::vector<PackItem> timed(const std::vector<Timed>& list) {
  std::vector<PackItem> out;
  for (const Timed& t : list) {
    out.push_back({out.size(), *GpuAmount::parse(t.amount), TimeLimit{t.minutes}});
  }
  return out;
}

TEST(Pack, ShortStepsFollowOneAnotherInTheSlotOfALongOne) {
  const struct {
    std::vector<Timed> items;
    const char* expected;
  } cases[] = {
      // Two halves of one hour take the second half of a device that is kept for two.
      {{{"0.5", 120}, {"0.5", 60}, {"0.5", 60}}, "1: 0=0 0=12"},
      // The longest comes first in its slot; what is too long for it opens the next device.
      {{{"0.5", 60}, {"0.5", 180}, {"0.5", 120}, {"0.5", 90}}, "1: 0=1 0=20 | 1: 0=3"},
      // A smaller share uses the rest of a slot, a larger one cannot.
      {{{"0.5", 180}, {"0.5", 120}, {"0.25", 60}}, "1: 0=0 0=12"},
      {{{"0.5", 180}, {"0.25", 120}, {"0.6", 60}}, "1: 0=0 0=1 | 1: 0=2"},
      // Devices that are kept for other times are other jobs: none waits for the longer one.
      {{{"0.6", 120}, {"0.6", 60}}, "1: 0=0 | 1: 0=1"},
      {{{"0.6", 60}, {"0.6", 60}}, "2: 0=0 1=1"},
      // A whole device has no room, and no GPU is no room.
      {{{"1", 120}, {"0.5", 60}, {"0", 120}}, "1: 0=0 | 0: =2 | 1: 0=1"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(show(pack(timed(c.items), PackOptions())), c.expected);
  }
}

TEST(Pack, AmongAllEachDeviceIsAJobOfItsOwn) {
  PackOptions options;
  options.scope = PackScope::kAll;
  EXPECT_EQ(show(pack(items({"0.6", "0.6", "0.4"}), options)), "1: 0=0 0=2 | 1: 0=1");
}

TEST(Pack, ThreeOfAThirdAndABitNeedTwoDevices) {
  for (const PackScope scope : {PackScope::kGroup, PackScope::kAll}) {
    int devices = 0;
    for (const Allocation& a : pack(items(times(3, "0.34")), {scope, 8, {}})) devices += a.devices;
    EXPECT_EQ(devices, 2);
  }
}

TEST(Pack, ManySmallSharesAndManyDifferentOnes) {
  EXPECT_EQ(pack(items(times(1000, "0.001")), PackOptions()).size(), 1u);
  std::vector<std::string> different;
  for (int i = 1; i <= 999; ++i) {
    different.push_back("0.000" + std::to_string(1000 + i).substr(1));  // 0.0005 together
  }
  EXPECT_EQ(pack(items(different), PackOptions()).size(), 1u);
}

TEST(Pack, StopsWhereANodeHasNoMoreToGive) {
  PackOptions options;
  options.fits = [](const Allocation& allocation) { return allocation.lanes.size() <= 2; };
  EXPECT_EQ(show(pack(items(times(5, "0.25")), options)), "1: 0=0 0=1 | 1: 0=2 0=3 | 1: 0=4");
  options.fits = [](const Allocation&) { return false; };
  EXPECT_EQ(show(pack(items(times(2, "0.25")), options)), "1: 0=0 | 1: 0=1");
}

TEST(Pack, ScopesByName) {
  for (const char* name : {"none", "group", "all"}) {
    EXPECT_EQ(to_string(parse_pack_scope(name).value()), name);
  }
  EXPECT_FALSE(parse_pack_scope("some").has_value());
}

TEST(Pack, TenTenthsFillOneDevice) {
  const auto packed = pack(items(times(10, "0.1")), PackOptions());
  ASSERT_EQ(packed.size(), 1u);
  EXPECT_EQ(packed[0].devices, 1);
  EXPECT_EQ(packed[0].lanes.size(), 10u);
}

TEST(Pack, AllocationsStayWithinANode) {
  // Six of 0.15 fit on a device, so 54 need nine: eight on one node and one more.
  const auto packed = pack(items(times(54, "0.15")), PackOptions());
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
  for (const Allocation& allocation : pack(all, PackOptions())) {
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
