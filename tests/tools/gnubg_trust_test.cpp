// Whether our figures against GNU Backgammon can be believed: the rules, the boards, the signs and
// the sides, each told by the other program and not by us. docs/strength.md says what each of these
// would catch.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "games/backgammon.hpp"
#include "games/backgammon_bearoff.hpp"
#include "games/random.hpp"
#include "selfplay/match.hpp"
#include "tests/games/backgammon_positions.hpp"
#include "tests/tools/gnubg_console.hpp"
#include "tools/gnubg/gnubg.hpp"
#include "tools/gnubg/gnubg_player.hpp"
#include "tools/grade.hpp"
#include "tools/labels.hpp"

namespace senet {
namespace {

using backgammon::Board;
using backgammon::Checkers;

const std::string kLabels = SENET_SOURCE_DIR "/tests/data/backgammon/labels_A.jsonl";

class GnubgTrust : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_gnubg()) {
      GTEST_SKIP() << "GNU BACKGAMMON IS NOT INSTALLED: nothing outside this project has judged "
                      "its backgammon in this run";
    }
  }
};

Gnubg started(const GnubgSettings& settings) {
  Result<Gnubg> gnubg = Gnubg::start(settings);
  if (!gnubg) throw std::runtime_error(gnubg.error().reason);
  return std::move(*gnubg);
}

/// The value, or a failed test with its reason.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().reason);
  return std::move(*result);
}

std::vector<BackgammonLabel> labels() { return value_of(read_backgammon_labels(kLabels)); }

std::vector<Action> legal_actions(const Backgammon& state) {
  ActionList<Backgammon::kMaxLegal> actions;
  state.legal(actions);
  return {actions.begin(), actions.end()};
}

/// True where either die can be played but not both: then the higher one must be.
bool has_to_choose_a_die(const Backgammon& state) {
  const backgammon::Dice dice = *state.dice();
  const backgammon::Sources sources = backgammon::sources_of(legal_actions(state).front());
  if (dice.is_double() || (sources[0] != 0) == (sources[1] != 0)) return false;
  return std::ranges::all_of(std::array{dice.high, dice.low}, [&](std::uint8_t die) {
    const auto alone = Backgammon::from_board(state.board(), 0, backgammon::Dice{die, die});
    return legal_actions(*alone).front() != backgammon::kPass;
  });
}

/// Decisions of all kinds: 600 from random play, 600 with checkers thrown on the board, 200 of
/// those where only one of two dice can be played, and the positions of 600 decisions that good
/// players met, with other dice. Both players are on roll.
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
  const std::vector<BackgammonLabel> met = labels();
  for (std::size_t i = 0; i < 600; ++i) {
    decisions.push_back(value_of(Backgammon::from_board(
        met[i].state.board(), static_cast<Player>(i % 2), backgammon::random_dice(random))));
  }
  return decisions;
}

/// Moves checkers as a play's words tell, and as nothing but its words tell: no rule is applied.
/// The board afterwards, the opponent on roll; an impossible board when the words make no sense.
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

// 2,000 decisions: the plays we find legal lead to the same boards as those it finds legal.
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

// It writes the same id for a board as we do, and reads the same board from our id.
TEST_F(GnubgTrust, PositionIdsAreTheSame) {
  const std::vector<Backgammon> states = many_decisions();
  const std::vector<ConsoleAnswer> answers = value_of(ask_gnubg_console(states));
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Board board = states[i].board();
    ASSERT_EQ(answers[i].id, backgammon::position_id(board));
    ASSERT_EQ(answers[i].points, signed_points(board)) << answers[i].id;
    ASSERT_EQ(value_of(backgammon::board_from_position_id(answers[i].id)), board);
  }
}

/// A label of that decision as GNU Backgammon ranks its plays.
BackgammonLabel label_of(const Backgammon& state, const std::vector<GnubgPlay>& ranked) {
  BackgammonLabel label{
      "", "any", value_of(Backgammon::from_board(state.board(), 0, state.dice())), {}};
  for (const GnubgPlay& play : ranked) {
    Backgammon after = label.state;
    after.play(play.action);
    label.plays.push_back({backgammon::position_id(after.board()), play.evaluation.equity});
  }
  return label;
}

double mean_loss(std::span<const BackgammonLabel> all, std::span<const MoveMix> moves) {
  const Grades grades = grade(all, moves);
  EXPECT_EQ(grades.unmatched, 0u);
  for (const Metric& metric : grades.metrics) {
    if (metric.subject == Backgammon::kName && metric.name == "loss_millipoints") {
      return metric.value;
    }
  }
  ADD_FAILURE() << "no mean loss";
  return -1;
}

