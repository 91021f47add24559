// Self-play records describe the games that were played: legal turns with the correct models,
// visits and ends.
#include <gtest/gtest.h>

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <thread>

#include "games/sound_moves.hpp"
#include "nn/own_evaluators.hpp"
#include "selfplay/parked_file.hpp"
#include "tests/all_games.hpp"
#include "tests/game_types.hpp"
#include "tests/search/search_driver.hpp"
#include "tests/selfplay/selfplay_runs.hpp"

namespace senet {
namespace {

template <class G>
class PlayedGames : public testing::Test {};
TYPED_TEST_SUITE(PlayedGames, GameTypes, GameName);

TYPED_TEST(PlayedGames, RecordsReplayToTheirRecordedEnd) {
  const SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 16);
  std::size_t cut = 0, full = 0, fast = 0;
  for (const auto& [number, record] : play_run<TypeParam>(settings, 40)) {
    EXPECT_EQ(record.settings, settings_text(settings.play, settings.worker.search));
    TypeParam state;
    for (const RecordedTurn& turn : record.turns()) {
      if (turn.kind == TurnKind::kChance) {
        ASSERT_EQ(state.turn(), Turn::kChance);
      } else {
        ASSERT_EQ(state.turn(), turn.player == 0 ? Turn::kPlayer0 : Turn::kPlayer1);
        ActionList<TypeParam::kMaxLegal> moves;
        moves_to_consider(state, moves);
        ASSERT_TRUE(std::binary_search(moves.begin(), moves.end(), turn.action));
        ASSERT_EQ(turn.kind == TurnKind::kForced, moves.size() == 1);
        for (const VisitCount& visit : record.visits(turn)) {
          ASSERT_TRUE(std::binary_search(moves.begin(), moves.end(), visit.action));
        }
      }
      full += turn.kind == TurnKind::kFullSearch;
      fast += turn.kind == TurnKind::kFastSearch;
      ASSERT_EQ(turn.kind == TurnKind::kFullSearch, !record.visits(turn).empty());
      state.play(turn.action);
    }
    if (record.end() == EndKind::kCut) {
      ++cut;
      EXPECT_EQ(record.turns().size(), settings.play.ply_cap);
    } else {
      ASSERT_EQ(record.end(), EndKind::kPlayed);
      ASSERT_EQ(state.turn(), Turn::kOver);
      EXPECT_EQ(state.outcome(), record.final_outcome());
    }
  }
  EXPECT_GT(full, 0u);
  EXPECT_GT(fast, 0u);
  if (TypeParam::kMaxPlies <= settings.play.ply_cap) {
    EXPECT_EQ(cut, 0u);
  }
}

// A search by plies values moves, not visits: their values are recorded, the chosen one among them.
TEST(Play, SearchesByPliesRecordWhatTheirMovesAreWorth) {
  SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 1);
  settings.worker.search.evaluates = Evaluates::kAfterstates;
  settings.worker.search.plies = {.ply = 1, .moves = 3, .window = 100};
  settings.play.temperature_plies = 0;
  settings.play.noise = false;
  settings.play.ply_cap = 12;
  std::size_t searched = 0;
  for (const auto& [number, record] : play_run<Backgammon>(settings, 4)) {
    for (const RecordedTurn& turn : record.turns()) {
      const bool is_searched =
          turn.kind == TurnKind::kFullSearch || turn.kind == TurnKind::kFastSearch;
      ASSERT_EQ(turn.has_visited, is_searched);
      if (!is_searched) continue;
      ++searched;
      const auto moves = record.visits(turn);
      ASSERT_TRUE(moves.size() == 2 || moves.size() == 3);
      const auto chosen = std::ranges::find(moves, turn.action, &VisitCount::action);
      ASSERT_NE(chosen, moves.end());
      const auto at = static_cast<std::size_t>(chosen - moves.begin());
      EXPECT_TRUE(
          std::ranges::equal(record.visited_outcomes(turn, at), record.chosen_outcomes(turn)));
      const auto value_of = [&](std::size_t i) {
        Outcomes<Backgammon> outcomes;
        to_distribution(record.visited_outcomes(turn, i), outcomes);
        return mean_value(Backgammon{}, outcomes);
      };
      for (std::size_t i = 0; i < moves.size(); ++i) {
        EXPECT_EQ(moves[i].visits, 2u);
        EXPECT_LE(value_of(i), value_of(at) + 1e-4f);
      }
    }
  }
  EXPECT_GT(searched, 10u);
}

