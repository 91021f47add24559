// Matches: fair sides, the same games for the same seed, and correct sums.
#include "selfplay/match.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "games/registry.hpp"
#include "nn/network.hpp"
#include "nn/own_evaluators.hpp"
#include "selfplay/search_player.hpp"
#include "tests/engine/small_network.hpp"
#include "tests/game_types.hpp"

namespace senet {
namespace {

template <Game G>
const AnyGame& any_game() {
  return game_table<AnyGame, G>();
}

/// The rules-only player of G with this name.
template <Game G>
SimpleMatchPlayer simple_player(std::string_view word) {
  const auto& players = any_game<G>().players;
  const auto found = std::ranges::find(players, word, &SimplePlayer::word);
  EXPECT_NE(found, players.end()) << word;
  return SimpleMatchPlayer(*found);
}
template <Game G>
SimpleMatchPlayer random_player() {
  return simple_player<G>("random");
}

/// Always plays the first or always the last legal action.
class EdgePlayer final : public MatchPlayer {
 public:
  explicit EdgePlayer(bool last) : last_(last) {}
  Result<void> choose(std::span<const AnyState> states, std::span<const Random> draws,
                      std::span<Action> actions) override {
    EXPECT_EQ(states.size(), draws.size());
    EXPECT_EQ(states.size(), actions.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      EXPECT_TRUE(is_decision(states[i].turn()));
      std::vector<Action> legal;
      states[i].legal(legal);
      EXPECT_GT(legal.size(), 1u) << "forced moves need no player";
      actions[i] = last_ ? legal.back() : legal.front();
    }
    return {};
  }

