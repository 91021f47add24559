// Verifies our results against GNU Backgammon, part 2: compares signs, sides and values with those
// of the independently written program. docs/strength.md lists the error that each test would find.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "games/random.hpp"
#include "selfplay/match.hpp"
#include "tests/games/backgammon_bearoff.hpp"
#include "tests/games/backgammon_positions.hpp"
#include "tests/tools/referee/gnubg_console.hpp"
#include "tests/tools/referee/gnubg_trust.hpp"

namespace senet {
namespace {

using backgammon::Board;
using backgammon::Checkers;

/// A label for the decision from GNU Backgammon's ranking of its plays.
backgammon::Label label_of(const Backgammon& state, const std::vector<GnubgPlay>& ranked) {
  backgammon::Label label{
      "", "any", value_of(Backgammon::from_board(state.board(), 0, state.dice())), {}};
  for (const GnubgPlay& play : ranked) {
    Backgammon after = label.state;
    after.play(play.action);
    label.plays.push_back({backgammon::position_id(after.board()), play.evaluation.equity});
  }
  return label;
}

double mean_loss(std::span<const backgammon::Label> all, std::span<const MoveMix> moves) {
  const Grades grades = backgammon::grade(all, moves);
  EXPECT_EQ(grades.unmatched, 0u);
  for (const Metric& metric : grades.metrics) {
    if (metric.subject == Backgammon::kName && metric.name == "loss_millipoints") {
      return metric.value;
    }
  }
  ADD_FAILURE() << "no mean loss";
  return -1;
}

// Graded by our ranking from gnubg's evaluations, its own play loses nothing, its lowest ranked
// play loses much, and a random play is in between. A wrong sign, side or board would reverse this.
TEST_F(GnubgTrust, ItsOwnChoiceLosesNothingAndTheWorstPlayMuch) {
  Gnubg gnubg = started({});
  std::vector<backgammon::Label> ranked;
  std::vector<MoveMix> its, worst, blind;
  std::size_t i = 0;
  for (const backgammon::Label& label : labels()) {
    if (++i % 3 != 0) continue;
    // Alternate the player on roll; actions are the same for both.
    const Backgammon state = value_of(Backgammon::from_board(
        label.state.board(), static_cast<Player>(i % 2), label.state.dice()));
    const std::vector<GnubgPlay> plays = value_of(gnubg.rank(state, 0));
    for (const GnubgPlay& play : plays) {
      ASSERT_NEAR(play.evaluation.probabilities.equity(), play.evaluation.equity, 5e-6);
    }
    ranked.push_back(label_of(state, plays));
    its.push_back({value_of(gnubg.best_move(any(state)))});
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

// The loss of gnubg's 0-ply play on the shipped labels. An independently written program, with
// another copy of gnubg, made the labels at 2-ply, and another one measured a loss of 2.92.
// (gnubg's results differ by hundredths of a millipoint between processors.)
TEST_F(GnubgTrust, ItsMarkOnTheShippedLabelsIsKnown) {
  const auto player = value_of(gnubg_player({.ply = 0}));
  const std::vector<backgammon::Label> met = labels();
  std::vector<AnyState> states;
  for (const backgammon::Label& label : met) states.push_back(any_state(label.state));
  const std::vector<Random> draws(states.size(), Random(1, 0, 0, Purpose::kTest));
  std::vector<Action> actions(states.size());
  const Result<void> chosen = player->choose(states, draws, actions);
  ASSERT_TRUE(chosen) << chosen.error().reason();
  std::vector<MoveMix> moves;
  for (const Action action : actions) moves.push_back({action});
  EXPECT_NEAR(mean_loss(met, moves), 2.92, 0.15);
}

// gnubg's 1-ply value of a position is the mean, over all rolls, of the 0-ply value of its best
// play. We compute that mean with our rules, dice, signs and sides.
TEST_F(GnubgTrust, OneRollOfOursIsOnePlyOfIts) {
  Gnubg gnubg = started({});
  const std::vector<backgammon::Label> met = labels();
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

// The same board gets the same answer for both players on roll, in our state and in gnubg's
// console.
TEST_F(GnubgTrust, BothSidesGetTheSameAnswer) {
  Gnubg gnubg = started({});
  std::vector<Backgammon> states;
  const std::vector<backgammon::Label> met = labels();
  for (std::size_t i = 0; i < met.size(); i += 5) {
    const Board board = met[i].state.board();
    states.push_back(value_of(Backgammon::from_board(board, 0, met[i].state.dice())));
    const auto turned = value_of(Backgammon::from_board(board, 1, met[i].state.dice()));
    EXPECT_EQ(value_of(gnubg.best_move(any(states.back()))), value_of(gnubg.best_move(any(turned))))
        << states.back().text();
  }
  const auto as_0 = value_of(ask_gnubg_console(states, ConsoleSide::kPlayer0));
  const auto as_1 = value_of(ask_gnubg_console(states, ConsoleSide::kPlayer1));
  for (std::size_t i = 0; i < states.size(); ++i) {
    ASSERT_FALSE(as_0[i].plays.empty());
    EXPECT_EQ(as_0[i].plays, as_1[i].plays);
    EXPECT_EQ(as_0[i].values, as_1[i].values);
    // The play from its socket has the same value as the best play in its console.
    const Action played = value_of(gnubg.best_move(any(states[i])));
    const auto words = std::ranges::find_if(as_0[i].plays, [&](const std::string& play) {
      return value_of(states[i].action_from_text(play)) == played;
    });
    ASSERT_NE(words, as_0[i].plays.end()) << states[i].text();
    EXPECT_EQ(std::stod(as_0[i].values[words - as_0[i].plays.begin()]),
              std::stod(as_0[i].values.front()))
        << states[i].text();
  }
  // The start position is symmetric, and the player on roll has a small advantage.
  const GnubgEvaluation start = value_of(gnubg.evaluate(Backgammon().board(), 1));
  EXPECT_GT(start.equity, 0.02);
  EXPECT_LT(start.equity, 0.15);
}

/// Plays a short match and returns its result for the first player. Expects no faults.
MatchResult played(MatchPlayer& first, MatchPlayer& second, std::size_t pairs) {
  std::vector<PlayedGame> games;
  const MatchHooks hooks{.finished = [&](const PlayedGame& game) -> Result<void> {
                           games.push_back(game);
                           return {};
                         },
                         .is_stopped = [] { return false; }};
  const MatchRun run = play_match(game_table<AnyGame, Backgammon>(), first, second,
                                  {.pairs = pairs, .seed = 5}, {}, hooks);
  EXPECT_FALSE(run.fault) << run.fault->reason();
  for (const PlayerFaults& faults : run.faults) {
    EXPECT_EQ(faults.illegal, 0u);
    EXPECT_EQ(faults.crashes, 0u);
  }
  std::ranges::sort(games, {}, &PlayedGame::number);
  std::vector<MatchOutcome> outcomes;
  for (const PlayedGame& game : games) outcomes.push_back(game.outcome);
  return sum_up(outcomes, Backgammon::kOutcomeValues);
}

// A player that ranks our legal plays by gnubg's 0-ply evaluations is as strong as gnubg at 0-ply.
// The two games of a pair have the same dice, so they are mirror images and cancel out. They can
// differ only where two plays have equal equities to six digits.
TEST_F(GnubgTrust, ACopyOfItDrawsWithIt) {
  const auto its = value_of(gnubg_player({.ply = 0}));
  const auto copy = value_of(gnubg_player({.ply = 0, .full = true}));
  const MatchResult result = played(*copy, *its, 30);
  EXPECT_EQ(result.games, 60u);
  EXPECT_LE(std::abs(result.points), 3.5 * result.points_error);
  EXPECT_LT(result.points_error, 0.1);
  const MatchResult itself = played(*its, *its, 30);
  EXPECT_EQ(itself.points, 0);
  EXPECT_EQ(itself.points_error, 0);
}

// gnubg beats random play by far more than a point per game, as first and as second player.
TEST_F(GnubgTrust, BlindPlayLosesToIt) {
  const auto its = value_of(gnubg_player({.ply = 0}, 2));
  SimpleMatchPlayer blind(game_table<AnyGame, Backgammon>().players.front());
  EXPECT_GT(played(*its, blind, 20).points, 1.5);
  EXPECT_LT(played(blind, *its, 20).points, -1.5);
}

// A position with 1 to 6 checkers per player, all in the home boards.
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

// gnubg's database has equities -1 .. 1 in 16 bits, in steps of 3.1e-5. Each entry was computed
// from other rounded entries, so errors add up to a few steps (the largest found is 8.4e-5).
constexpr double kBearoffTolerance = 4 * 2.0 / 65535;

TEST_F(GnubgTrust, ItsBearoffDatabaseHoldsOurExactEquities) {
  if (!std::filesystem::exists("/var/lib/gnubg/gnubg_ts0.bd") &&
      !std::filesystem::exists("/usr/share/gnubg/gnubg_ts0.bd")) {
    GTEST_SKIP() << "GNU BACKGAMMON HAS NO TWO-SIDED BEAR-OFF DATABASE (gnubg_ts0.bd; "
                    "dpkg-reconfigure gnubg creates it): exact bear-offs were not compared";
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

// For positions in the exact table, the equities of the shipped labels are exact. Does not need
// gnubg.
TEST(BearoffLabels, AreTheExactEquities) {
  const backgammon::BearoffTable table;
  int plays = 0;
  for (const backgammon::Label& label : labels()) {
    for (const backgammon::Label::Play& play : label.plays) {
      const Board after = value_of(backgammon::board_from_position_id(play.after));
      if (!table.holds(after)) continue;
      ++plays;
      // The equity went through two more plies of rounded entries and was printed with five digits.
      EXPECT_NEAR(play.equity, -table.equity(after), kBearoffTolerance + 5e-6) << play.after;
    }
  }
  EXPECT_GT(plays, 50);
}

}  // namespace
}  // namespace senet