// The first random move is independent of the number of random moves: for each number, games begin
// with each column of Connect Four.
TEST(Play, BlindMovesDoNotDependOnHowManyThereAre) {
  SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 2);
  settings.play.random_plies = 6;
  std::array<std::array<int, ConnectFour::kMaxLegal>, 7> games{};  // [random moves, first column]
  for (const auto& [number, record] : play_run<ConnectFour>(settings, 2000)) {
    std::size_t blind = 0;
    while (record.turns()[blind].kind == TurnKind::kRandom) ++blind;
    ASSERT_LE(blind, 6u);
    ++games[blind][record.turns()[0].action];
  }
  for (std::size_t blind = 1; blind <= 6; ++blind) {
    // 2000 / 49 = 41 expected; 5 standard deviations.
    for (const int count : games[blind]) EXPECT_NEAR(count, 41, 32) << blind;
  }
}

TEST(Play, ResignationConcedesAPlainLossOnce) {
  SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 16);
  settings.play.resign_below = 0.01f;
  settings.play.resign_play_through = 0;
  std::size_t resigned = 0;
  for (const auto& [number, record] : play_run<ConnectFour>(settings, 40)) {
    if (record.end() != EndKind::kResigned) continue;
    ++resigned;
    EXPECT_EQ(record.turns().back().player, record.resigned_by());
    EXPECT_EQ(ConnectFour::kOutcomeValues[record.final_outcome()],
              record.resigned_by() == 0 ? -1.0f : 1.0f);
  }
  EXPECT_GT(resigned, 0u);
}

// A share of the games is played to the end: each game is that of a run in which all are, or that
// of a run in which none is.
TEST(Play, ResignationIsTestedInAShareOfTheGames) {
  constexpr std::uint64_t kGames = 60;
  constexpr float kBelow = 0.01f;
  SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 16);
  settings.play.resign_below = kBelow;
  const auto play = [&](float share) {
    settings.play.resign_play_through = share;
    auto games = play_run<ConnectFour>(settings, kGames);
    for (auto& [number, record] : games) record.settings.clear();
    return games;
  };
  const auto count = [](const auto& games) {
    Resignations sum;
    for (const auto& [number, record] : games) {
      sum.add(record, kBelow, ConnectFour::kOutcomeValues);
    }
    return sum;
  };
  const auto none = play(0), some = play(0.5f), all = play(1);
  const Resignations of_none = count(none), of_some = count(some), of_all = count(all);
  EXPECT_EQ(of_none.tested, 0u);
  EXPECT_EQ(of_all.resigned, 0u);
  // The searches are the same up to the resignation.
  EXPECT_EQ(of_all.tested, of_none.resigned);
  EXPECT_EQ(of_some.tested + of_some.resigned, of_none.resigned);
  EXPECT_GT(of_some.tested, 0u);
  EXPECT_GT(of_some.resigned, 0u);
  for (const auto& [number, record] : some) {
    EXPECT_TRUE(record == all.at(number) || record == none.at(number)) << number;
  }
  // Which of the games would have been resigned by a player who did not lose them, in other words.
  std::uint64_t wrong = 0;
  for (const auto& [number, record] : all) {
    if (none.at(number).end() != EndKind::kResigned) continue;
    wrong += record.final_outcome() != none.at(number).final_outcome();
  }
  EXPECT_EQ(of_all.wrong, wrong);
  EXPECT_GT(wrong, 0u);
}

