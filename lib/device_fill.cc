#include "device_fill.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "piece_stock.h"

namespace compute_scale {
namespace {

using Draft = PieceStock::Draft;

constexpr std::int64_t kDevice = 1000000;
constexpr std::size_t kMostStates = 256;
constexpr std::size_t kMostRefilled = 400;  // pieces that are filled anew at once

// Fills one device after another from a stock of pieces.
class Filler {
 public:
  Filler(const std::vector<Piece>& all, std::vector<std::size_t> chosen, Chance* chance)
      : stock_(all, std::move(chosen)), chance_(chance), drafts_(stock_.shares()) {}

  std::vector<FilledDevice> fill() {
    std::vector<FilledDevice> devices;
    while (!stock_.empty()) devices.push_back(fill_one());
    return devices;
  }

 private:
  struct Lane {
    std::size_t share;
    std::int64_t minutes;
  };
  // A way to use a part of the device: `count` chains of `share`, and the rest as in `before`.
  struct State {
    std::int64_t used;
    std::int64_t area;
    std::size_t before;
    std::size_t share;
    std::size_t count;
  };

  FilledDevice fill_one() {
    FilledDevice device;
    Draft first;
    const std::size_t share = stock_.take_longest(first);
    device.minutes = first.minutes;
    lanes_.assign(1, Lane{share, first.minutes});
    device.chains.emplace_back();
    stock_.move_to(first, device.chains.back());
    add_best_chains(device, kDevice - stock_.micro(share));
    fill_gaps(device);
    return device;
  }

  // Chains of one share each, chosen so that they use the most of what is left of the device.
  void add_best_chains(FilledDevice& device, std::int64_t room) {
    states_.assign(1, {0, 0, 0, 0, 0});
    frontier_.assign(1, 0);
    for (std::size_t share = 0; share < stock_.shares(); ++share) {
      drafts_[share].clear();
      if (stock_.micro(share) <= room && stock_.left(share) > 0) add_share(device, room, share);
    }
    take_state(device, frontier_.back());
  }

  // How the device can be used if up to as many chains of `share` as fit run on it, too.
  void add_share(const FilledDevice& device, std::int64_t room, std::size_t share) {
    std::vector<Draft>& drafts = drafts_[share];
    const std::int64_t most = room / stock_.micro(share);
    while (static_cast<std::int64_t>(drafts.size()) < most) {
      Draft draft = stock_.take(share, device.minutes, chance_);
      if (draft.takes.empty()) break;
      drafts.push_back(std::move(draft));
    }
    for (const Draft& draft : drafts) stock_.put_back(share, draft);
    const std::size_t old = frontier_.size();
    std::int64_t area = 0;
    for (std::size_t count = 1; count <= drafts.size(); ++count) {
      area += drafts[count - 1].area;
      const std::int64_t used = stock_.micro(share) * static_cast<std::int64_t>(count);
      if (!is_tried(count, drafts.size())) continue;
      for (std::size_t i = 0; i < old; ++i) {
        const State& before = states_[frontier_[i]];
        if (before.used + used > room) break;  // the frontier is in the order of what is used
        states_.push_back({before.used + used, before.area + area, frontier_[i], share, count});
        frontier_.push_back(states_.size() - 1);
      }
    }
    keep_best();
  }

  // Of many small chains not every number is worth a try.
  static bool is_tried(std::size_t count, std::size_t all) {
    return count <= 16 || count == all || (count & (count - 1)) == 0;
  }

  // Leaves the states that no other one beats with less room.
  void keep_best() {
    std::stable_sort(frontier_.begin(), frontier_.end(), [&](std::size_t a, std::size_t b) {
      if (states_[a].used != states_[b].used) return states_[a].used < states_[b].used;
      return states_[a].area > states_[b].area;
    });
    std::size_t kept = 0;
    for (const std::size_t state : frontier_) {
      if (kept > 0 && states_[state].area <= states_[frontier_[kept - 1]].area) continue;
      frontier_[kept++] = state;
    }
    frontier_.resize(kept);
    if (kept > kMostStates) {
      frontier_.erase(frontier_.begin(), frontier_.end() - kMostStates);
      frontier_.insert(frontier_.begin(), 0);
    }
  }

  void take_state(FilledDevice& device, std::size_t state) {
    for (; state != 0; state = states_[state].before) {
      const std::size_t share = states_[state].share;
      for (std::size_t i = 0; i < states_[state].count; ++i) {
        stock_.take_again(share, drafts_[share][i]);
        lanes_.push_back({share, drafts_[share][i].minutes});
        device.chains.emplace_back();
        stock_.move_to(drafts_[share][i], device.chains.back());
      }
    }
  }

  // Behind the chains' own pieces, smaller shares for as long as the device is kept anyway.
  void fill_gaps(FilledDevice& device) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      for (std::size_t share = lanes_[i].share; share < stock_.shares(); ++share) {
        const std::int64_t rest = device.minutes - lanes_[i].minutes;
        if (rest == 0) break;
        const Draft draft = stock_.take(share, rest, nullptr);
        lanes_[i].minutes += draft.minutes;
        stock_.move_to(draft, device.chains[i]);
      }
    }
  }

  PieceStock stock_;
  Chance* chance_;
  std::vector<std::vector<Draft>> drafts_;  // of each share, for the device that is being filled
  std::vector<Lane> lanes_;
  std::vector<State> states_;
  std::vector<std::size_t> frontier_;
};

