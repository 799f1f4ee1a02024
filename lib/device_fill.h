// Fills devices in both dimensions: shares of a device side by side, and shorter steps one after
// another in the time that a longer one keeps the device.
#ifndef COMPUTE_SCALE_LIB_DEVICE_FILL_H_
#define COMPUTE_SCALE_LIB_DEVICE_FILL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace compute_scale {

// A step: its share of a device (1e-6, above 0 and at most 1,000,000) and how long it keeps it.
struct Piece {
  std::int64_t micro = 0;
  std::int64_t minutes = 0;
};

// Pieces that run one after another, given as positions in the list that is filled in.
using Chain = std::vector<std::size_t>;

// Chains side by side on one device for `minutes`, which is the time of its longest piece: no chain
// takes longer. The largest shares of the chains add up to at most exactly 1,000,000.
struct FilledDevice {
  std::int64_t minutes = 0;
  std::vector<Chain> chains;
};

struct FillOptions {
  // How often some devices are emptied and filled anew in the hope of needing less time together.
  int rounds = 0;
  // Whether a node can give what the device's pieces need at once; absent: always. A piece that
  // does not even fit alone has a device of its own.
  std::function<bool(const FilledDevice&)> fits;
};

// Every piece exactly once, on devices that together are kept as short as this finds. A device is
// opened by the longest piece that is left; what runs beside it is chosen to fill it best. Equal
// pieces are taken in the order of the list, so that neighbours stay together. The same list gives
// the same devices. O(n log n) for lists with few different shares; of more than 64 different ones
// the nearest count as the larger.
std::vector<FilledDevice> fill_devices(const std::vector<Piece>& pieces,
                                       const FillOptions& options);

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_DEVICE_FILL_H_