// Publishes networks while games are played: each search must have used only the network that its
// record names, from its first visit to its last.
TEST(Play, EverySearchEndsOnTheWeightsItBeganWith) {
  SelfPlaySettings settings = small_run(EvaluatorKind::kFused, 40);
  settings.workers = 2;
  settings.play.full_share = 1;
  settings.play.noise = false;
  settings.worker.search.reuse_tree = false;
  constexpr std::uint64_t kModels = 12;
  const auto network = [](std::uint64_t seed) {
    return initial_network(small_spec<ConnectFour>(), seed);
  };
  std::map<std::uint64_t, std::uint64_t> seed_of;
  for (std::uint64_t seed = 0; seed < kModels; ++seed) seed_of[network(seed).id()] = seed;
  ModelStore models(network(0));
  GameNumbers numbers(0, 300);
  KeepingSink sink;
  {
    SelfPlayThreads<ConnectFour> threads(settings, models, numbers, sink);
    for (std::uint64_t seed = 1; seed < kModels; ++seed) {
      while (sink.count() < 20 * seed && threads.running() > 0) std::this_thread::yield();
      models.publish(network(seed));
    }
    EXPECT_TRUE(threads.join());
  }
  std::map<std::uint64_t, std::size_t> searches;
  for (const auto& [number, record] : sink.games()) {
    ConnectFour state;
    for (const RecordedTurn& turn : record.turns()) {
      if (turn.kind == TurnKind::kFullSearch && number % 4 == 0) {
        const std::uint64_t id = record.models[turn.model];
        ASSERT_TRUE(seed_of.contains(id));
        ++searches[id];
        Search<ConnectFour> search(settings.worker.search,
                                   limits_for<ConnectFour>(40, Evaluates::kPosition));
        const Weights weights(network(seed_of[id]));
        const auto evaluator = make_evaluator(EvaluatorKind::kFused, weights, 8);
        Batch batch(8, row_size<ConnectFour>());
        search.start(state, {40, false}, Random(0, 0, 0, Purpose::kNoise));
        run_search(search, **evaluator, batch);
        std::map<Action, std::uint32_t> visits;
        for (const Choice& choice : search.decision().choices) {
          if (choice.visits > 0) visits[choice.action] = choice.visits;
        }
        std::map<Action, std::uint32_t> recorded;
        for (const VisitCount& count : record.visits(turn)) recorded[count.action] = count.visits;
        ASSERT_EQ(visits, recorded);
      }
      state.play(turn.action);
    }
  }
  EXPECT_GT(searches.size(), 2u);
}

/// Counts the networks loaded, not counting the first one.
class LoadCounter final : public HashEvaluator {
 public:
  explicit LoadCounter(std::atomic<std::uint64_t>& loads) : loads_(loads) {}
  void load(const Weights&) override { ++loads_; }

 private:
  std::atomic<std::uint64_t>& loads_;
};

// A publication costs a worker one load; of several publications during one search, only the last
// is loaded.
TEST(Play, APublicationCostsAWorkerOneLoad) {
  SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 20);
  settings.workers = 2;
  std::atomic<std::uint64_t> loads{0};
  settings.worker.evaluation.own = [&](const Weights&,
                                       std::size_t) -> Result<std::unique_ptr<Evaluator>> {
    return std::make_unique<LoadCounter>(loads);
  };
  constexpr std::uint64_t kPublications = 30;
  ModelStore models(initial_network(small_spec<ConnectFour>(), 0));
  GameNumbers numbers(0, 300);
  KeepingSink sink;
  SelfPlayThreads<ConnectFour> threads(settings, models, numbers, sink);
  for (std::uint64_t i = 1; i <= kPublications; ++i) {
    while (sink.count() < 8 * i && threads.running() > 0) std::this_thread::yield();
    models.publish(initial_network(small_spec<ConnectFour>(), i));
  }
  EXPECT_TRUE(threads.join());
  std::uint64_t swaps = 0;
  for (const WorkerReport& report : threads.reports()) {
    EXPECT_LE(report[WorkerReport::kModelSwaps], kPublications);
    EXPECT_EQ(report[WorkerReport::kModelSwaps] > 0, report[WorkerReport::kSwapNs] > 0);
    EXPECT_LE(report[WorkerReport::kLongestSwapNs], report[WorkerReport::kSwapNs]);
    swaps += report[WorkerReport::kModelSwaps];
  }
  EXPECT_GT(swaps, 0u);
  EXPECT_EQ(loads, swaps);
}