// Its choice, graded by the ranks that we make from its evaluations, loses nothing; the play it
// likes least loses much, and blind choice lies between. A wrong sign, side or board turns this
// around.
TEST_F(GnubgTrust, ItsOwnChoiceLosesNothingAndTheWorstPlayMuch) {
  Gnubg gnubg = started({});
  std::vector<BackgammonLabel> ranked;
  std::vector<MoveMix> its, worst, blind;
  std::size_t i = 0;
  for (const BackgammonLabel& label : labels()) {
    if (++i % 3 != 0) continue;
    // Both players are on roll in turn; plays mean the same from either side.
    const Backgammon state = value_of(Backgammon::from_board(
        label.state.board(), static_cast<Player>(i % 2), label.state.dice()));
    const std::vector<GnubgPlay> plays = value_of(gnubg.rank(state, 0));
    for (const GnubgPlay& play : plays) {
      ASSERT_NEAR(play.evaluation.probabilities.equity(), play.evaluation.equity, 5e-6);
    }
    ranked.push_back(label_of(state, plays));
    its.push_back({value_of(gnubg.best_play(state))});
    worst.push_back({plays.back().action});
    blind.push_back(legal_actions(state));
  }
  ASSERT_GT(ranked.size(), 300u);
  EXPECT_EQ(mean_loss(ranked, its), 0);
  const double worst_loss = mean_loss(ranked, worst), blind_loss = mean_loss(ranked, blind);
  EXPECT_GT(worst_loss, 500);
  EXPECT_GT(blind_loss, 150);
  EXPECT_LT(blind_loss, worst_loss / 2);
}

// Its own 0-ply play on the shipped labels, which another program made with another copy of it at
// 2-ply, and which yet another program of other hands graded 2.92. (Between processors its answers
// differ by hundredths of a millipoint.)
TEST_F(GnubgTrust, ItsMarkOnTheShippedLabelsIsKnown) {
  GnubgPlayer player = value_of(GnubgPlayer::start({.ply = 0}));
  const std::vector<BackgammonLabel> met = labels();
  std::vector<Backgammon> states;
  for (const BackgammonLabel& label : met) states.push_back(label.state);
  const std::vector<Random> draws(states.size(), Random(1, 0, 0, Purpose::kTest));
  std::vector<Action> actions(states.size());
  const Result<void> chosen = player.choose(states, draws, actions);
  ASSERT_TRUE(chosen) << chosen.error().reason;
  std::vector<MoveMix> moves;
  for (const Action action : actions) moves.push_back({action});
  EXPECT_NEAR(mean_loss(met, moves), 2.92, 0.15);
}

// Its 1-ply value of a position is the mean over the rolls of its best play's 0-ply value. Our
// rules, dice, signs and sides make the one from the other.
TEST_F(GnubgTrust, OneRollOfOursIsOnePlyOfIts) {
  Gnubg gnubg = started({});
  const std::vector<BackgammonLabel> met = labels();
  for (std::size_t i = 0; i < met.size(); i += 60) {
    const Board board = met[i].state.board();
    double sum = 0;
    for (Action roll = 0; roll < backgammon::kRolls; ++roll) {
      const backgammon::Dice dice = backgammon::dice_of(roll);
      const auto state = value_of(Backgammon::from_board(board, static_cast<Player>(i % 2), dice));
      const double best = value_of(gnubg.rank(state, 0)).front().evaluation.equity;
      sum += best * (dice.is_double() ? 1 : 2) / 36;
    }
    EXPECT_NEAR(value_of(gnubg.evaluate(board, 1)).equity, sum, 5e-6) << met[i].state.text();
  }
}

// Whoever is on roll, the same board gets the same answer: the player's number in our state, and
// its own two sides.
TEST_F(GnubgTrust, BothSidesGetTheSameAnswer) {
  Gnubg gnubg = started({});
  std::vector<Backgammon> states;
  const std::vector<BackgammonLabel> met = labels();
  for (std::size_t i = 0; i < met.size(); i += 5) {
    const Board board = met[i].state.board();
    states.push_back(value_of(Backgammon::from_board(board, 0, met[i].state.dice())));
    const auto turned = value_of(Backgammon::from_board(board, 1, met[i].state.dice()));
    EXPECT_EQ(value_of(gnubg.best_play(states.back())), value_of(gnubg.best_play(turned)))
        << states.back().text();
  }
  const auto as_0 = value_of(ask_gnubg_console(states, ConsoleSide::kPlayer0));
  const auto as_1 = value_of(ask_gnubg_console(states, ConsoleSide::kPlayer1));
  for (std::size_t i = 0; i < states.size(); ++i) {
    ASSERT_FALSE(as_0[i].plays.empty());
    EXPECT_EQ(as_0[i].plays, as_1[i].plays);
    EXPECT_EQ(as_0[i].values, as_1[i].values);
    // What its socket plays is as good as what its console calls the best.
    const Action played = value_of(gnubg.best_play(states[i]));
    const auto words = std::ranges::find_if(as_0[i].plays, [&](const std::string& play) {
      return value_of(states[i].action_from_text(play)) == played;
    });
    ASSERT_NE(words, as_0[i].plays.end()) << states[i].text();
    EXPECT_EQ(std::stod(as_0[i].values[words - as_0[i].plays.begin()]),
              std::stod(as_0[i].values.front()))
        << states[i].text();
  }
  // The start is its own mirror image, and whoever begins has the better of it.
  const GnubgEvaluation start = value_of(gnubg.evaluate(Backgammon().board(), 1));
  EXPECT_GT(start.equity, 0.02);
  EXPECT_LT(start.equity, 0.15);
}

