// The kit of backgammon.
#include "games/kit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/backgammon/kit/exam.hpp"
#include "games/backgammon/kit/linear.hpp"
#include "games/backgammon/kit/linear_weights.hpp"
#include "games/backgammon/kit/match_file.hpp"

namespace senet {
using namespace backgammon;

namespace {

// TD learning from the best afterstate (one visit: no tree). The dice provide the exploration.
constexpr auto kRecipe = std::to_array<RecipeEntry>({{"visits", "1"},
                                                     {"fast-visits", "1"},
                                                     {"noise", "0"},
                                                     {"temperature-plies", "0"},
                                                     {"reuse-tree", "0"},
                                                     {"batch", "256"},
                                                     {"width", "256"},
                                                     {"blocks", "0"},
                                                     {"value-layers", "1"},
                                                     {"value-width", "128"},
                                                     {"norm", "0"},
                                                     {"planned-games", "3000000"},
                                                     {"lambda", "1@0.01,0.7@0.02"},
                                                     {"replay", "1000000"},
                                                     {"window-minimum", "131072"},
                                                     {"window-share", "0"},
                                                     {"samples-per-position", "1"},
                                                     {"begin-after", "20000"},
                                                     {"learning-rate", "0.0015@0.3,0.00001@1"},
                                                     {"warmup-steps", "200"},
                                                     {"steady-steps", "0"},
                                                     {"weight-decay", "0"},
                                                     {"ema", "0.9995"}});

constexpr std::array kPlayers = {
    kRandomPlayer, SimplePlayer{"linear", "the move whose board a linear evaluation rates highest",
                                [](const AnyState& state, Random) {
                                  return best_linear_play(state.as<Backgammon>(), kLinearWeights);
                                }}};

// GNU Backgammon's position id is from the perspective of the player on roll, who is about to roll.
// An XGID itself contains the player on roll.
constexpr std::array kNotations = {
    Notation{"gnubgid",
             [](std::string_view text, Player on_roll) {
               return any(Backgammon::from_position_id(text, on_roll));
             }},
    Notation{"xgid",
             [](std::string_view text, Player) { return any(Backgammon::from_xgid(text)); }}};

// One of the five rows of a point. If a point has more than five checkers, its first row shows
// their number.
std::string cell(int own, int theirs, int row) {
  constexpr int kRows = 5;
  const int count = std::max(own, theirs);
  if (count <= row) return "   ";
  if (row == 0 && count > kRows) return fmt::format("{:2} ", count);
  return own > 0 ? " X " : " O ";
}

// The board from the perspective of the player on roll: own checkers X, the opponent's O.
std::vector<std::string> drawing(const AnyState& any_state) {
  const Backgammon& state = any_state.as<Backgammon>();
  const Board board = state.board();
  const auto point = [&](std::size_t place, int row) {
    return cell(board.on_roll[place], board.waiting[25 - place], row);
  };
  std::vector<std::string> lines = {"+13-14-15-16-17-18------19-20-21-22-23-24-+"};
  const auto add_row = [&](int row, bool upper) {
    std::string line = "|";
    for (std::size_t i = 0; i < 12; ++i) {
      if (i == 6) line += "|    |";
      line += point(upper ? 13 + i : 12 - i, row);
    }
    lines.push_back(line + "|");
  };
  for (int row = 0; row < 5; ++row) add_row(row, true);
  lines.push_back("|" + std::string(18, ' ') + "|BAR |" + std::string(18, ' ') + "|");
  for (int row = 4; row >= 0; --row) add_row(row, false);
  lines.push_back("+12-11-10--9--8--7-------6--5--4--3--2--1-+");
  const auto add_player = [&](std::string_view who, const Checkers& checkers) {
    lines.push_back(fmt::format("{}: {} pips, {} on the bar, {} off", who, pips(checkers),
                                checkers[kBar], checkers[kOff]));
  };
  add_player("X, on turn", board.on_roll);
  add_player("O", board.waiting);
  lines.push_back("xgid " + state.xgid());
  return lines;
}

Result<AnyState> with_dice(const AnyState& state, int first, int second) {
  const std::optional<Dice> dice = make_dice(first, second);
  if (!dice) return fail("each of the dice must be 1 to 6");
  return any(Backgammon::from_board(state.as<Backgammon>().board(), state.viewer(), dice));
}

Result<AnyState> with_player_on_roll(const AnyState& state, Player player) {
  if (player == state.viewer()) return state;  // an opening roll stays one
  const Backgammon& own = state.as<Backgammon>();
  return any(Backgammon::from_board(own.board(), player, own.dice()));
}

std::vector<std::string> ubgi_question(const AnyState& state) {
  // A position id is from the perspective of the player on roll, so the program does not need the
  // player index.
  const Backgammon& own = state.as<Backgammon>();
  return {fmt::format("position gnubgid {}", position_id(own.board())),
          fmt::format("dice {} {}", own.dice()->high, own.dice()->low)};
}

AnyState start_of(const AnyGame&, Player first) { return any(Backgammon(first)); }

AnyState perft_start(const AnyGame&) {
  return any(*Backgammon::from_position_id(kStartPositionId, 0));
}

}  // namespace

template <>
Kit kit_of<Backgammon>() {
  return {.recipe = kRecipe,
          .players = kPlayers,
          .is_standard = true,
          .drawing = &drawing,
          .start_of = &start_of,
          .notations = kNotations,
          // A roll is one word, "31". A play is "pass" or words with a slash, "8/5 6/5".
          .continues_move = [](std::string_view word) { return word.find('/') != word.npos; },
          // Published counts allow all 21 first rolls; in a game the opening roll is not a double.
          .perft_start = &perft_start,
          // Each roll once, and weighted by its probability: doubles 1, others 2.
          .count_names = {"plays_21", "plays_36"},
          .read_exam = &read_exam,
          .exam_text =
              "one JSON object per line: [id,] cls, posid, dice,\n"
              "moves [[text, position id after, equity, ...] ...]; answers: id, move, after.\n"
              "Loss: thousandths of a point a decision against the best play; lower is better.\n"
              "Unforced decisions have more than one legal play; unmatched plays are not in\n"
              "the file. PR: 500 times the mean loss in points of the unforced decisions",
          .ubgi_question = &ubgi_question,
          .with_dice = &with_dice,
          .with_player_on_roll = &with_player_on_roll,
          .match_text = &match_text,
          .read_match = &read_match};
}

}  // namespace senet