 private:
  bool last_;
};

/// All games of a match in the order of their numbers, and the result of the run.
struct Played {
  std::vector<PlayedGame> games;
  MatchRun run;
};

/// Plays the games whose numbers are not in `before`, until `most` of them have ended.
template <Game G>
Played play(MatchPlayer& first, MatchPlayer& second, const MatchSettings& settings,
            const std::vector<std::uint64_t>& before = {}, std::size_t most = 1'000'000) {
  Played played;
  const MatchHooks hooks{.finished = [&](const PlayedGame& game) -> Result<void> {
                           played.games.push_back(game);
                           return {};
                         },
                         .is_stopped = [&] { return played.games.size() >= most; }};
  played.run = play_match(any_game<G>(), first, second, settings, before, hooks);
  std::ranges::sort(played.games, {}, &PlayedGame::number);
  return played;
}

template <Game G>
MatchResult result_of(MatchPlayer& first, MatchPlayer& second, const MatchSettings& settings) {
  const Result<MatchResult> result = match_result(any_game<G>(), first, second, settings);
  EXPECT_TRUE(result) << result.error().reason();
  EXPECT_EQ(result->games, 2 * settings.pairs);
  return *result;
}

template <class G>
class MatchOf : public testing::Test {};
TYPED_TEST_SUITE(MatchOf, TwoPlayerGames, GameName);

TYPED_TEST(MatchOf, SwappedPlayersGiveTheMirroredResult) {
  using G = TypeParam;
  EdgePlayer first(false), second(true);
  const MatchSettings settings{.pairs = 40, .random_plies = 3, .ply_cap = 3000, .seed = 9};
  const MatchResult ab = result_of<G>(first, second, settings);
  const MatchResult ba = result_of<G>(second, first, settings);
  EXPECT_EQ(ab.games, 80u);
  EXPECT_EQ(ab.wins, ba.losses);
  EXPECT_EQ(ab.losses, ba.wins);
  EXPECT_EQ(ab.draws, ba.draws);
  EXPECT_EQ(ab.cut, ba.cut);
  EXPECT_NEAR(ab.points, -ba.points, 1e-12);
  EXPECT_NEAR(ab.score, 1 - ba.score, 1e-12);
  EXPECT_NEAR(ab.points_error, ba.points_error, 1e-9);
  for (std::size_t i = 0; i < kOutcomes<G>; ++i) {
    EXPECT_EQ(ab.outcomes[i], ba.outcomes[G::kOutcomeMirror[i]]);
  }
}

// The same positions occur in both games of a pair, with swapped sides.
TYPED_TEST(MatchOf, OneDeterministicPlayerAgainstItselfIsExactlyEven) {
  using G = TypeParam;
  EdgePlayer first(true), second(true);
  const MatchResult result =
      result_of<G>(first, second, {.pairs = 20, .random_plies = 2, .ply_cap = 3000});
  EXPECT_EQ(result.wins, result.losses);
  EXPECT_EQ(result.points, 0);
  EXPECT_EQ(result.points_error, 0);
  EXPECT_EQ(result.score, 0.5);
  EXPECT_EQ(result.score_error, 0);
}

TYPED_TEST(MatchOf, TheSeedDecides) {
  using G = TypeParam;
  SimpleMatchPlayer first = random_player<G>(), second = first;
  const auto play = [&](std::uint64_t seed) {
    return result_of<G>(first, second, {.pairs = 100, .seed = seed}).outcomes;
  };
  EXPECT_EQ(play(1), play(1));
  EXPECT_NE(play(1), play(2));
}

TYPED_TEST(MatchOf, LongGamesAreCut) {
  using G = TypeParam;
  SimpleMatchPlayer first = random_player<G>(), second = first;
  const MatchResult result = result_of<G>(first, second, {.pairs = 5, .ply_cap = 4});
  EXPECT_EQ(result.cut, 10u);
  EXPECT_EQ(result.draws, 10u);
  EXPECT_EQ(result.points, 0);
  EXPECT_EQ(result.score, 0.5);
}

TYPED_TEST(MatchOf, GamesDoNotDependOnWhatElseIsPlayed) {
  using G = TypeParam;
  SimpleMatchPlayer first = random_player<G>(), second = first;
  const MatchSettings settings{.pairs = 20, .ply_cap = 300, .seed = 4};
  const std::vector<PlayedGame> all = play<G>(first, second, settings).games;
  ASSERT_EQ(all.size(), 40u);
  for (const std::size_t at_once : {1, 3, 40}) {
    MatchSettings other = settings;
    other.games_at_once = at_once;
    EXPECT_EQ(play<G>(first, second, other).games, all) << at_once;
  }
  for (const std::uint64_t number : {0, 7, 39}) {
    MatchSettings one = settings;
    one.only_game = number;
    EXPECT_EQ(play<G>(first, second, one).games, std::vector<PlayedGame>{all[number]});
  }
}

// Workers, lanes and a cache change only the speed of a player that searches.
TYPED_TEST(MatchOf, GamesDoNotDependOnTheWorkersOfASearch) {
  using G = TypeParam;
  const auto weights = std::make_shared<const Weights>(small_network<G>(1));
  SimpleMatchPlayer random = random_player<G>();
  const auto games = [&](const SearchOptions& options) {
    const auto player = SearchPlayer<G>::make(weights, options, 12);
    EXPECT_TRUE(player) << player.error().reason();
    return play<G>(**player, random, {.pairs = 6, .games_at_once = 7}).games;
  };
  const std::vector<PlayedGame> alone = games({.workers = 1, .lanes = 1});
  ASSERT_EQ(alone.size(), 12u);
  EXPECT_EQ(games({.workers = 2, .lanes = 3}), alone);
  EXPECT_EQ(games({.workers = 5, .lanes = 1, .cache_mib = 1}), alone);
  EXPECT_EQ(games({}), alone);
}

TYPED_TEST(MatchOf, GoesOnAfterAnInterruption) {
  using G = TypeParam;
  SimpleMatchPlayer first = random_player<G>(), second = first;
  const MatchSettings settings{.pairs = 20, .ply_cap = 300, .seed = 4, .games_at_once = 8};
  const std::vector<PlayedGame> all = play<G>(first, second, settings).games;
  std::vector<PlayedGame> begun = play<G>(first, second, settings, {}, 9).games;
  EXPECT_GE(begun.size(), 9u);
  EXPECT_LT(begun.size(), 9 + settings.games_at_once);
  std::vector<std::uint64_t> numbers;
  for (const PlayedGame& game : begun) numbers.push_back(game.number);
  const std::vector<PlayedGame> rest = play<G>(first, second, settings, numbers).games;
  EXPECT_EQ(begun.size() + rest.size(), all.size());
  begun.insert(begun.end(), rest.begin(), rest.end());
  std::ranges::sort(begun, {}, &PlayedGame::number);
  EXPECT_EQ(begun, all);
}

TYPED_TEST(MatchOf, GamesOfAPairShareOpeningAndDice) {
  using G = TypeParam;
  EdgePlayer first(false), second(true);
  const auto games = play<G>(first, second, {.pairs = 10, .ply_cap = 300}).games;
  for (std::size_t i = 0; i < games.size(); i += 2) {
    G one, other;
    for (std::size_t ply = 0; ply < std::min(games[i].actions.size(), games[i + 1].actions.size());
         ++ply) {
      const bool is_drawn = one.turn() == Turn::kChance || (!StochasticGame<G> && ply < 4);
      // Later, the games of a pair may roll at different plies.
      if (one.turn() != other.turn()) break;
      if (is_drawn) {
        EXPECT_EQ(games[i].actions[ply], games[i + 1].actions[ply]);
      }
      one.play(games[i].actions[ply]);
      other.play(games[i + 1].actions[ply]);
    }
  }
}

TYPED_TEST(MatchOf, ToldGamesAreChecked) {
  using G = TypeParam;
  SimpleMatchPlayer first = random_player<G>(), second = first;
  const MatchSettings settings{.pairs = 3, .ply_cap = 300};
  for (const PlayedGame& game : play<G>(first, second, settings).games) {
    EXPECT_TRUE(check_played_game(any_game<G>(), game, settings));
    PlayedGame changed = game;
    changed.number ^= 2;  // the dice or opening of another pair
    EXPECT_FALSE(check_played_game(any_game<G>(), changed, settings));
    changed = game;
    changed.actions.pop_back();
    EXPECT_FALSE(check_played_game(any_game<G>(), changed, settings));
    changed = game;
    changed.actions.push_back(changed.actions.back());
    EXPECT_FALSE(check_played_game(any_game<G>(), changed, settings));
    changed = game;
    changed.outcome = changed.outcome ? std::nullopt : MatchOutcome(0);
    EXPECT_FALSE(check_played_game(any_game<G>(), changed, settings));
    changed = game;
    changed.actions[changed.actions.size() / 2] = 65000;
    EXPECT_FALSE(check_played_game(any_game<G>(), changed, settings));
  }
}

/// Correct until its n-th call.
class FaultyPlayer final : public MatchPlayer {
 public:
  FaultyPlayer(MatchPlayer& sane, int questions, bool fails)
      : sane_(sane), questions_(questions), fails_(fails) {}
  Result<void> choose(std::span<const AnyState> states, std::span<const Random> draws,
                      std::span<Action> actions) override {
    const auto chosen = sane_.choose(states, draws, actions);
    if (--questions_ > 0) return chosen;
    if (fails_) {
      ++faults_.crashes;
      faults_.state = states.size() - 1;
      return fail("out of order");
    }
    actions.back() = 65000;
    return {};
  }
  PlayerFaults faults() const override { return faults_; }

