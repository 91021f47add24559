// Computes the bear-off database.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include "games/backgammon/action.hpp"
#include "games/backgammon/bearoff.hpp"

namespace senet::backgammon {
namespace {

void list_positions(HomePoints points, std::size_t point, std::size_t left,
                    std::vector<HomePoints>& positions) {
  if (point == 0) {
    positions[home_index(points)] = points;
    return;
  }
  for (std::size_t count = 0; count <= left; ++count) {
    points[point] = static_cast<std::uint8_t>(count);
    list_positions(points, point - 1, left - count, positions);
  }
}

/// Calls use(index) for each position that moving one checker with `die` leads to; for the position
/// itself if no checker is left. With all checkers home, every die can be moved, so the rules about
/// using both dice do not matter.
template <class Use>
void for_each_step(const HomePoints& points, std::size_t die, Use&& use) {
  std::size_t high = kHomePoints;
  while (high > 0 && points[high] == 0) --high;
  if (high == 0) use(HomeIndex{0});
  for (std::size_t point = high; point > 0; --point) {
    // A die beyond the rearmost checker bears that one off.
    if (points[point] == 0 || (point < die && point != high)) continue;
    HomePoints after = points;
    --after[point];
    if (point > die) ++after[point - die];
    use(home_index(after));
  }
}

double share_of(Dice dice) { return (dice.is_double() ? 1 : 2) / 36.0; }

/// The number of rolls until a position with an index below `done` is reached, for all positions
/// from there on, with the plays that minimise its mean.
///
/// A roll's plays are not listed. The best position after k moves with die d is the best, over the
/// first of these moves, of the best positions after k - 1; all of these have lower indices.
class FewestRolls {
 public:
  /// Distributions have `entries` entries; the last one includes all larger numbers of rolls.
  FewestRolls(const std::vector<HomePoints>& positions, std::size_t done, std::size_t entries)
      : positions_(positions),
        entries_(entries),
        mean_(positions.size()),
        shares_(positions.size() * entries) {
    for (auto& by_die : best_) {
      for (auto& best : by_die) {
        best.resize(positions.size());
        std::iota(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(done), HomeIndex{0});
      }
    }
    for (std::size_t i = 0; i < done; ++i) shares_[i * entries_] = 1;
    for (std::size_t i = done; i < positions.size(); ++i) add(static_cast<HomeIndex>(i));
  }

  /// [n]: the probability of n rolls.
  std::span<const float> shares(std::size_t index) const {
    return std::span(shares_).subspan(index * entries_, entries_);
  }

 private:
  void add(HomeIndex index) {
    for (std::size_t die = 1; die <= 6; ++die) {
      // best_[0] is the first move alone.
      for (std::size_t more = 0; more < 4; ++more) {
        best_[more][die - 1][index] = best_after(index, die, more, die);
      }
    }
    float* const own = &shares_[index * entries_];
    double mean = 1;
    for (Action roll = 0; roll < kRolls; ++roll) {
      const Dice dice = dice_of(roll);
      const HomeIndex after = best_of(index, dice);
      const double share = share_of(dice);
      mean += share * mean_[after];
      const float* const rest = &shares_[after * entries_];
      for (std::size_t n = 0; n < entries_; ++n) {
        own[std::min(n + 1, entries_ - 1)] += static_cast<float>(share) * rest[n];
      }
    }
    mean_[index] = mean;
  }

  HomeIndex best_of(HomeIndex index, Dice dice) const {
    if (dice.is_double()) return best_[3][dice.high - 1][index];
    const HomeIndex a = best_after(index, dice.high, 1, dice.low);
    const HomeIndex b = best_after(index, dice.low, 1, dice.high);
    return mean_[a] <= mean_[b] ? a : b;
  }

  /// The best position after a move with `die` and then `more` moves with `next`.
  HomeIndex best_after(HomeIndex index, std::size_t die, std::size_t more, std::size_t next) const {
    HomeIndex best = 0;
    double least = INFINITY;
    for_each_step(positions_[index], die, [&](HomeIndex after) {
      const HomeIndex end = more == 0 ? after : best_[more - 1][next - 1][after];
      if (mean_[end] < least) least = mean_[end], best = end;
    });
    return best;
  }

  const std::vector<HomePoints>& positions_;
  const std::size_t entries_;
  std::array<std::array<std::vector<HomeIndex>, 6>, 4> best_;  // [moves - 1][die - 1][index]
  std::vector<double> mean_;
  std::vector<float> shares_;  // [positions, entries]
};

/// Writes shares as whole numbers of 1/65535 that sum to 65535: differences of the rounded sums.
/// Entries that do not fit are added to the last one.
void write_shares(std::span<const float> shares, std::span<std::uint16_t> out) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  double sum = 0;
  long written = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    sum += i < shares.size() ? double{shares[i]} : 0;
    const long upto = i + 1 == out.size() ? 65535 : std::lround(sum / total * 65535);
    out[i] = static_cast<std::uint16_t>(upto - written);
    written = upto;
  }
}

