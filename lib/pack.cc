#include "pack.h"

#include <algorithm>
#include <numeric>

#include "device_fill.h"

namespace compute_scale {
namespace {

constexpr GpuAmount kDevice = GpuAmount::whole(1);
// Enough for a suite of a hundred fractions to end within a hundredth of what is possible; in one
// group of a task there is little to choose from.
constexpr int kRounds = 1000;

bool is_fraction(const PackItem& item) {
  return !item.compute.is_zero() && item.compute < kDevice;
}

Allocation alone(const PackItem& item) {
  const int devices = static_cast<int>(item.compute.devices());
  std::vector<int> all(static_cast<std::size_t>(devices));
  std::iota(all.begin(), all.end(), 0);
  return {{{all, {item.step}}}, devices};
}

// An allocation of whole devices, while steps are still positions in the list of items.
struct Draft {
  Allocation allocation;
  std::int64_t minutes = 0;
};

void add_device(Allocation& allocation, const FilledDevice& device) {
  for (const Chain& chain : device.chains) {
    allocation.lanes.push_back({{allocation.devices}, chain});
  }
  ++allocation.devices;
}

// The allocation as the caller sees it: lanes by their first item, steps by the caller's numbers.
Allocation finished(Allocation allocation, const std::vector<PackItem>& items) {
  std::sort(allocation.lanes.begin(), allocation.lanes.end(),
            [](const Lane& a, const Lane& b) { return a.steps.front() < b.steps.front(); });
  for (Lane& lane : allocation.lanes) {
    for (std::size_t& step : lane.steps) step = items[step].step;
  }
  return allocation;
}

class SharedDevices {
 public:
  SharedDevices(const std::vector<PackItem>& items, const PackOptions& options)
      : items_(items), options_(options) {}

  std::vector<Allocation> allocations() {
    for (const FilledDevice& device : filled()) add(device);
    std::stable_sort(drafts_.begin(), drafts_.end(),
                     [](const Draft& a, const Draft& b) { return first_item(a) < first_item(b); });
    std::vector<Allocation> out;
    out.reserve(drafts_.size());
    for (Draft& draft : drafts_) out.push_back(finished(std::move(draft.allocation), items_));
    return out;
  }

 private:
  static std::size_t first_item(const Draft& draft) {
    std::size_t first = draft.allocation.lanes.front().steps.front();
    for (const Lane& lane : draft.allocation.lanes) first = std::min(first, lane.steps.front());
    return first;
  }

  std::vector<FilledDevice> filled() const {
    std::vector<Piece> pieces;
    pieces.reserve(items_.size());
    for (const PackItem& item : items_) {
      pieces.push_back({item.compute.micro(), item.time.minutes});
    }
    FillOptions options;
    if (options_.scope == PackScope::kAll) options.rounds = kRounds;
    if (options_.fits) {
      options.fits = [this](const FilledDevice& device) {
        Allocation one;
        add_device(one, device);
        return options_.fits(finished(std::move(one), items_));
      };
    }
    return fill_devices(pieces, options);
  }

  // Beside devices that are kept for the same time, where the scope allows and there is room.
  void add(const FilledDevice& device) {
    if (options_.scope == PackScope::kGroup) {
      for (Draft& draft : drafts_) {
        if (draft.minutes != device.minutes) continue;
        if (draft.allocation.devices >= options_.most_devices) continue;
        Allocation together = draft.allocation;
        add_device(together, device);
        if (options_.fits && !options_.fits(finished(together, items_))) continue;
        draft.allocation = std::move(together);
        return;
      }
    }
    Draft draft;
    draft.minutes = device.minutes;
    add_device(draft.allocation, device);
    drafts_.push_back(std::move(draft));
  }

  const std::vector<PackItem>& items_;
  const PackOptions& options_;
  std::vector<Draft> drafts_;
};

}  // namespace

std::optional<PackScope> parse_pack_scope(std::string_view text) {
  for (const PackScope scope : {PackScope::kNone, PackScope::kGroup, PackScope::kAll}) {
    if (text == to_string(scope)) return scope;
  }
  return std::nullopt;
}

std::string to_string(PackScope scope) {
  if (scope == PackScope::kNone) return "none";
  return scope == PackScope::kGroup ? "group" : "all";
}

std::vector<Allocation> pack(const std::vector<PackItem>& items, const PackOptions& options) {
  std::vector<Allocation> out;
  std::vector<PackItem> fractions;
  for (const PackItem& item : items) {
    if (options.scope != PackScope::kNone && is_fraction(item)) {
      fractions.push_back(item);
    } else {
      out.push_back(alone(item));
    }
  }
  for (Allocation& shared : SharedDevices(fractions, options).allocations()) {
    out.push_back(std::move(shared));
  }
  return out;
}

}  // namespace compute_scale