// Takes off what does not fit a node beside the rest; appends it to `pieces`.
void trim(FilledDevice& device, const FillOptions& options, std::vector<std::size_t>& pieces) {
  while (!options.fits(device)) {
    Chain& last = device.chains.back();
    if (device.chains.size() == 1 && last.size() == 1) return;
    pieces.push_back(last.back());
    last.pop_back();
    if (last.empty()) device.chains.pop_back();
  }
}

std::vector<FilledDevice> fill(const std::vector<Piece>& all, std::vector<std::size_t> chosen,
                               const FillOptions& options, Chance* chance) {
  std::vector<FilledDevice> devices;
  while (!chosen.empty()) {
    std::vector<FilledDevice> filled = Filler(all, std::move(chosen), chance).fill();
    chosen.clear();
    for (FilledDevice& device : filled) {
      if (options.fits) trim(device, options, chosen);
      devices.push_back(std::move(device));
    }
  }
  return devices;
}

std::int64_t minutes_of(const std::vector<FilledDevice>& devices) {
  std::int64_t sum = 0;
  for (const FilledDevice& device : devices) sum += device.minutes;
  return sum;
}

// Empties a few devices at a time and fills them anew, by chance in another way.
class Improver {
 public:
  Improver(const std::vector<Piece>& all, const FillOptions& options,
           std::vector<FilledDevice> devices)
      : all_(all), options_(options), devices_(std::move(devices)) {}

  std::vector<FilledDevice> improve() {
    for (const FilledDevice& device : devices_) unused_.push_back(unused(device));
    for (int round = 0; round < options_.rounds && devices_.size() > 1; ++round) try_others();
    // The fullest first, so that neighbours fill devices and what is left over comes last.
    std::stable_sort(devices_.begin(), devices_.end(), [&](const auto& a, const auto& b) {
      return a.minutes != b.minutes ? a.minutes > b.minutes : unused(a) < unused(b);
    });
    return std::move(devices_);
  }

 private:
  std::int64_t unused(const FilledDevice& device) const {
    std::int64_t area = device.minutes * kDevice;
    for (const Chain& chain : device.chains) {
      for (const std::size_t piece : chain) area -= all_[piece].micro * all_[piece].minutes;
    }
    return area;
  }

  // Of three devices by chance the one that is used least.
  std::size_t a_poor_one() {
    std::size_t poor = chance_.below(devices_.size());
    for (int i = 0; i < 2; ++i) {
      const std::size_t other = chance_.below(devices_.size());
      if (unused_[other] > unused_[poor]) poor = other;
    }
    return poor;
  }

  std::vector<std::size_t> choose() {
    std::vector<std::size_t> chosen = {a_poor_one()};
    const std::size_t count = std::min<std::size_t>(2 + chance_.below(7), devices_.size());
    while (chosen.size() < count) {
      const std::size_t other = chance_.below(devices_.size());
      if (std::find(chosen.begin(), chosen.end(), other) == chosen.end()) chosen.push_back(other);
    }
    std::sort(chosen.begin(), chosen.end(), std::greater<>());
    return chosen;
  }

  void try_others() {
    const std::vector<std::size_t> chosen = choose();
    std::vector<std::size_t> pieces;
    std::int64_t before = 0;
    for (const std::size_t device : chosen) {
      before += devices_[device].minutes;
      for (const Chain& chain : devices_[device].chains) {
        pieces.insert(pieces.end(), chain.begin(), chain.end());
      }
    }
    if (pieces.size() > kMostRefilled) return;
    std::vector<FilledDevice> filled = fill(all_, std::move(pieces), options_, &chance_);
    if (minutes_of(filled) <= before) replace(chosen, std::move(filled));
  }

  // `chosen` is in descending order, so that the last device can take the place of a removed one.
  void replace(const std::vector<std::size_t>& chosen, std::vector<FilledDevice> filled) {
    for (const std::size_t device : chosen) {
      std::swap(devices_[device], devices_.back());
      std::swap(unused_[device], unused_.back());
      devices_.pop_back();
      unused_.pop_back();
    }
    for (FilledDevice& device : filled) {
      unused_.push_back(unused(device));
      devices_.push_back(std::move(device));
    }
  }

  const std::vector<Piece>& all_;
  const FillOptions& options_;
  std::vector<FilledDevice> devices_;
  std::vector<std::int64_t> unused_;
  Chance chance_{88172645463325252u};
};

// Equal pieces in the order of the list over the devices, so that neighbours are near each other.
void put_in_order(const std::vector<Piece>& all, std::vector<FilledDevice>& devices) {
  std::vector<std::size_t*> places;
  for (FilledDevice& device : devices) {
    for (Chain& chain : device.chains) {
      for (std::size_t& piece : chain) places.push_back(&piece);
    }
  }
  const auto key = [&](std::size_t piece) {
    return std::make_pair(all[piece].micro, all[piece].minutes);
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](const std::size_t* a, const std::size_t* b) { return key(*a) < key(*b); });
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < order.size(); ++i) *places[i] = order[i];
}

}  // namespace

std::vector<FilledDevice> fill_devices(const std::vector<Piece>& pieces,
                                       const FillOptions& options) {
  std::vector<std::size_t> all(pieces.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<FilledDevice> devices = fill(pieces, std::move(all), options, nullptr);
  if (options.rounds == 0) return devices;
  devices = Improver(pieces, options, std::move(devices)).improve();
  // With limits, equal pieces may differ in what else they need.
  if (!options.fits) put_in_order(pieces, devices);
  return devices;
}

}  // namespace compute_scale
