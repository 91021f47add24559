// What surrounds a game beside its rules: how it is learnt, drawn, examined, measured. Every part
// has a default, so that a game without a kit of its own works everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "games/any_game.hpp"
#include "games/draws.hpp"
#include "games/list.hpp"
#include "games/registry.hpp"
#include "senet/game.hpp"

namespace senet {

/// A state of a game of the list, or of any that sees games/any_game_of.hpp, without its type.
template <Game G>
AnyState any(const G& state) {
  return AnyState(game_table<AnyGame, G>(), state);
}
template <Game G>
Result<AnyState> any(const Result<G>& state) {
  return state ? Result<AnyState>(any(*state)) : state.error();
}

/// Looks one move ahead: wins when it can at once; else leaves the opponent no winning reply when
/// it can; else, or among several such moves, takes the places that GameKit<G>::place_worth() likes
/// best, and draws among those.
template <Game G>
Action one_ply_move(const AnyState& any_state, Random draw) {
  const G& state = any_state.as<G>();
  constexpr int kWins = 1'000'000, kLoses = -1'000'000;
  const auto wins = [](const G& before, Action action) {
    G after = before;
    after.play(action);
    return after.turn() == Turn::kOver && final_value(after, before.viewer()) > 0;
  };
  const auto worth = [&](Action action) {
    if (wins(state, action)) return kWins;
    const int place = GameKit<G>::place_worth(action);
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
  int most = 0;
  for (const Action action : legal) {
    const int own = worth(action);
    if (chosen.empty() || own > most) {
      chosen.clear();
      most = own;
    }
    if (own == most) chosen.push_back(action);
  }
  return draw_one(chosen, draw);
}

/// The defaults. A kit, games/NAME/kit.hpp, is
///
///   template <>
///   struct GameKit<NAME's class> : DefaultKit<NAME's class> { ... };
///
/// with what differs. It includes nothing to the right of games/, and libsenet is built without it.
/// These have no default: a game that lacks one is refused where it would be needed.
///
///   static Result<Exam> read_exam(const std::string& file)
///       labelled positions for senet eval; trusts nothing in the file, and errors name the line
///   static constexpr std::string_view kExamText
///       with it: how the labels are written, and the answers to them; for people, lines of text
///   static std::vector<std::string> ubgi_question(const G& state)
///       lines that say a position in which a player is to move, for a program that speaks UBGI
///       (Universal Backgammon Interface); a game that has it may be spoken about in that protocol
///   static Result<G> with_dice(const G& state, int first, int second)
///       the state with this roll to be played, in place of one that may be there
///   static Result<G> with_player_on_roll(const G& state, Player player)
///       the state with this player on roll, for whom it looks as it did for the one before
///   static std::string match_text(std::span<const FinishedGame> games, std::string_view comment)
///       games from the start position between "first" and "second" as a file that other programs
///       read; `comment` may be any text
template <class G>
struct DefaultKit {
  /// The settings that learn the game well, where they are not those of every game.
  static constexpr std::array<RecipeEntry, 0> kRecipe{};

  /// Players by their words, beside "random".
  static constexpr auto kPlayers = [] {
    if constexpr (StochasticGame<G>) {
      return std::array<SimplePlayer, 0>{};
    } else {
      return std::array{SimplePlayer{"one-ply", &one_ply_move<G>}};
    }
  }();
  /// How good a move is for "one-ply" among moves that are equal otherwise; less than a million.
  static int place_worth(Action) { return 0; }

  /// Whether `senet bench` measures the game when none is named. `senet selfplay` learns the first
  /// of these when none is named.
  static constexpr bool kIsStandard = false;
  /// Visits of the searches that `senet bench tree` measures.
  static constexpr std::uint32_t kTreeBenchVisits = senet::kTreeBenchVisits;

  /// The start of a game that this player begins, where that makes a difference.
  static G start_of(Player) { return G{}; }
  /// Other ways to write a position than from_text() reads, by the word before them.
  static constexpr std::array<Notation, 0> kNotations{};
  /// Whether, in a list of moves, this word belongs to the move of the word before it.
  static bool continues_move(std::string_view) { return false; }

  /// The board for people, lines of text.
  static std::vector<std::string> drawing(const G& state) { return {state.text()}; }

  /// Where `senet perft` begins, and what it calls its two counts of a game with dice: every roll
  /// once, and by its chance.
  static G perft_start() { return G{}; }
  static constexpr std::array<std::string_view, 2> kLeavesNames = {"each_once", "by_chance"};
};

template <class G>
struct GameKit : DefaultKit<G> {};

}  // namespace senet
