#include "games/connect_four/kit/solver.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "games/connect_four/cells.hpp"
#include "games/multiversion.hpp"
#include "games/random.hpp"

namespace senet::connect_four {
namespace {

constexpr int kCells = static_cast<int>(ConnectFour::kCells);

// The score of a win is 22 minus the number of the winner's stones. With `plies` stones on the
// board, this is the score for winning with the next stone.
constexpr int score_of_win(int plies) { return (kCells + 1 - plies) / 2; }
// The score for losing to the other player's next stone.
constexpr int score_of_loss(int plies) { return -((kCells - plies) / 2); }

// Added to a bound (magnitude at most 21) in a table entry, to mark it as upper or lower and to
// make it positive. The sum has 8 bits and is never 0.
constexpr int kUpper = 64, kLower = 192;
constexpr std::uint64_t kBoundBits = 8;

// The middle first: it is part of more lines.
constexpr std::array<int, ConnectFour::kColumns> kFromTheMiddle = {3, 2, 4, 1, 5, 0, 6};

// In each column the highest set bit marks its height; below it are the mover's stones. Mirrored
// positions share a key.
std::uint64_t key_of(std::uint64_t mine, std::uint64_t occupied) {
  const std::uint64_t key = landing_cells(occupied) | mine;
  return std::min(key, mirror_board(key));
}

}  // namespace

Solver::Solver(std::size_t table_bytes)
    : table_(std::bit_floor(std::max(table_bytes, std::size_t{1} << 20)) / sizeof(std::uint64_t)) {}

int Solver::score(const ConnectFour& state, int low, int high) {
  assert(is_decision(state.turn()));
  const ConnectFour::Stones stones = state.stones();
  const std::uint64_t occupied = stones[0] | stones[1];
  const Position position{stones[state.viewer()], occupied, std::popcount(occupied)};
  const bool wins_at_once = (threats(position.mine, occupied) & landing_cells(occupied)) != 0;
  if (wins_at_once) return score_of_win(position.plies);
  low = std::max(low, score_of_loss(position.plies));
  high = std::min(high, score_of_win(position.plies + 2));
  while (low < high) {
    // Tests scores near a draw first: that is fastest and excludes most scores.
    int middle = low + (high - low) / 2;
    if (middle <= 0 && low / 2 < middle) middle = low / 2;
    if (middle >= 0 && high / 2 > middle) middle = high / 2;
    const int found = search(position, middle, middle + 1);
    if (found <= middle) {
      high = found;
    } else {
      low = found;
    }
  }
  return low;
}

// Returns the score if it is between alpha and beta. Otherwise returns a bound: a result of at most
// alpha is an upper bound, a result of at least beta a lower bound. The player to move cannot win
// with the next stone. (Multiversioned, because baseline x86-64 has no popcount instruction.)
SENET_MULTIVERSION
int Solver::search(const Position& position, int alpha, int beta) {
  const auto [mine, occupied, plies] = position;
  const std::uint64_t theirs = occupied ^ mine;

  const std::uint64_t safe =
      safe_cells(landing_cells(occupied) & kBoard, threats(theirs, occupied));
  if (safe == 0) return score_of_loss(plies);
  if (plies >= kCells - 2) return 0;

  // The other player cannot win with the next stone, and we cannot win before our second stone.
  alpha = std::max(alpha, score_of_loss(plies + 2));
  beta = std::min(beta, score_of_win(plies + 2));
  if (alpha >= beta) return alpha;

  const std::uint64_t key = key_of(mine, occupied);
  std::uint64_t& entry = table_[mix(key) & (table_.size() - 1)];
  if (entry >> kBoundBits == key) {
    const int bound = static_cast<int>(entry & ((1u << kBoundBits) - 1));
    if (bound > (kUpper + kLower) / 2) {
      alpha = std::max(alpha, bound - kLower);
    } else {
      beta = std::min(beta, bound - kUpper);
    }
    if (alpha >= beta) return alpha;
  }

  struct Move {
    std::uint64_t stone;
    int threats;
  };
  std::array<Move, ConnectFour::kColumns> moves;
  std::size_t count = 0;
  for (const int column : kFromTheMiddle) {
    const std::uint64_t stone = safe & (kColumn << (kRight * column));
    if (stone == 0) continue;
    const Move move{stone, std::popcount(threats(mine | stone, occupied | stone))};
    std::size_t at = count++;
    for (; at > 0 && moves[at - 1].threats < move.threats; --at) moves[at] = moves[at - 1];
    moves[at] = move;
  }
  const auto note = [&](int bound, int kind) {
    entry = key << kBoundBits | static_cast<std::uint64_t>(bound + kind);
    return bound;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Position next{theirs, occupied | moves[i].stone, plies + 1};
    const int score = -search(next, -beta, -alpha);
    if (score >= beta) return note(score, kLower);
    alpha = std::max(alpha, score);
  }
  return note(alpha, kUpper);
}

}  // namespace senet::connect_four