 private:
  MatchPlayer& sane_;
  int questions_;
  bool fails_;
  PlayerFaults faults_;
};

TYPED_TEST(MatchOf, AnIllegalMoveEndsTheMatchAndIsTold) {
  using G = TypeParam;
  SimpleMatchPlayer sane = random_player<G>();
  FaultyPlayer faulty(sane, 2, false);
  const Played played = play<G>(sane, faulty, {.pairs = 20, .random_plies = 0});
  ASSERT_TRUE(played.run.fault);
  const std::string& reason = played.run.fault->reason();
  EXPECT_TRUE(reason.starts_with("the second player in game ")) << reason;
  EXPECT_NE(reason.find(" of seed 1, ply "), std::string::npos) << reason;
  EXPECT_NE(reason.find(": it chose the action 65000 in "), std::string::npos) << reason;
  EXPECT_EQ(played.run.faults[0].illegal, 0u);
  EXPECT_EQ(played.run.faults[1].illegal, 1u);
  EXPECT_EQ(played.run.faults[1].crashes, 0u);
  EXPECT_LT(played.games.size(), 40u);
}

TYPED_TEST(MatchOf, APlayerThatFailsEndsTheMatch) {
  using G = TypeParam;
  SimpleMatchPlayer sane = random_player<G>();
  FaultyPlayer faulty(sane, 2, true);
  const Played played = play<G>(faulty, sane, {.pairs = 20, .random_plies = 0});
  ASSERT_TRUE(played.run.fault);
  const std::string& reason = played.run.fault->reason();
  EXPECT_TRUE(reason.starts_with("the first player in game ")) << reason;
  EXPECT_TRUE(reason.ends_with(": out of order")) << reason;
  EXPECT_EQ(played.run.faults[0].crashes, 1u);
  EXPECT_EQ(played.run.faults[1].crashes, 0u);
}

/// Replaying the game named in a fault alone gives the same fault.
TEST(Match, AFaultNamesTheGameToPlayAgain) {
  SimpleMatchPlayer sane = random_player<ConnectFour>();
  const auto fault = [&](std::optional<std::uint64_t> game, int questions) {
    FaultyPlayer faulty(sane, questions, false);
    const MatchHooks hooks{.finished = [](const PlayedGame&) -> Result<void> { return {}; },
                           .is_stopped = [] { return false; }};
    const MatchSettings settings{.pairs = 20, .only_game = game};
    return play_match(any_game<ConnectFour>(), sane, faulty, settings, {}, hooks)
        .fault.value()
        .reason();
  };
  const std::string among_others = fault(std::nullopt, 3);
  const std::string word = " in game ";
  const std::size_t at = among_others.find(word) + word.size();
  EXPECT_EQ(fault(std::stoull(among_others.substr(at)), 3), among_others);
}

// A player stopped while it thinks makes no moves, and that is not a fault.
TEST(Match, APlayerToldToStopIsNoFault) {
  class Stopped final : public MatchPlayer {
   public:
    Result<void> choose(std::span<const AnyState>, std::span<const Random>,
                        std::span<Action>) override {
      has_stopped = true;
      return fail(SENET_STOPPED, "stopped");
    }
    bool has_stopped = false;
  } player;
  const MatchHooks hooks{.finished = [](const PlayedGame&) -> Result<void> { return {}; },
                         .is_stopped = [&] { return player.has_stopped; }};
  const MatchRun run = play_match(any_game<ConnectFour>(), player, player, {.pairs = 3}, {}, hooks);
  EXPECT_TRUE(player.has_stopped);
  EXPECT_FALSE(run.fault);
}

TEST(Match, AGameThatCannotBeKeptEndsTheMatch) {
  SimpleMatchPlayer player = random_player<ConnectFour>();
  std::size_t games = 0;
  const MatchHooks hooks{.finished = [&](const PlayedGame&) -> Result<void> {
                           return ++games < 3 ? Result<void>() : fail("the disk is full");
                         },
                         .is_stopped = [] { return false; }};
  const MatchRun run =
      play_match(any_game<ConnectFour>(), player, player, {.pairs = 30}, {}, hooks);
  ASSERT_TRUE(run.fault);
  EXPECT_EQ(run.fault->reason(), "the disk is full");
  EXPECT_EQ(games, 3u);
}

Action one_ply_choice(const char* moves) {
  SimpleMatchPlayer player = simple_player<ConnectFour>("one-ply");
  const std::array states = {AnyState::from_text(any_game<ConnectFour>(), moves).value()};
  const std::array draws = {Random(1, 0, 0, Purpose::kTest)};
  std::array<Action, 1> actions{};
  EXPECT_TRUE(player.choose(states, draws, actions));
  return actions[0];
}

TEST(OnePlyPlayer, WinsThenBlocksThenKeepsToTheMiddle) {
  EXPECT_EQ(one_ply_choice(""), 3);
  EXPECT_EQ(one_ply_choice("121212"), 0) << "wins, though it could block";
  EXPECT_EQ(one_ply_choice("1212172"), 0) << "blocks";
  EXPECT_NE(one_ply_choice("4444"), 0);
  // X threatens 1 and 5 on the bottom row with 2 3 4: nothing helps, so it plays the middle.
  EXPECT_EQ(one_ply_choice("27374"), 3);
}

TEST(OnePlyPlayer, BeatsRandom) {
  SimpleMatchPlayer four = simple_player<ConnectFour>("one-ply");
  SimpleMatchPlayer four_random = random_player<ConnectFour>();
  EXPECT_GT(result_of<ConnectFour>(four, four_random, {.pairs = 200}).score, 0.95);
  SimpleMatchPlayer three = simple_player<TicTacToe>("one-ply");
  SimpleMatchPlayer three_random = random_player<TicTacToe>();
  EXPECT_GT(result_of<TicTacToe>(three, three_random, {.pairs = 200}).score, 0.75);
}

TEST(LinearPlayer, BeatsRandomByGammons) {
  SimpleMatchPlayer linear = simple_player<Backgammon>("linear");
  SimpleMatchPlayer random = random_player<Backgammon>();
  const MatchResult result = result_of<Backgammon>(linear, random, {.pairs = 200});
  EXPECT_GT(result.score, 0.97);
  EXPECT_GT(result.points, 1.5);
}

// A full search never loses tic-tac-toe, and a random player loses most of the time.
TEST(Match, PerfectTicTacToeBeatsRandom) {
  // Untrained, so its priors are nearly even: no move is missed for long, and with this many visits
  // the best move of every position is correct.
  constexpr std::uint32_t kVisits = 6'000;
  constexpr std::size_t kLanes = 8;
  NetworkSpec spec = reference_spec<TicTacToe>();
  spec.width = 16;  // small: it is evaluated very often, and its quality does not matter
  spec.blocks = 0;
  const auto player =
      SearchPlayer<TicTacToe>::make(std::make_shared<const Weights>(initial_network(spec, 1)),
                                    {.lanes = kLanes, .settings = {}}, kVisits);
  ASSERT_TRUE(player) << player.error().reason();
  MatchPlayer& perfect = **player;
  SimpleMatchPlayer random = random_player<TicTacToe>();
  const MatchSettings settings{.pairs = 30, .random_plies = 0};
  const MatchResult first = result_of<TicTacToe>(perfect, random, settings);
  EXPECT_EQ(first.losses, 0u);
  EXPECT_GT(first.wins, 45u);
  EXPECT_GT(first.score, 0.8);
  const MatchResult second = result_of<TicTacToe>(random, perfect, settings);
  EXPECT_EQ(second.wins, 0u);
  EXPECT_LT(second.score, 0.2);
  const MatchResult itself = result_of<TicTacToe>(perfect, perfect, settings);
  EXPECT_EQ(itself.draws, itself.games);
}

/// A host's own evaluator that fails once.
class FailsOnce final : public HashEvaluator {
 public:
  explicit FailsOnce(std::atomic<bool>& fails) : fails_(fails) {}
  using Evaluator::forward;
  void forward(Batch& batch, std::size_t first, std::size_t last) override {
    if (fails_.exchange(false)) throw std::runtime_error("no connection");
    HashEvaluator::forward(batch, first, last);
  }