// As benchmarks of self-play do: holds workers back, limits their searches, and reads their state
// after they ended.
TEST(Play, HooksAndLimitsWhileItIsPlayed) {
  constexpr std::uint32_t kMost = 5;
  for (const Driver driver : drivers()) {
    SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 40);
    settings.driver = driver;
    settings.workers = 2;
    settings.worker.search.reuse_tree = false;
    ModelStore models(initial_network(small_spec<Backgammon>(), 1));
    GameNumbers numbers(0);
    KeepingSink sink;
    std::atomic<bool> may_begin{false};
    std::array<std::size_t, 2> lanes{};
    std::array<std::thread::id, 2> began_on, ended_on;
    {
      SelfPlayThreads<Backgammon> threads(
          settings, models, numbers, sink,
          {.begins =
               [&](std::size_t number, AnyWorker&) {
                 began_on.at(number) = std::this_thread::get_id();
                 may_begin.wait(false);
               },
           .ended =
               [&](std::size_t number, AnyWorker& worker) {
                 ended_on.at(number) = std::this_thread::get_id();
                 lanes.at(number) = static_cast<Worker<Backgammon>&>(worker).lanes().size();
               }});
      threads.limit_visits(kMost);
      may_begin = true;
      may_begin.notify_all();
      while (sink.count() < 10) std::this_thread::yield();
      threads.abandon();  // in the middle of games and searches
      EXPECT_TRUE(threads.join());
    }
    EXPECT_EQ(lanes, (std::array<std::size_t, 2>{4, 4}));
    EXPECT_EQ(began_on, ended_on);
    EXPECT_NE(began_on[0], began_on[1]);
    for (const auto& [number, record] : sink.games()) {
      for (const RecordedTurn& turn : record.turns()) {
        std::uint32_t visits = 0;
        for (const VisitCount& count : record.visits(turn)) visits += count.visits;
        EXPECT_LT(visits, kMost);  // one of the root's visits is its own
      }
    }
  }
}

// With a sink that is sometimes full, lanes wait; no game is lost or played twice.
TEST(Play, WaitsWhenNobodyTakesTheGames) {
  class SlowSink final : public GameSink {
   public:
    bool offer(GameRecord& record) override {
      if (++offers_ % 3 != 0) return false;
      taken.push_back(record.game_number);
      return true;
    }
    std::vector<std::uint64_t> taken;

   private:
    int offers_ = 0;
  };
  for (const Driver driver : drivers()) {
    SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 8);
    settings.driver = driver;
    ModelStore models(initial_network(small_spec<ConnectFour>(), 1));
    GameNumbers numbers(10, 40);
    SlowSink sink;
    SelfPlayThreads<ConnectFour> threads(settings, models, numbers, sink);
    EXPECT_TRUE(threads.join());
    std::sort(sink.taken.begin(), sink.taken.end());
    ASSERT_EQ(sink.taken.size(), 30u);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(sink.taken[i], 10 + i);
    EXPECT_GT(threads.reports().front()[WorkerReport::kWaits], 0u);
  }
}

/// Has room for few games, so that a run stops in the middle of the others.
class SmallSink final : public GameSink {
 public:
  SmallSink(KeepingSink& games, int room) : games_(games), room_(room) {}
  bool offer(GameRecord& record) override { return --room_ >= 0 && games_.offer(record); }

 private:
  KeepingSink& games_;
  std::atomic<int> room_;
};

