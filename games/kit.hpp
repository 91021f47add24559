// The kit of each game, which surrounds its rules (Kit in games/any_game.hpp), and the table of a
// game without its type, made of both.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "games/any_game.hpp"
#include "games/draws.hpp"
#include "games/game_table.hpp"
#include "games/perft.hpp"
#include "senet/game.hpp"

namespace senet {

/// The kit of G. A game that has one specialises this, a game of the list in games/NAME/kit.cpp.
/// It includes nothing to the right of games/, and libsenet is built without it.
template <class G>
Kit kit_of() {
  return {};
}

/// Plays any legal move, each as likely.
inline constexpr SimplePlayer kRandomPlayer = {
    "random", [](const AnyState& state, Random draw) { return draw_action(state, draw); }};

/// Looks one move ahead: wins when it can at once; else leaves the opponent no winning reply when
/// it can; else, or among several such moves, takes the places of the most worth, less than a
/// million each, and draws among those.
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

/// The players of a game without dice whose kit has none of its own. All places are worth the same
/// unless the kit says otherwise.
constexpr int worth_nothing(Action) { return 0; }
template <Game G, int (*kPlaceWorth)(Action) = worth_nothing>
inline constexpr std::array kPlainPlayers = {
    kRandomPlayer, SimplePlayer{"one-ply", &one_ply_move<G, kPlaceWorth>}};

template <Game G>
AnyGame AnyGame::of() {
  AnyGame game = rules_of<G>();
  static_cast<Kit&>(game) = kit_of<G>();
  game.perft = [](const void* state, int depth, const std::function<bool()>& goes_on) {
    return senet::perft(any_game_detail::in<G>(state), depth, goes_on);
  };
  if (game.players.empty()) {
    if constexpr (StochasticGame<G>) {
      game.players = {&kRandomPlayer, 1};
    } else {
      game.players = kPlainPlayers<G>;
    }
  }
  if (game.drawing == nullptr) {
    game.drawing = [](const AnyState& state) { return std::vector{state.text()}; };
  }
  if (game.start_of == nullptr) game.start_of = [](Player) { return any(G{}); };
  if (game.perft_start == nullptr) game.perft_start = [] { return any(G{}); };
  return game;
}

}  // namespace senet