RollShares packed(std::span<const float> shares) {
  // Begin with the first entry that is not rounded to 0.
  std::size_t first = 0;
  for (double sum = 0; first + 1 < shares.size(); ++first) {
    sum += shares[first];
    if (std::lround(sum * 65535) > 0) break;
  }
  RollShares rolls{.first = static_cast<std::uint8_t>(first), .unused = 0, .shares = {}};
  write_shares(shares.subspan(first), rolls.shares);
  return rolls;
}

/// The different positions that the plays of each position and roll lead to.
class Plays {
 public:
  /// Of the first `count` positions.
  Plays(const std::vector<HomePoints>& positions, std::size_t count) {
    begin_.push_back(0);
    for (std::size_t index = 0; index < count; ++index) {
      for (Action roll = 0; roll < kRolls; ++roll) {
        const Dice dice = dice_of(roll);
        const auto play = [&](std::initializer_list<std::size_t> dies) {
          std::vector<HomeIndex> now = {static_cast<HomeIndex>(index)}, next;
          for (const std::size_t die : dies) {
            next.clear();
            for (const HomeIndex from : now) {
              for_each_step(positions[from], die, [&](HomeIndex to) { next.push_back(to); });
            }
            std::ranges::sort(next);
            next.erase(std::unique(next.begin(), next.end()), next.end());
            now.swap(next);
          }
          reached_.insert(reached_.end(), now.begin(), now.end());
        };
        if (dice.is_double()) {
          play({dice.high, dice.high, dice.high, dice.high});
        } else {
          play({dice.high, dice.low});
          play({dice.low, dice.high});
        }
        const auto own = reached_.begin() + static_cast<std::ptrdiff_t>(begin_.back());
        std::sort(own, reached_.end());
        reached_.erase(std::unique(own, reached_.end()), reached_.end());
        begin_.push_back(reached_.size());
      }
    }
  }

  std::span<const HomeIndex> reached(std::size_t index, std::size_t roll) const {
    const std::size_t begin = begin_[index * kRolls + roll];
    return std::span(reached_).subspan(begin, begin_[index * kRolls + roll + 1] - begin);
  }

 private:
  std::vector<HomeIndex> reached_;
  std::vector<std::size_t> begin_;
};

/// The probability that the player on roll at `index` wins. `opponent`: for each index after the
/// play, the probability that the opponent, then on roll, wins.
float win_on_roll(const Plays& plays, std::size_t index, const float* opponent) {
  double sum = 0;
  for (Action roll = 0; roll < kRolls; ++roll) {
    float least = 1;
    for (const HomeIndex after : plays.reached(index, roll)) {
      least = std::min(least, opponent[after]);
    }
    sum += share_of(dice_of(roll)) * (1.0 - least);
  }
  return static_cast<float>(sum);
}

/// [on roll][waiting] of the first `count` positions.
std::vector<float> two_sided(const std::vector<HomePoints>& positions, std::size_t count) {
  const Plays plays(positions, count);
  std::vector<float> win(count * count);
  const auto row = [&](std::size_t on_roll) { return win.data() + on_roll * count; };
  std::fill_n(row(0), count, 1.0f);  // no checkers left: has won
  // An entry (a, b) depends on the entries (b, a') with a' < a. So the entries are filled in order
  // of their larger index m: for each m first the row (m, b), then the column (a, m).
  for (std::size_t m = 1; m < count; ++m) {
    for (std::size_t b = 1; b < m; ++b) row(m)[b] = win_on_roll(plays, m, row(b));
    for (std::size_t a = 1; a <= m; ++a) row(a)[m] = win_on_roll(plays, a, row(m));
  }
  return win;
}

}  // namespace

std::vector<HomePoints> list_home_positions(std::size_t checkers) {
  std::vector<HomePoints> positions(home_positions(checkers));
  list_positions({}, kHomePoints, checkers, positions);
  return positions;
}

void BearoffDatabase::build(std::span<std::byte> out) {
  assert(out.size() == kBytes);
  const std::vector<HomePoints> positions = list_home_positions(kCheckers);
  {
    const FewestRolls rolls(positions, 1, 24);
    auto* const last_off = reinterpret_cast<RollShares*>(out.data());
    for (std::size_t i = 0; i < kPositions; ++i) last_off[i] = packed(rolls.shares(i));
  }
  {
    const FewestRolls rolls(positions, kFirstOfAll, 12);
    auto* const first_off = reinterpret_cast<FirstOffShares*>(out.data() + kFirstOffAt);
    for (std::size_t i = kFirstOfAll; i < kPositions; ++i) {
      write_shares(rolls.shares(i).subspan(1), first_off[i - kFirstOfAll]);
    }
  }
  const std::vector<float> wins = two_sided(positions, kFewPositions);
  auto* const win = reinterpret_cast<std::uint16_t*>(out.data() + kTwoSidedAt);
  for (std::size_t i = 0; i < wins.size(); ++i) {
    win[i] = static_cast<std::uint16_t>(std::lround(wins[i] * 65535));
  }
}

}  // namespace senet::backgammon
