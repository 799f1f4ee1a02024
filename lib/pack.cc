#include "pack.h"

#include <algorithm>
#include <numeric>

namespace compute_scale {
namespace {

constexpr GpuAmount kDevice = GpuAmount::whole(1);

bool is_fraction(const PackItem& item) {
  return !item.compute.is_zero() && item.compute < kDevice;
}

Allocation alone(const PackItem& item) {
  const int devices = static_cast<int>(item.compute.devices());
  std::vector<int> all(static_cast<std::size_t>(devices));
  std::iota(all.begin(), all.end(), 0);
  return {{{all, {item.step}}}, devices};
}

// The device of each item, by first-fit-decreasing: equal amounts stay in the order of the items.
std::vector<int> first_fit_decreasing(const std::vector<PackItem>& items) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return items[a].compute > items[b].compute;
  });
  std::vector<GpuAmount> used;
  std::vector<int> device(items.size());
  for (const std::size_t i : order) {
    const auto fits = std::find_if(used.begin(), used.end(), [&](GpuAmount amount) {
      return amount + items[i].compute <= kDevice;
    });
    device[i] = static_cast<int>(fits - used.begin());
    if (fits == used.end()) {
      used.push_back(items[i].compute);
    } else {
      *fits = *fits + items[i].compute;
    }
  }
  return device;
}

// Devices 0 … most-1 in the first allocation, the next ones in the second, and so on.
std::vector<Allocation> share_devices(const std::vector<PackItem>& items, int most) {
  const std::vector<int> device = first_fit_decreasing(items);
  std::vector<Allocation> out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto index = static_cast<std::size_t>(device[i] / most);
    if (index >= out.size()) out.resize(index + 1);
    const int position = device[i] % most;
    out[index].lanes.push_back({{position}, {items[i].step}});
    out[index].devices = std::max(out[index].devices, position + 1);
  }
  return out;
}

}  // namespace

std::vector<Allocation> pack(const std::vector<PackItem>& items, PackScope scope,
                             int most_devices) {
  std::vector<Allocation> out;
  std::vector<PackItem> fractions;
  for (const PackItem& item : items) {
    if (scope == PackScope::kGroup && is_fraction(item)) {
      fractions.push_back(item);
    } else {
      out.push_back(alone(item));
    }
  }
  for (Allocation& shared : share_devices(fractions, most_devices)) {
    out.push_back(std::move(shared));
  }
  return out;
}

}  // namespace compute_scale
