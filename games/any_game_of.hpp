// The table of a game without its type, made of its rules and its kit.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "games/any_game.hpp"
#include "games/exam.hpp"
#include "games/kit.hpp"
#include "games/perft.hpp"
#include "games/registry.hpp"

namespace senet {

namespace any_game_detail {

template <Game G>
const G& in(const void* state) {
  return *std::launder(static_cast<const G*>(state));
}
template <Game G>
G& in(void* state) {
  return *std::launder(static_cast<G*>(state));
}

/// Everything by name that plays G without a search.
template <Game G>
constexpr auto kSimplePlayers = [] {
  std::array<SimplePlayer<G>, 1 + GameKit<G>::kPlayers.size()> players{
      SimplePlayer<G>{"random", &random_move<G>}};
  std::ranges::copy(GameKit<G>::kPlayers, players.begin() + 1);
  return players;
}();
template <Game G>
constexpr auto kAnySimplePlayers = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{
      AnySimplePlayer{kSimplePlayers<G>[i].word, [](const AnyState& state, Random draw) {
                        return kSimplePlayers<G>[i].choose(state.as<G>(), draw);
                      }}...};
}
(std::make_index_sequence<kSimplePlayers<G>.size()>{});

template <Game G>
AnyState any(const G& state) {
  return AnyState(game_table<AnyGame, G>(), state);
}
template <Game G>
Result<AnyState> any(const Result<G>& state) {
  if (!state) return state.error();
  return any(*state);
}

template <Game G>
constexpr auto kAnyNotations = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array<AnyNotation, sizeof...(i)>{
      AnyNotation{GameKit<G>::kNotations[i].name, [](std::string_view text, Player on_roll) {
                    return any(GameKit<G>::kNotations[i].read(text, on_roll));
                  }}...};
}
(std::make_index_sequence<GameKit<G>::kNotations.size()>{});

template <Game G>
Result<AnyExam> read_exam(const std::string& file) {
  Result<Exam<G>> exam = GameKit<G>::read_exam(file);
  if (!exam) return exam.error();
  AnyExam with{{}, std::move(exam->grading)};
  for (const G& state : exam->positions) with.positions.push_back(any(state));
  return with;
}

}  // namespace any_game_detail

template <Game G>
constexpr AnyGame AnyGame::of() {
  using any_game_detail::in;
  using Kit = GameKit<G>;
  AnyGame game{
      .name = G::kName,
      .outcome_values = G::kOutcomeValues,
      .outcome_mirror = G::kOutcomeMirror,
      .value_range = G::kValueRange,
      .has_dice = StochasticGame<G>,
      .has_afterstates = G::kHasAfterstates,
      .state_size = sizeof(G),
      .start = [](void* state) { ::new (state) G; },
      .turn = [](const void* state) { return in<G>(state).turn(); },
      .viewer = [](const void* state) { return in<G>(state).viewer(); },
      .legal =
          [](const void* state, std::vector<Action>& out) {
            ActionList<G::kMaxLegal> actions;
            in<G>(state).legal(actions);
            out.assign(actions.begin(), actions.end());
          },
      .chance =
          [](const void* state, std::vector<float>& out) {
            if constexpr (StochasticGame<G>) {
              out.resize(G::kMaxChance);
              out.resize(in<G>(state).chance(out));
            }
          },
      .play = [](void* state, Action action) { in<G>(state).play(action); },
      .outcome = [](const void* state) { return in<G>(state).outcome(); },
      .text = [](const void* state) { return in<G>(state).text(); },
      .read = [](std::string_view text, void* state) -> Result<void> {
        const Result<G> read = G::from_text(text);
        if (!read) return read.error();
        in<G>(state) = *read;
        return {};
      },
      .action_text = [](const void* state,
                        Action action) { return in<G>(state).action_text(action); },
      .read_action = [](const void* state,
                        std::string_view text) { return in<G>(state).action_from_text(text); },
      .perft = [](const void* state, int depth,
                  const std::function<bool()>& goes_on) -> std::optional<Leaves> {
        if (!goes_on) return senet::perft(in<G>(state), depth);
        return senet::perft(in<G>(state), depth, goes_on);
      },
      .recipe = Kit::kRecipe,
      .players = any_game_detail::kAnySimplePlayers<G>,
      .is_standard = Kit::kIsStandard,
      .tree_bench_visits = Kit::kTreeBenchVisits,
      .drawing = [](const void* state) { return Kit::drawing(in<G>(state)); },
      .start_of = [](Player first) { return any_game_detail::any(Kit::start_of(first)); },
      .notations = any_game_detail::kAnyNotations<G>,
      .continues_move = &Kit::continues_move,
      .perft_start = [] { return any_game_detail::any(Kit::perft_start()); },
      .leaves_names = Kit::kLeavesNames,
      .read_exam = nullptr,
      .exam_text = {},
      .ubgi_question = nullptr,
      .with_dice = nullptr,
      .with_player_on_roll = nullptr,
      .match_text = nullptr,
  };
  if constexpr (requires { &Kit::read_exam; }) {
    game.read_exam = any_game_detail::read_exam<G>;
    game.exam_text = Kit::kExamText;
  }
  if constexpr (requires { &Kit::ubgi_question; }) {
    game.ubgi_question = [](const void* state) { return Kit::ubgi_question(in<G>(state)); };
  }
  if constexpr (requires { &Kit::with_dice; }) {
    game.with_dice = [](const AnyState& state, int first, int second) {
      return any_game_detail::any(Kit::with_dice(state.as<G>(), first, second));
    };
  }
  if constexpr (requires { &Kit::with_player_on_roll; }) {
    game.with_player_on_roll = [](const AnyState& state, Player player) {
      return any_game_detail::any(Kit::with_player_on_roll(state.as<G>(), player));
    };
  }
  if constexpr (requires { &Kit::match_text; }) game.match_text = &Kit::match_text;
  return game;
}

}  // namespace senet
