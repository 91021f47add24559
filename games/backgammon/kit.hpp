// What surrounds backgammon.
#pragma once

#include "games/backgammon/backgammon.hpp"
#include "games/exam.hpp"
#include "games/kit.hpp"

namespace senet {

namespace backgammon {
/// The player "linear": games/backgammon/kit/linear.hpp.
Action linear_move(const AnyState& state, Random draw);
/// GNU Backgammon's position id, seen from the player on roll, who is about to roll.
Result<AnyState> read_gnubgid(std::string_view text, Player on_roll);
/// An XGID with or without "XGID=": it says itself who is on roll.
Result<AnyState> read_xgid(std::string_view text, Player on_roll);
}  // namespace backgammon

template <>
struct GameKit<Backgammon> : DefaultKit<Backgammon> {
  /// Learns by temporal differences from the best afterstate (one visit: no tree); the dice
  /// explore.
  static constexpr auto kRecipe = std::to_array<RecipeEntry>({{"visits", "1"},
                                                              {"fast-visits", "1"},
                                                              {"noise", "0"},
                                                              {"temperature-plies", "0"},
                                                              {"reuse-tree", "0"},
                                                              {"batch", "256"},
                                                              {"lambda", "0.7"},
                                                              {"replay", "1000000"},
                                                              {"window-minimum", "100000"},
                                                              {"window-share", "0.3"},
                                                              {"begin-after", "20000"},
                                                              {"policy-weight", "0"}});
  static constexpr std::array kPlayers = {SimplePlayer{"linear", &backgammon::linear_move}};
  static constexpr bool kIsStandard = true;
  static Backgammon start_of(Player first);
  static constexpr std::array kNotations = {Notation{"gnubgid", &backgammon::read_gnubgid},
                                            Notation{"xgid", &backgammon::read_xgid}};
  /// A roll is one word, "31", and a play is the words with a slash in them, "8/5 6/5", or "pass".
  static bool continues_move(std::string_view word) { return word.find('/') != word.npos; }
  static Result<Backgammon> with_dice(const Backgammon& state, int first, int second);
  static Result<Backgammon> with_player_on_roll(const Backgammon& state, Player player);
  /// As the player on turn sees it: own checkers X, the opponent's O.
  static std::vector<std::string> drawing(const Backgammon& state);
  /// Published counts let the first roll be any of the 21; in a game it is no double.
  static Backgammon perft_start();
  /// Every roll once, and by its chance: doubles 1, others 2.
  static constexpr std::array<std::string_view, 2> kLeavesNames = {"plays_21", "plays_36"};
  /// Decisions with the value of every play: games/backgammon/kit/exam.hpp.
  static Result<Exam> read_exam(const std::string& file);
  static constexpr std::string_view kExamText =
      "a JSON object a line: [id,] cls, posid, dice,\n"
      "moves [[text, position id after, equity, ...] ...]; answers: id, move, after";
  static std::vector<std::string> ubgi_question(const Backgammon& state);
  /// A .mat file, the text format of Jellyfish that GNU Backgammon and others read: a money session
  /// between "first" (left) and "second" (right); a cut game ends without a winner. Of the comment
  /// the file gets one line without quotes.
  static std::string match_text(std::span<const FinishedGame> games, std::string_view comment);
};

}  // namespace senet
