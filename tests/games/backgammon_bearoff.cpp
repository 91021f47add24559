#include "tests/games/backgammon_bearoff.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

#include "games/backgammon/backgammon.hpp"
#include "tests/games/backgammon_positions.hpp"

namespace senet::backgammon {
namespace {

constexpr std::size_t kHomePoints = 6;

constexpr std::size_t binomial(std::size_t n, std::size_t k) {
  std::size_t product = 1;
  for (std::size_t i = 1; i <= k; ++i) product = product * (n - k + i) / i;
  return product;
}

std::size_t index_of(const Checkers& checkers) {
  std::size_t index = 0, behind = 0;
  for (std::size_t k = 1; k <= kHomePoints; ++k) {
    behind += checkers[kHomePoints + 1 - k];
    index += binomial(behind + k - 1, k);
  }
  return index;
}

int on_board(const Checkers& checkers) { return kCheckers - checkers[kOff]; }

/// The positions that the plays of each position and roll lead to.
class Plays {
 public:
  explicit Plays(std::size_t most_checkers) {
    std::vector<Checkers> positions(binomial(most_checkers + kHomePoints, kHomePoints));
    list_positions({}, kHomePoints, most_checkers, positions);
    begin_.push_back(0);
    for (const Checkers& position : positions) {
      for (Action roll = 0; roll < kRolls; ++roll) {
        add_plays(position, dice_of(roll));
        begin_.push_back(reached_.size());
      }
    }
  }

  /// Indices of the positions that the plays of a roll lead to; empty for index 0.
  std::span<const std::uint16_t> reached(std::size_t index, std::size_t roll) const {
    const std::size_t begin = begin_[index * kRolls + roll];
    return std::span(reached_).subspan(begin, begin_[index * kRolls + roll + 1] - begin);
  }

 private:
  // Lists all positions with at most `left` checkers on `point` and below.
  static void list_positions(Checkers checkers, std::size_t point, std::size_t left,
                             std::vector<Checkers>& positions) {
    if (point == 0) {
      const Result<Checkers> all = with_borne_off(checkers);
      positions[index_of(*all)] = *all;
      return;
    }
    for (std::size_t count = 0; count <= left; ++count) {
      checkers[point] = static_cast<std::uint8_t>(count);
      list_positions(checkers, point - 1, left - count, positions);
    }
  }

  // Uses the rules of the game, with the opponent's checkers where they block nothing.
  void add_plays(const Checkers& checkers, Dice dice) {
    if (checkers[kOff] == kCheckers) return;
    Checkers opponent{};
    opponent[1] = kCheckers;
    const Result<Backgammon> state = Backgammon::from_board({checkers, opponent}, 0, dice);
    ActionList<Backgammon::kMaxLegal> actions;
    state->legal(actions);
    for (const Action action : actions) {
      Backgammon after = *state;
      after.play(action);
      reached_.push_back(static_cast<std::uint16_t>(index_of(after.checkers(0))));
    }
  }

  std::vector<std::uint16_t> reached_;
  std::vector<std::size_t> begin_;
};

static_assert(binomial(BearoffTable::kMaxCheckers + kHomePoints, kHomePoints) <=
              std::numeric_limits<std::uint16_t>::max());

/// The probability that the player on roll at `index` wins. `opponent`: for each index after the
/// play, the probability that the opponent, then on roll, wins.
float win_on_roll(const Plays& plays, std::size_t index, const float* opponent) {
  double sum = 0;
  for (std::size_t roll = 0; roll < kRolls; ++roll) {
    float least = 1;
    for (const std::uint16_t after : plays.reached(index, roll)) {
      least = std::min(least, opponent[after]);
    }
    sum += (roll < kOpeningRolls ? 2 : 1) * (1.0 - least);
  }
  return static_cast<float>(sum / 36);
}

}  // namespace

BearoffTable::BearoffTable(std::size_t most_checkers)
    : most_checkers_(most_checkers),
      positions_(binomial(most_checkers + kHomePoints, kHomePoints)),
      win_(positions_ * positions_) {
  assert(most_checkers >= 1 && most_checkers <= kMaxCheckers);
  const Plays plays(most_checkers);
  const auto row = [&](std::size_t on_roll) { return win_.data() + on_roll * positions_; };
  std::fill_n(row(0), positions_, 1.0f);  // no checkers left: has won
  // An entry (a, b) depends on the entries (b, a') with a' < a. So the entries are filled in order
  // of their larger index m: for each m first the row (m, b), then the column (a, m).
  for (std::size_t m = 1; m < positions_; ++m) {
    for (std::size_t b = 1; b < m; ++b) row(m)[b] = win_on_roll(plays, m, row(b));
    for (std::size_t a = 1; a <= m; ++a) row(a)[m] = win_on_roll(plays, a, row(m));
  }
}

bool BearoffTable::holds(const Board& board) const {
  const auto fits = [&](const Checkers& checkers) {
    return on_board(checkers) <= static_cast<int>(most_checkers_) &&
           (occupied_places(checkers) & kOutsideHome) == 0;
  };
  return fits(board.on_roll) && fits(board.waiting);
}

float BearoffTable::win(const Board& board) const {
  assert(holds(board));
  return win_[index_of(board.on_roll) * positions_ + index_of(board.waiting)];
}

}  // namespace senet::backgammon