// Stopped in the middle, written to a file and continued by other lanes, games are those of a run
// that was never stopped. The tree that a search leaves to the next would be missing.
TYPED_TEST(PlayedGames, ContinueAtTheirMoveAfterTheyWereParked) {
  using G = TypeParam;
  constexpr std::uint64_t kGames = 24;
  const auto file = std::filesystem::temp_directory_path() / fmt::format("parked-{}", ::getpid());
  SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 16);
  settings.worker.search.reuse_tree = false;
  settings.worker.cache_mib = 0;
  settings.play.resign_below = 0.5f;
  settings.play.ply_cap = 30;
  settings.play.temperature_plies = 10;
  const auto whole = play_run<G>(settings, kGames);
  for (const Driver driver : drivers()) {
    settings.driver = driver;
    ModelStore models(initial_network(small_spec<G>(), 5));
    KeepingSink sink;
    std::size_t stops = 0, turns = 0;
    std::vector<GameRecord> left;
    for (std::uint64_t first = 0; sink.count() < kGames; ++stops) {
      // One worker, then two, then one.
      settings.workers = 1 + stops % 2;
      GameNumbers numbers({left.begin(), left.end()}, {}, first, kGames - sink.count());
      ParkedGames parked(settings.workers);
      const std::size_t before = sink.count();
      SmallSink small(sink, 3);
      SelfPlayThreads<G> threads(settings, models, numbers, small, {.parked = &parked});
      while (threads.running() > 0 && sink.count() < before + 3) std::this_thread::yield();
      // What is collected while they play is how these games begin.
      for (const GameRecord& game : parked.collect(std::chrono::seconds(60))) {
        const auto expected = whole.at(game.game_number).turns();
        ASSERT_LE(game.turns().size(), expected.size());
        for (std::size_t i = 0; i < game.turns().size(); ++i) {
          EXPECT_EQ(game.turns()[i].action, expected[i].action);
        }
        turns += game.turns().size();
      }
      threads.abandon();
      ASSERT_TRUE(threads.join());
      std::vector<GameRecord> games = numbers.parked();
      for (GameRecord& game : parked.collect({})) games.push_back(std::move(game));
      ASSERT_TRUE(save_parked(file, game_name(only_start<G>()), games));
      EXPECT_EQ(std::filesystem::exists(file), !games.empty());
      const auto loaded = load_parked(file, game_name(only_start<G>()));
      ASSERT_TRUE(loaded) << loaded.error().reason();
      ASSERT_EQ(loaded->games.size(), games.size());
      left = loaded->games;
      first = sink.count() + left.size();
    }
    EXPECT_EQ(stops, kGames / 3);
    EXPECT_GT(turns, 0u);
    EXPECT_EQ(sink.games(), whole);
  }
}

TEST(Play, AParkedGameThatIsNotOfThisRunBeginsAgain) {
  const SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 8);
  const auto whole = play_run<ConnectFour>(settings, 1);
  const Starts<ConnectFour> starts{ConnectFour{}};
  GameInPlay<ConnectFour> game(settings.play, starts);
  GameRecord good = whole.at(0);
  EXPECT_TRUE(game.resume(good));
  EXPECT_FALSE(game.next_decision()) << "it has ended";
  EXPECT_EQ(game.record(), good);
  GameRecord other = good;
  other.seed += 1;
  EXPECT_FALSE(game.resume(other));
  other = good;
  other.start = "7/7/7/7/7/7 x";
  EXPECT_FALSE(game.resume(other));
  other = good;
  other.game = "tic_tac_toe";
  EXPECT_FALSE(game.resume(other));
  other.clear();
  other.seed = good.seed;
  other.game = good.game;
  other.outcomes = good.outcomes;
  EXPECT_TRUE(game.resume(other)) << "without a turn";
  other.add_decision({.action = 7, .player = 0, .kind = TurnKind::kForced});
  EXPECT_FALSE(game.resume(other)) << "no such column";
}

}  // namespace
}  // namespace senet
