// Random states of backgammon for tests: from random play, and with randomly placed checkers.
#pragma once

#include <array>
#include <numeric>
#include <span>

#include "games/backgammon/backgammon.hpp"
#include "games/random_moves.hpp"

namespace senet::backgammon {

/// Sets [0] so that there are 15 checkers; fails when there are already more.
inline Result<Checkers> with_borne_off(Checkers checkers) {
  const int on_board = std::accumulate(checkers.begin() + 1, checkers.end(), 0);
  if (on_board > kCheckers) return fail("more than 15 checkers");
  checkers[kOff] = static_cast<std::uint8_t>(kCheckers - on_board);
  return checkers;
}

inline Dice random_dice(Random& random) {
  return *make_dice(static_cast<int>(random.below(6)) + 1, static_cast<int>(random.below(6)) + 1);
}

/// Whether the next roll is the opening roll, which is never a double.
inline bool is_opening_roll(const Backgammon& state) { return state.text().ends_with(":open"); }

/// Calls `visit(state)` for all states of `games` random games, chance turns and ends included.
template <class Visit>
void visit_random_games(std::uint64_t seed, std::uint64_t games, Visit&& visit) {
  for (std::uint64_t game = 0; game < games; ++game) {
    Random random(seed, game, 0, Purpose::kTest);
    Backgammon state;
    while (state.turn() != Turn::kOver) {
      visit(state);
      state.play(draw_action(state, random));
    }
    visit(state);
  }
}

/// One player's checkers, randomly placed on points and bar but not on `taken` (own places).
inline Checkers scatter(Random& random, Places taken) {
  Checkers checkers{};
  // A short reach produces stacks and bear-offs, a long one blots.
  constexpr std::array<std::uint32_t, 5> kReach{6, 8, 14, 24, 25};
  const std::uint32_t reach = kReach[random.below(5)];
  const std::uint32_t count = random.below(4) == 0 ? 1 + random.below(15) : 15;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t place = 1 + random.below(reach);
    if ((taken >> place & 1) == 0) ++checkers[place];
  }
  if (random.below(6) == 0 && count > 2) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      const std::uint32_t place = 1 + random.below(reach);
      if (checkers[place] == 0) continue;
      --checkers[place];
      ++checkers[kBar];
    }
  }
  return *with_borne_off(checkers);
}

/// An unfinished state with random checkers, player on roll and dice.
inline Backgammon random_placement(Random& random) {
  for (;;) {
    Board board;
    board.waiting = scatter(random, 0);
    board.on_roll = scatter(random, from_other_side(occupied_places(board.waiting)));
    if (board.on_roll[kOff] == kCheckers || board.waiting[kOff] == kCheckers) continue;
    const auto player = static_cast<Player>(random.below(2));
    const Result<Backgammon> state = Backgammon::from_board(board, player, random_dice(random));
    if (state) return *state;
  }
}

}  // namespace senet::backgammon
