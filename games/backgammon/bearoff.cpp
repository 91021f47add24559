#include "games/backgammon/bearoff.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "games/backgammon/backgammon.hpp"

namespace senet::backgammon {
namespace {

constexpr double kWhole = 65535;

/// The number of rolls after which no game of the one-sided part is still open.
constexpr std::size_t kMostRolls = 48;

/// [n]: the probability, in 1/65535, of more than n rolls. Beyond the last entry it is 0.
using Later = std::array<std::uint32_t, kMostRolls>;

template <class Shares>
Later later_than(std::size_t first, const Shares& shares) {
  Later later{};
  std::uint32_t sum = 0;
  for (std::size_t i = shares.size(); i-- > 0;) {
    sum += shares[i];
    if (first + i > 0) later[first + i - 1] = sum;
  }
  std::fill_n(later.begin(), first > 0 ? first - 1 : 0, sum);
  return later;
}

Later later_than(const RollShares& rolls) { return later_than(rolls.first, rolls.shares); }

/// The sum over all n of P(rolls = n) * P(others > n - head_start); `later` is of the others.
double before(const RollShares& rolls, const Later& others, std::size_t head_start) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < rolls.shares.size(); ++i) {
    const std::size_t roll = rolls.first + i;
    if (roll >= head_start) sum += std::uint64_t{rolls.shares[i]} * others[roll - head_start];
  }
  return static_cast<double>(sum) / (kWhole * kWhole);
}

bool is_few(const Checkers& checkers) {
  return checkers[kOff] >= kCheckers - static_cast<int>(BearoffDatabase::kTwoSided) &&
         are_home(checkers);
}

}  // namespace

bool BearoffDatabase::is_two_sided(const Board& board) {
  return is_few(board.on_roll) && is_few(board.waiting);
}

double BearoffDatabase::win(const Board& board) const {
  assert(is_two_sided(board));
  const std::size_t number = home_index(board.on_roll) * kFewPositions + home_index(board.waiting);
  return entry<std::uint16_t>(kTwoSidedAt, number) / kWhole;
}

const RollShares& BearoffDatabase::until_last_off(const Checkers& checkers) const {
  assert(are_home(checkers));
  return entry<RollShares>(0, home_index(checkers));
}

const FirstOffShares& BearoffDatabase::until_first_off(const Checkers& checkers) const {
  assert(are_home(checkers) && checkers[kOff] == 0);
  return entry<FirstOffShares>(kFirstOffAt, home_index(checkers) - kFirstOfAll);
}

bool BearoffDatabase::find(const Backgammon& state, std::span<float> outcomes) const {
  const Board board = state.board();
  if (!are_home(board.on_roll) || !are_home(board.waiting)) return false;
  if (state.turn() != Turn::kChance) return false;
  double won = 0, won_gammon = 0, lost_gammon = 0;
  if (is_two_sided(board)) {
    won = win(board);
  } else {
    const RollShares& mine = until_last_off(board.on_roll);
    const RollShares& theirs = until_last_off(board.waiting);
    // The player on roll is one roll ahead of the opponent.
    won = before(mine, later_than(theirs), 1);
    if (board.waiting[kOff] == 0) {
      const Later saved = later_than(1, until_first_off(board.waiting));
      won_gammon = std::min(won, before(mine, saved, 1));
    }
    if (board.on_roll[kOff] == 0) {
      const Later saved = later_than(1, until_first_off(board.on_roll));
      lost_gammon = std::min(1 - won, before(theirs, saved, 0));
    }
  }
  // Win single, gammon, backgammon; lose the same.
  outcomes[0] = static_cast<float>(won - won_gammon);
  outcomes[1] = static_cast<float>(won_gammon);
  outcomes[3] = static_cast<float>(1 - won - lost_gammon);
  outcomes[4] = static_cast<float>(lost_gammon);
  outcomes[2] = outcomes[5] = 0;
  return true;
}

}  // namespace senet::backgammon
