// The pieces that still have no device, by share and time (device_fill.h).
#ifndef COMPUTE_SCALE_LIB_PIECE_STOCK_H_
#define COMPUTE_SCALE_LIB_PIECE_STOCK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device_fill.h"

namespace compute_scale {

// A repeatable source of chance; the same on every machine.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  // A number from 0 to count - 1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

class PieceStock {
 public:
  // `count` pieces of one share and one time.
  struct Take {
    std::size_t run;
    std::int64_t count;
  };
  // What a chain takes: from where, how many minutes it lasts and share x minutes of its pieces.
  struct Draft {
    std::vector<Take> takes;
    std::int64_t minutes = 0;
    std::int64_t area = 0;
  };

  // The pieces of `all` at the positions `chosen`.
  PieceStock(const std::vector<Piece>& all, std::vector<std::size_t> chosen);

  // Shares of a device, largest first. A share counts as `micro` in sums.
  std::size_t shares() const { return shares_.size(); }
  std::int64_t micro(std::size_t share) const { return shares_[share].micro; }
  std::int64_t left(std::size_t share) const { return shares_[share].left; }
  bool empty() const { return left_ == 0; }

  // Takes the longest piece that is left, of the largest share; returns which share that is.
  std::size_t take_longest(Draft& draft);
  // Takes pieces of `share` for at most `minutes`, always the longest that still fits. With
  // `chance`, lengths are left out now and then.
  Draft take(std::size_t share, std::int64_t minutes, Chance* chance);
  void put_back(std::size_t share, const Draft& draft);
  // Takes what was put back, which nobody else has taken in between.
  void take_again(std::size_t share, const Draft& draft);
  // Appends the pieces themselves, which are then gone for good.
  void move_to(const Draft& draft, Chain& chain);

 private:
  struct Run {
    Piece piece;
    std::size_t next_piece;  // in pieces_
    std::int64_t left;
    std::size_t next_run;  // itself, or a later one if it is empty for good
  };
  struct Share {
    std::int64_t micro;
    std::size_t begin, end;  // in runs_, longest first
    std::int64_t left;
  };
  std::size_t live(std::size_t run);
  std::vector<std::size_t> share_of_each(const std::vector<Piece>& all);

  std::vector<std::size_t> pieces_;
  std::vector<Run> runs_;
  std::vector<Share> shares_;
  std::int64_t left_ = 0;
};

}  // namespace compute_scale

#endif  // COMPUTE_SCALE_LIB_PIECE_STOCK_H_