/// How a match of few pairs ends for the first player, and what either did wrong.
MatchResult played(MatchPlayer<Backgammon>& first, MatchPlayer<Backgammon>& second,
                   std::size_t pairs) {
  std::vector<PlayedGame> games;
  const MatchHooks hooks{.finished = [&](const PlayedGame& game) -> Result<void> {
                           games.push_back(game);
                           return {};
                         },
                         .is_stopped = [] { return false; }};
  const MatchRun run = Match<Backgammon>(first, second, {.pairs = pairs, .seed = 5}).run({}, hooks);
  EXPECT_FALSE(run.fault) << run.fault->reason;
  for (const PlayerFaults& faults : run.faults) {
    EXPECT_EQ(faults.illegal, 0u);
    EXPECT_EQ(faults.crashes, 0u);
  }
  std::ranges::sort(games, {}, &PlayedGame::number);
  std::vector<MatchOutcome> outcomes;
  for (const PlayedGame& game : games) outcomes.push_back(game.outcome);
  return sum_up(outcomes, Backgammon::kOutcomeValues);
}

// A player that ranks our legal plays by its 0-ply evaluations is as good as its own 0-ply play.
// With the same dice for both sides the games of a pair are mirror images, and nobody gains a
// point; only two plays of the same worth to six digits could make them part.
TEST_F(GnubgTrust, ACopyOfItDrawsWithIt) {
  GnubgPlayer its = value_of(GnubgPlayer::start({.ply = 0}));
  GnubgPlayer copy = value_of(GnubgPlayer::start({.ply = 0, .full = true}));
  const MatchResult result = played(copy, its, 30);
  EXPECT_EQ(result.games, 60u);
  EXPECT_LE(std::abs(result.points), 3.5 * result.points_error);
  EXPECT_LT(result.points_error, 0.1);
  const MatchResult itself = played(its, its, 30);
  EXPECT_EQ(itself.points, 0);
  EXPECT_EQ(itself.points_error, 0);
}

// It beats blind play by far more than a point a game, whoever of the two is called first.
TEST_F(GnubgTrust, BlindPlayLosesToIt) {
  GnubgPlayer its = value_of(GnubgPlayer::start({.ply = 0}, 2));
  RandomPlayer<Backgammon> blind;
  EXPECT_GT(played(its, blind, 20).points, 1.5);
  EXPECT_LT(played(blind, its, 20).points, -1.5);
}

// At most 6 checkers a player, all home, one at least.
Board random_bearoff(Random& random) {
  const auto side = [&] {
    Checkers checkers{};
    const std::uint32_t count = 1 + random.below(6);
    for (std::uint32_t i = 0; i < count; ++i) ++checkers[1 + random.below(6)];
    return value_of(backgammon::with_borne_off(checkers));
  };
  const Checkers mine = side();
  return {mine, side()};
}

// It keeps equities of -1..1 in 16 bits, in steps of 3.1e-5, and made each entry from such rounded
// ones, roll after roll: errors of a few steps (8.4e-5 was the largest found).
constexpr double kBearoffTolerance = 4 * 2.0 / 65535;

TEST_F(GnubgTrust, ItsBearoffDatabaseHoldsOurExactEquities) {
  if (!std::filesystem::exists("/var/lib/gnubg/gnubg_ts0.bd") &&
      !std::filesystem::exists("/usr/share/gnubg/gnubg_ts0.bd")) {
    GTEST_SKIP() << "GNU BACKGAMMON HAS NO TWO-SIDED BEAR-OFF DATABASE (gnubg_ts0.bd; "
                    "dpkg-reconfigure gnubg makes it), so exact bear-offs were not compared";
  }
  const backgammon::BearoffTable table;
  Gnubg gnubg = started({});
  Random random(73, 0, 0, Purpose::kTest);
  for (int i = 0; i < 1000; ++i) {
    const Board board = random_bearoff(random);
    const GnubgEvaluation its = value_of(gnubg.evaluate(board, 0));
    EXPECT_NEAR(its.equity, table.equity(board), kBearoffTolerance)
        << backgammon::position_id(board);
    EXPECT_NEAR(its.probabilities.win, table.win(board), kBearoffTolerance / 2);
  }
}

// The shipped labels of decisions that the table knows: every play's labelled equity is the exact
// one. Needs no program.
TEST(BearoffLabels, AreTheExactEquities) {
  const backgammon::BearoffTable table;
  int plays = 0;
  for (const BackgammonLabel& label : labels()) {
    for (const BackgammonLabel::Play& play : label.plays) {
      const Board after = value_of(backgammon::board_from_position_id(play.after));
      if (!table.holds(after)) continue;
      ++plays;
      // Two more plies of rounded entries, and five digits.
      EXPECT_NEAR(play.equity, -table.equity(after), kBearoffTolerance + 5e-6) << play.after;
    }
  }
  EXPECT_GT(plays, 50);
}

}  // namespace
}  // namespace senet
