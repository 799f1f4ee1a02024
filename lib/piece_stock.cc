#include "piece_stock.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace compute_scale {
namespace {

constexpr std::size_t kMostShares = 64;

bool same(const Piece& a, const Piece& b) {
  return a.micro == b.micro && a.minutes == b.minutes;
}

}  // namespace

// Orders pieces_ by share, time and position; sets the shares' micro. Returns the share of each.
std::vector<std::size_t> PieceStock::share_of_each(const std::vector<Piece>& all) {
  std::vector<std::int64_t> different;
  different.reserve(pieces_.size());
  for (const std::size_t piece : pieces_) different.push_back(all[piece].micro);
  std::sort(different.begin(), different.end(), std::greater<>());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  const std::size_t together = (different.size() + kMostShares - 1) / kMostShares;
  for (std::size_t i = 0; i < different.size(); i += together) {
    shares_.push_back({different[i], 0, 0, 0});
  }
  std::vector<std::pair<std::size_t, std::size_t>> order;  // share, piece
  order.reserve(pieces_.size());
  for (const std::size_t piece : pieces_) {
    const auto found =
        std::lower_bound(different.begin(), different.end(), all[piece].micro, std::greater<>());
    order.emplace_back(static_cast<std::size_t>(found - different.begin()) / together, piece);
  }
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const Piece& x = all[a.second];
    const Piece& y = all[b.second];
    if (x.minutes != y.minutes) return x.minutes > y.minutes;
    if (x.micro != y.micro) return x.micro > y.micro;
    return a.second < b.second;
  });
  std::vector<std::size_t> shares;
  shares.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    shares.push_back(order[i].first);
    pieces_[i] = order[i].second;
  }
  return shares;
}

PieceStock::PieceStock(const std::vector<Piece>& all, std::vector<std::size_t> chosen)
    : pieces_(std::move(chosen)), left_(static_cast<std::int64_t>(pieces_.size())) {
  const std::vector<std::size_t> share = share_of_each(all);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Share& at = shares_[share[i]];
    const Piece& piece = all[pieces_[i]];
    const bool first = i == 0 || share[i] != share[i - 1];
    if (first) at.begin = runs_.size();
    if (first || !same(runs_.back().piece, piece)) {
      runs_.push_back({piece, i, 0, runs_.size()});
      at.end = runs_.size();
    }
    ++runs_.back().left;
    ++at.left;
  }
  runs_.push_back({{}, 0, 0, runs_.size()});  // where empty runs lead to in the end
}

// `run`, or the first behind it that is not empty for good.
std::size_t PieceStock::live(std::size_t run) {
  std::size_t end = run;
  while (runs_[end].next_run != end) end = runs_[end].next_run;
  while (runs_[run].next_run != end) {
    const std::size_t next = runs_[run].next_run;
    runs_[run].next_run = end;
    run = next;
  }
  return end;
}

std::size_t PieceStock::take_longest(Draft& draft) {
  std::size_t best = shares_.size();
  std::size_t best_run = 0;
  for (std::size_t share = 0; share < shares_.size(); ++share) {
    if (shares_[share].left == 0) continue;
    const std::size_t run = live(shares_[share].begin);
    const bool longer =
        best == shares_.size() || runs_[run].piece.minutes > runs_[best_run].piece.minutes;
    if (!longer) continue;
    best = share;
    best_run = run;
  }
  Run& run = runs_[best_run];
  draft = {{{best_run, 1}}, run.piece.minutes, run.piece.micro * run.piece.minutes};
  --run.left;
  --shares_[best].left;
  --left_;
  return best;
}

PieceStock::Draft PieceStock::take(std::size_t share, std::int64_t minutes, Chance* chance) {
  Draft draft;
  Share& from = shares_[share];
  std::size_t next = from.begin;
  while (from.left > 0) {
    const auto fits = std::lower_bound(
        runs_.begin() + static_cast<std::ptrdiff_t>(next),
        runs_.begin() + static_cast<std::ptrdiff_t>(from.end), minutes - draft.minutes,
        [](const Run& run, std::int64_t rest) { return run.piece.minutes > rest; });
    const std::size_t at = live(static_cast<std::size_t>(fits - runs_.begin()));
    if (at >= from.end) break;
    next = at + 1;
    Run& run = runs_[at];
    std::int64_t count = std::min(run.left, (minutes - draft.minutes) / run.piece.minutes);
    if (chance != nullptr && chance->one_in(16)) count -= 1;
    if (count <= 0) continue;
    draft.takes.push_back({at, count});
    draft.minutes += count * run.piece.minutes;
    draft.area += count * run.piece.minutes * run.piece.micro;
    run.left -= count;
    from.left -= count;
    left_ -= count;
  }
  return draft;
}

void PieceStock::put_back(std::size_t share, const Draft& draft) {
  for (const Take& take : draft.takes) {
    runs_[take.run].left += take.count;
    shares_[share].left += take.count;
    left_ += take.count;
  }
}

void PieceStock::take_again(std::size_t share, const Draft& draft) {
  for (const Take& take : draft.takes) {
    runs_[take.run].left -= take.count;
    shares_[share].left -= take.count;
    left_ -= take.count;
  }
}

void PieceStock::move_to(const Draft& draft, Chain& chain) {
  for (const Take& take : draft.takes) {
    Run& run = runs_[take.run];
    for (std::int64_t i = 0; i < take.count; ++i) chain.push_back(pieces_[run.next_piece++]);
    if (run.left == 0) run.next_run = take.run + 1;
  }
}

}  // namespace compute_scale