 private:
  std::atomic<bool>& fails_;
};

// An exception on any of its threads reaches the caller, and the player can go on.
TEST(SearchPlayer, AnExceptionReachesTheCaller) {
  std::atomic<bool> fails{true};
  SearchOptions options{.workers = 3};
  options.evaluation.own = [&](const Weights&, std::size_t) -> Result<std::unique_ptr<Evaluator>> {
    return std::make_unique<FailsOnce>(fails);
  };
  const auto weights = std::make_shared<const Weights>(small_network<ConnectFour>(1));
  const auto player = SearchPlayer<ConnectFour>::make(weights, options, 20);
  ASSERT_TRUE(player) << player.error().reason();
  std::vector<AnyState> states;
  for (Action column = 0; column < 7; ++column) {
    states.emplace_back(any_game<ConnectFour>()).play(column);
  }
  const std::vector<Random> draws(7, Random(1, 0, 0, Purpose::kMove));
  std::vector<Action> actions(7), alone(1);
  EXPECT_THROW(static_cast<void>((*player)->choose(states, draws, actions)), std::runtime_error);
  ASSERT_TRUE((*player)->choose(states, draws, actions));
  for (std::size_t i = 0; i < states.size(); ++i) {
    ASSERT_TRUE((*player)->choose({&states[i], 1}, {&draws[i], 1}, alone));
    EXPECT_EQ(alone[0], actions[i]) << i;
  }
}

TEST(SearchPlayer, WhatCannotBeMadeIsAnError) {
  const auto weights = std::make_shared<const Weights>(small_network<ConnectFour>(1));
  const auto no_mode =
      SearchPlayer<ConnectFour>::make(weights, {.mode = Evaluates::kAfterstates}, 1);
  EXPECT_EQ(no_mode.error().reason(), "mode: connect_four has no afterstates");
  const auto no_memory =
      SearchPlayer<ConnectFour>::make(weights, {.workers = 2, .cache_mib = 1'000'000'000}, 1);
  EXPECT_TRUE(no_memory.error().reason().starts_with("visits: with these workers and lanes"));
}

TEST(MatchResult, Sums) {
  // Pairs: won and won, won and lost, drawn and cut. Backgammon's values, including a gammon.
  const std::vector<MatchOutcome> games = {0, 1, 0, 3, std::nullopt, std::nullopt};
  const MatchResult result = sum_up(games, Backgammon::kOutcomeValues);
  EXPECT_EQ(result.games, 6u);
  EXPECT_EQ(result.wins, 3u);
  EXPECT_EQ(result.losses, 1u);
  EXPECT_EQ(result.draws, 2u);
  EXPECT_EQ(result.cut, 2u);
  EXPECT_EQ(result.outcomes, (std::vector<std::size_t>{2, 1, 0, 1, 0, 0}));
  EXPECT_EQ(result.pairs, (std::array<std::size_t, 5>{0, 0, 2, 0, 1}));
  // Means of the pairs: points 1.5, 0, 0; score 1, 0.5, 0.5.
  EXPECT_NEAR(result.points, 0.5, 1e-12);
  EXPECT_NEAR(result.points_error, 0.5, 1e-12);
  EXPECT_NEAR(result.score, 2 / 3.0, 1e-12);
  EXPECT_NEAR(result.score_error, 1 / 6.0, 1e-12);
}

TEST(MatchResult, OnePairHasNoError) {
  const std::vector<MatchOutcome> games = {0, 0};
  const MatchResult result = sum_up(games, ConnectFour::kOutcomeValues);
  EXPECT_EQ(result.score, 1);
  EXPECT_EQ(result.score_error, 0);
}

TEST(MatchResult, EloDifference) {
  EXPECT_EQ(elo_difference(0.5), 0);
  EXPECT_NEAR(elo_difference(0.75), 190.8485, 1e-3);
  EXPECT_NEAR(expected_score(190.8485), 0.75, 1e-6);
  EXPECT_EQ(expected_score(0), 0.5);
  EXPECT_NEAR(elo_difference(0.25), -190.8485, 1e-3);
  EXPECT_EQ(elo_difference(1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(elo_difference(0), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace senet
