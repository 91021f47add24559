// The table of a game without its type, made of its rules and its kit.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "games/any_game.hpp"
#include "games/kit.hpp"
#include "games/perft.hpp"

namespace senet {

/// Everything by name that plays G without a search.
template <Game G>
inline constexpr auto kSimplePlayers = [] {
  std::array<SimplePlayer, 1 + GameKit<G>::kPlayers.size()> players{SimplePlayer{
      "random",
      [](const AnyState& state, Random draw) { return draw_action(state.as<G>(), draw); }}};
  std::ranges::copy(GameKit<G>::kPlayers, players.begin() + 1);
  return players;
}();

template <Game G>
constexpr AnyGame AnyGame::of() {
  using any_game_detail::in;
  using Kit = GameKit<G>;
  AnyGame game = rules_of<G>();
  game.perft = [](const void* state, int depth,
                  const std::function<bool()>& goes_on) -> std::optional<Leaves> {
    if (!goes_on) return senet::perft(in<G>(state), depth);
    return senet::perft(in<G>(state), depth, goes_on);
  };
  game.recipe = Kit::kRecipe;
  game.players = kSimplePlayers<G>;
  game.is_standard = Kit::kIsStandard;
  game.tree_bench_visits = Kit::kTreeBenchVisits;
  game.drawing = [](const void* state) { return Kit::drawing(in<G>(state)); };
  game.start_of = [](Player first) { return any(Kit::start_of(first)); };
  game.notations = Kit::kNotations;
  game.continues_move = &Kit::continues_move;
  game.perft_start = [] { return any(Kit::perft_start()); };
  game.leaves_names = Kit::kLeavesNames;
  if constexpr (requires { &Kit::read_exam; }) {
    game.read_exam = &Kit::read_exam;
    game.exam_text = Kit::kExamText;
  }
  if constexpr (requires { &Kit::ubgi_question; }) {
    game.ubgi_question = [](const void* state) { return Kit::ubgi_question(in<G>(state)); };
  }
  if constexpr (requires { &Kit::with_dice; }) {
    game.with_dice = [](const AnyState& state, int first, int second) {
      return any(Kit::with_dice(state.as<G>(), first, second));
    };
  }
  if constexpr (requires { &Kit::with_player_on_roll; }) {
    game.with_player_on_roll = [](const AnyState& state, Player player) {
      return any(Kit::with_player_on_roll(state.as<G>(), player));
    };
  }
  if constexpr (requires { &Kit::match_text; }) game.match_text = &Kit::match_text;
  return game;
}

}  // namespace senet
