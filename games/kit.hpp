// The kit of each game (Kit in games/any_game.hpp), and the type-erased table of a game, which
// combines its rules and its kit.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "games/any_game.hpp"
#include "games/game_table.hpp"
#include "games/perft.hpp"
#include "games/random_moves.hpp"
#include "senet/game.hpp"

namespace senet {

/// The kit of G. A game with a kit specialises this function; a listed game does so in
/// games/NAME/kit.cpp. That file includes no layer above games/, and libsenet is built without it.
template <class G>
Kit kit_of() {
  return {};
}

/// Plays a uniformly random legal move.
inline constexpr SimplePlayer kRandomPlayer = {
    "random", "a random legal move",
    [](const AnyState& state, Random draw) { return draw_action(state, draw); }};

/// Looks one move ahead. Prefers a move that wins immediately, then a move after which the opponent
/// has no winning reply, then the move with the highest kPlaceWorth (magnitude below a million).
/// Draws at random among equal moves.
template <Game G, int (*kPlaceWorth)(Action)>
Action one_ply_move(const AnyState& any_state, Random draw) {
  const G& state = any_state.as<G>();
  constexpr int kWins = 1'000'000, kLoses = -1'000'000;
  const auto wins = [](G after, Action action) {
    const Player mover = after.viewer();
    after.play(action);
    return after.turn() == Turn::kOver && final_value(after, mover) > 0;
  };
  const auto worth = [&](Action action) {
    if (wins(state, action)) return kWins;
    const int place = kPlaceWorth(action);
    G after = state;
    after.play(action);
    if (!is_decision(after.turn())) return place;
    ActionList<G::kMaxLegal> replies;
    after.legal(replies);
    for (const Action reply : replies) {
      if (wins(after, reply)) return kLoses + place;
    }
    return place;
  };
  ActionList<G::kMaxLegal> legal, chosen;
  state.legal(legal);
  int most = 2 * kLoses;
  for (const Action action : legal) {
    const int own = worth(action);
    if (own > most) chosen.clear();
    most = std::max(most, own);
    if (own == most) chosen.push_back(action);
  }
  return draw_one(chosen, draw);
}

/// The default players of a game without dice. By default all places have the same worth.
constexpr int worth_nothing(Action) { return 0; }
template <Game G, int (*kPlaceWorth)(Action) = worth_nothing>
inline constexpr std::array kPlainPlayers = {
    kRandomPlayer,
    SimplePlayer{
        "one-ply",
        "plays a winning move if there is one, else avoids moves that let the opponent win at once",
        &one_ply_move<G, kPlaceWorth>}};

/// The game with the kit of G, which gets defaults for missing parts.
template <Game G>
AnyGame with_kit(AnyGame game) {
  static_cast<Kit&>(game) = kit_of<G>();
  game.perft = [](const void* state, int depth, const std::function<bool()>& keep_going) {
    return senet::perft(any_game_detail::in<G>(state), depth, keep_going);
  };
  if (game.players.empty()) {
    // A type of many games may have some without dice.
    game.players = {&kRandomPlayer, 1};
    if constexpr (OwnOutcomesGame<G> || !StochasticGame<G>) {
      if (!game.has_dice) game.players = kPlainPlayers<G>;
    }
  }
  if (game.drawing == nullptr) {
    game.drawing = [](const AnyState& state) { return std::vector{state.text()}; };
  }
  if (game.start_of == nullptr)
    game.start_of = [](const AnyGame& own, Player) { return AnyState(own); };
  if (game.perft_start == nullptr)
    game.perft_start = [](const AnyGame& own) { return AnyState(own); };
  return game;
}

template <Game G>
AnyGame AnyGame::of() {
  return with_kit<G>(rules_of<G>());
}
template <OwnOutcomesGame G>
AnyGame AnyGame::of(const G& start) {
  return with_kit<G>(rules_of(start));
}

}  // namespace senet
