// Verifies our results against GNU Backgammon, part 1: compares rules and boards with those of the
// independently written program. docs/strength.md lists the error that each test would find.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/random.hpp"
#include "tests/games/backgammon_positions.hpp"
#include "tests/tools/referee/gnubg_console.hpp"
#include "tests/tools/referee/gnubg_trust.hpp"

namespace senet {
namespace {

using backgammon::Board;
using backgammon::Checkers;

/// Whether either die can be played but not both. The higher one must then be played.
bool has_to_choose_a_die(const Backgammon& state) {
  const backgammon::Dice dice = *state.dice();
  const backgammon::Sources sources = backgammon::sources_of(legal_actions(state).front());
  if (dice.is_double() || (sources[0] != 0) == (sources[1] != 0)) return false;
  return std::ranges::all_of(std::array{dice.high, dice.low}, [&](std::uint8_t die) {
    const auto alone = Backgammon::from_board(state.board(), 0, backgammon::Dice{die, die});
    return legal_actions(*alone).front() != backgammon::kPass;
  });
}

/// Decisions of all kinds: 600 from random play, 600 with randomly placed checkers, 200 of the
/// latter kind in which only one of two dice can be played, and 600 positions from games of good
/// players with other dice. Either player may be on roll.
std::vector<Backgammon> many_decisions() {
  std::vector<Backgammon> played;
  backgammon::visit_random_games(71, 40, [&](const Backgammon& state) {
    if (is_decision(state.turn())) played.push_back(state);
  });
  Random random(72, 0, 0, Purpose::kTest);
  std::vector<Backgammon> decisions;
  for (std::size_t i = 0; i < 600; ++i) {
    decisions.push_back(played[random.below(static_cast<std::uint32_t>(played.size()))]);
    decisions.push_back(backgammon::random_placement(random));
  }
  for (int found = 0; found < 200;) {
    const Backgammon state = backgammon::random_placement(random);
    if (!has_to_choose_a_die(state)) continue;
    decisions.push_back(state);
    ++found;
  }
  const std::vector<backgammon::Label> met = labels();
  for (std::size_t i = 0; i < 600; ++i) {
    decisions.push_back(value_of(Backgammon::from_board(
        met[i].state.board(), static_cast<Player>(i % 2), backgammon::random_dice(random))));
  }
  return decisions;
}

/// Moves checkers according to a play's text alone, without applying any rule. Returns the board
/// afterwards, with the opponent on roll; an impossible board if the text makes no sense.
Board after_words(const Backgammon& state, const std::string& words) {
  Board board = state.board();
  const auto place_of = [](const std::string& word) -> std::size_t {
    if (word == "bar") return 25;
    if (word == "off") return 0;
    return std::stoul(word);
  };
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    int times = 1;
    if (const std::size_t open = word.find('('); open != std::string::npos) {
      times = std::stoi(word.substr(open + 1));
      word.resize(open);
    }
    std::istringstream steps(word);
    std::vector<std::size_t> places;
    for (std::string step; std::getline(steps, step, '/');) {
      const bool hits = step.ends_with('*');
      if (hits) step.pop_back();
      places.push_back(place_of(step));
      if (!hits) continue;
      --board.waiting[25 - places.back()];
      ++board.waiting[25];
    }
    board.on_roll[places.front()] =
        static_cast<std::uint8_t>(board.on_roll[places.front()] - times);
    board.on_roll[places.back()] = static_cast<std::uint8_t>(board.on_roll[places.back()] + times);
  }
  return {board.waiting, board.on_roll};
}

// 2,000 decisions: our legal plays lead to the same boards as gnubg's legal plays.
TEST_F(GnubgTrust, LegalPlaysAreTheSame) {
  const std::vector<Backgammon> states = many_decisions();
  ASSERT_EQ(states.size(), 2000u);
  const std::vector<ConsoleAnswer> answers = value_of(ask_gnubg_console(states));
  std::map<std::string, int> seen;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Backgammon& state = states[i];
    std::set<std::string> ours, its;
    const std::vector<Action> actions = legal_actions(state);
    for (const Action action : actions) {
      Backgammon after = state;
      after.play(action);
      ours.insert(backgammon::position_id(after.board()));
    }
    for (const std::string& play : answers[i].plays) {
      its.insert(backgammon::position_id(after_words(state, play)));
    }
    ASSERT_EQ(ours.size(), actions.size()) << state.text();
    if (actions.front() == backgammon::kPass) {
      EXPECT_TRUE(its.empty()) << state.text();
    } else {
      EXPECT_EQ(ours, its) << state.text();
      EXPECT_EQ(answers[i].plays.size(), its.size()) << state.text();
    }
    const Checkers& mine = state.checkers(state.viewer());
    seen["pass"] += actions.front() == backgammon::kPass;
    seen["bar"] += mine[25] > 0;
    seen["doubles"] += state.dice()->is_double();
    seen["bearing off"] += (backgammon::occupied_places(mine) & backgammon::kOutsideHome) == 0;
    seen["plays"] += static_cast<int>(actions.size());
    seen["player 1"] += state.viewer();
  }
  for (const auto& [what, least] : std::map<std::string, int>{{"pass", 50},
                                                              {"bar", 200},
                                                              {"doubles", 250},
                                                              {"bearing off", 150},
                                                              {"plays", 30000},
                                                              {"player 1", 800}}) {
    EXPECT_GT(seen[what], least) << what;
  }
}

// gnubg writes the same id for a board as we do, and reads the same board from our id.
TEST_F(GnubgTrust, PositionIdsAreTheSame) {
  const std::vector<Backgammon> states = many_decisions();
  const std::vector<ConsoleAnswer> answers = value_of(ask_gnubg_console(states));
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Board board = states[i].board();
    ASSERT_EQ(answers[i].id, backgammon::position_id(board));
    ASSERT_EQ(answers[i].points, backgammon::signed_points(board)) << answers[i].id;
    ASSERT_EQ(value_of(backgammon::board_from_position_id(answers[i].id)), board);
  }
}

}  // namespace
}  // namespace senet
