// The C++ interface: errors as values and exceptions, callables as callbacks, explicit close().
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "senet/senet.hpp"

namespace senet::api {
namespace {

using std::chrono::microseconds;

senet_config without_workers() {
  senet_config config = default_config();
  config.workers = 0;
  return config;
}

class CppFace : public testing::Test {
 protected:
  CppFace() { engine_.use(engine_.builtin("connect_four")); }
  Engine engine_;
};

TEST_F(CppFace, WaitingTellsATimeoutFromAnError) {
  Engine engine(without_workers());
  engine.use(engine.builtin("connect_four"));
  auto session = engine.open_session("connect_four");
  EXPECT_TRUE(*session.try_wait(microseconds(0)));
  std::vector<senet_status> reported;
  session.begin_search({.visits = 30}, [&] {
    reported.push_back(session.try_wait(microseconds(1)).error().status());
    reported.push_back(session.try_wait().error().status());
    reported.push_back(engine.try_poll(microseconds(1)).error().status());
    reported.push_back(engine.close());
    EXPECT_THROW(session.wait(microseconds(1)), Error);
    EXPECT_THROW(session.wait(), Error);
    EXPECT_THROW(engine.poll(microseconds(1)), Error);
  });
  EXPECT_FALSE(*session.try_wait(microseconds(0)));
  EXPECT_FALSE(session.wait(microseconds(0)));
  while (*engine.try_poll(microseconds(100)) > 0) continue;
  EXPECT_EQ(reported, std::vector(4, SENET_BAD_STATE));
  EXPECT_TRUE(session.try_wait());
  EXPECT_EQ(session.result().visits, 30u);
}

// A callable lives until its call returns, is called once, and its exceptions are dropped.
TEST_F(CppFace, CallablesEndSearches) {
  auto session = engine_.open_session("connect_four");
  auto owned = std::make_unique<int>(40);
  auto shared = std::make_shared<int>(2);
  const std::weak_ptr<int> watched = shared;
  int reported = 0;
  session.begin_search({.visits = 10},
                       [&reported, owned = std::move(owned), shared = std::move(shared)] {
                         reported += *owned + *shared;
                         throw std::runtime_error("not today");
                       });
  session.wait();
  EXPECT_EQ(reported, 42);
  EXPECT_TRUE(watched.expired());
  const auto named = [&reported] { ++reported; };
  session.begin_search({.visits = 20}, named);
  session.wait();
  EXPECT_EQ(reported, 43);
}

// A host may read what a search has found so far, only in its progress.
TEST_F(CppFace, ShowsProgress) {
  senet_config config = default_config();
  config.lines = 3;
  config.leaves = 4;
  Engine engine(config);
  engine.use(engine.builtin("connect_four"));
  auto session = engine.open_session("connect_four");
  struct Seen {
    Session* session;
    std::vector<Found> found;
  } seen{&session, {}};
  const auto note = [](void* user, senet_session*) {
    auto& all = *static_cast<Seen*>(user);
    all.found.push_back(all.session->result());
    if (all.found.size() == 3) all.session->stop();
  };
  session.begin_search({.lines = 2, .progress = note, .progress_every = microseconds(1)}, nullptr,
                       &seen);
  while (!session.wait(microseconds(100))) {
    const auto read = session.try_result();  // from another thread, at any time
    if (!read) {
      EXPECT_EQ(read.error().status(), SENET_BUSY);
    }
  }
  const Found last = session.result();
  EXPECT_EQ(last.ending, SENET_BY_STOP);
  ASSERT_EQ(seen.found.size(), 3u);
  std::uint32_t visits = 0;
  for (const Found& found : seen.found) {
    EXPECT_GT(found.visits, visits);
    visits = found.visits;
    EXPECT_EQ(found.choices.size(), 7u);
    ASSERT_EQ(found.lines.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(found.lines[i].front(), found.choices[i].action);
  }
  EXPECT_GE(last.visits, visits);
  EXPECT_EQ(session.search({.visits = last.visits, .depth = 2, .lines = 9}).lines.size(), 3u);
}

TEST_F(CppFace, PlaysBelowFullStrength) {
  const auto model = engine_.builtin("connect_four");
  const std::vector<senet_level> levels = model.levels();
  ASSERT_EQ(levels.size(), 10u);
  EXPECT_LT(levels.front().rating + 500, levels.back().rating);
  auto session = engine_.open_session("connect_four");
  std::vector<int> played(7);
  for (int i = 0; i < 40; ++i) {
    const Found found = session.search({.visits = 800, .level = 1});
    EXPECT_EQ(found.visits, levels[0].visits);
    ++played[found.action];
  }
  EXPECT_GE(std::count_if(played.begin(), played.end(), [](int times) { return times > 0; }), 4);
  EXPECT_EQ(session.search({.visits = 5, .level = 10}).visits, 5u);
  EXPECT_EQ(session.search({.level = 10}).action, 3);
  EXPECT_EQ(session.try_search({.level = 11}).error().status(), SENET_BAD_ARGUMENT);
}

TEST_F(CppFace, SessionsCanBeCloned) {
  auto session = engine_.open_session("connect_four");
  session.play(3);
  session.begin_search({.visits = 200});
  auto clone = session.clone();
  EXPECT_EQ(clone.text(), session.text());
  clone.play(3);
  session.wait();
  EXPECT_NE(clone.text(), session.text());
  // What was played before the clone can be taken back in it too.
  clone.undo();
  clone.undo();
  EXPECT_EQ(clone.text(), engine_.open_session("connect_four").text());
  EXPECT_FALSE(clone.try_undo());
  const std::vector<std::string_view> games = engine_.games();
  EXPECT_NE(std::find(games.begin(), games.end(), "connect_four"), games.end());
}

TEST_F(CppFace, SessionsTakeBackWhatWasPlayed) {
  auto session = engine_.open_session("connect_four");
  EXPECT_EQ(session.try_undo().error().status(), SENET_BAD_STATE);
  session.set("34");
  const std::string given = session.text();
  session.set("34", std::vector<senet_action>{3, 4});
  session.play(0);
  const std::string played = session.text();
  EXPECT_EQ(session.try_play(9).error().status(), SENET_BAD_ACTION);
  session.undo();
  session.play(0);
  EXPECT_EQ(session.text(), played);
  session.begin_search({.visits = 800});
  const Result<void> during = session.try_undo();  // it may have ended already
  session.wait();
  if (!during) {
    EXPECT_EQ(during.error().status(), SENET_BUSY);
    session.undo();
  }
  session.undo();
  session.undo();
  EXPECT_EQ(session.text(), given);
  EXPECT_EQ(session.try_undo().error().status(), SENET_BAD_STATE);
  EXPECT_EQ(session.search({.visits = 10}).visits, 10u);
}

TEST_F(CppFace, TellsTheShapeOfAModel) {
  const senet_model_shape shape = engine_.builtin("connect_four").shape();
  EXPECT_EQ(shape.features, 347u);
  EXPECT_EQ(shape.policy_logits, 7u);
  EXPECT_EQ(shape.outcomes, 3u);
  EXPECT_EQ(shape.width, 256u);
  EXPECT_EQ(shape.parameters, 689418u);
  EXPECT_EQ(std::string_view(shape.mode.data, shape.mode.size), "position");
  EXPECT_EQ(engine_.untrained("backgammon").shape().mode.size, 0u);
  EXPECT_EQ(engine_.builtin("backgammon").shape().policy_logits, 0u);
  senet_model_shape older = SENET_MODEL_SHAPE_INIT;
  older.struct_size = 8;
  older.policy_logits = 1;
  EXPECT_EQ(senet_model_get_shape(engine_.builtin("connect_four").handle(), &older), SENET_OK);
  EXPECT_EQ(older.features, 347u);
  EXPECT_EQ(older.policy_logits, 1u);
}

TEST_F(CppFace, SearchesHaveTheirOwnSettings) {
  const auto visits = [](Session& session, std::string_view search) {
    session.set("4");
    std::vector<std::uint32_t> all;
    for (const senet_choice& choice : session.search({.visits = 300, .search = search}).choices) {
      all.push_back(choice.visits);
    }
    return all;
  };
  auto session = engine_.open_session("connect_four");
  const auto usual = visits(session, "");
  const auto wide = visits(session, "c-puct=20");
  EXPECT_LT(wide.front(), usual.front());
  EXPECT_NE(visits(session, "policy-temperature=5"), usual);
  EXPECT_EQ(visits(session, "c-puct=1.5  leaves=9 "), usual);  // the engine has one leaf
  senet_config config = default_config();
  config.search = text("c-puct=20 mode=position");
  Engine wide_engine(config);
  wide_engine.use(wide_engine.builtin("connect_four"));
  auto wide_session = wide_engine.open_session("connect_four");
  EXPECT_EQ(visits(wide_session, ""), wide);
  EXPECT_EQ(visits(wide_session, "c-puct=1.5"), usual);

  const auto reason = [&](std::string_view search) {
    return session.try_search({.visits = 1, .search = search}).error().reason();
  };
  EXPECT_EQ(reason("c-puct"), "search: \"c-puct\" is not NAME=VALUE");
  EXPECT_EQ(reason("c-puct=x"), "search: c-puct takes a number 0 .. 1000, not \"x\"");
  EXPECT_EQ(reason("cpuct=1"), "search: there is no setting \"cpuct\"");
  EXPECT_EQ(reason("mode=position"), "search: mode: cannot be set here");
  EXPECT_EQ(reason("ply-moves=3"), "search: ply-moves: cannot be set here");
  config.search = text("mode=sideways");
  EXPECT_EQ(Engine::try_open(config).error().reason(),
            "search: mode takes one of position, afterstates, moves, playouts, not \"sideways\"");
}

TEST_F(CppFace, CallablesOfSearchesThatDoNotBeginAreDropped) {
  auto session = engine_.open_session("connect_four");
  auto shared = std::make_shared<int>(0);
  const auto begun =
      session.try_begin_search({.visits = 10, .priority = 7}, [shared] { ++*shared; });
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().status(), SENET_BAD_ARGUMENT);
  EXPECT_EQ(shared.use_count(), 1);
  EXPECT_EQ(*shared, 0);
}

// A callable may begin another search, and close its session.
TEST_F(CppFace, CallablesMaySearchOnAndClose) {
  int reported = 0;
  {
    Engine engine(without_workers());
    engine.use(engine.builtin("connect_four"));
    auto session = engine.open_session("connect_four");
    session.begin_search({.visits = 10}, [&] {
      ++reported;
      session.begin_search({.visits = 20}, [&] {
        ++reported;
        session.close();
      });
    });
    while (engine.poll(microseconds(100)) > 0) continue;
    EXPECT_EQ(session.handle(), nullptr);
  }
  EXPECT_EQ(reported, 2);
}

TEST_F(CppFace, AnswersAreSeenThrough) {
  EXPECT_EQ(engine_.try_open_session("connect_four")->legal().size(), 7u);
  const auto found = engine_.open_session("connect_four").try_search({.visits = 20});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->visits, 20u);
  EXPECT_EQ((*found).visits, 20u);
  Session session = *engine_.try_open_session("connect_four");  // also for move-only values
  EXPECT_EQ(*session.try_turn(), SENET_PLAYER_0);
}

TEST_F(CppFace, TellsTheOddsOfTheDice) {
  engine_.use(engine_.builtin("backgammon"));
  auto session = engine_.open_session("backgammon");
  EXPECT_EQ(session.chance(), std::vector<float>(15, 1.0f / 15));
  session.play(0);
  EXPECT_TRUE(session.chance().empty());
}

// With and without a session, alone and in a batch, during a search and after the end.
TEST_F(CppFace, EvaluatesWithoutASearch) {
  Session session = engine_.open_session("connect_four");
  std::vector<std::string> texts;
  std::vector<senet_expectation> alone;
  for (const int column : {3, 3, 3, 0, 2, 0, 4, 0, 5}) {
    texts.push_back(session.text());
    alone.push_back(session.evaluate());
    session.play(static_cast<senet_action>(column));
  }
  EXPECT_EQ(session.turn(), SENET_OVER);
  texts.push_back(session.text());
  alone.push_back(session.evaluate());
  EXPECT_EQ(std::abs(alone.back().value), 1.0f);
  EXPECT_EQ(alone.back().value > 0, alone.back().player == SENET_PLAYER_0);

  std::vector<senet_text> positions;
  for (int copy = 0; copy < 20; ++copy) {  // more than fit into a batch
    for (const std::string& position : texts) positions.push_back(text(position));
  }
  const auto together = engine_.evaluate("connect_four", positions);
  ASSERT_EQ(together.size(), positions.size());
  for (std::size_t i = 0; i < together.size(); ++i) {
    const senet_expectation& expected = alone[i % alone.size()];
    EXPECT_EQ(together[i].player, expected.player);
    EXPECT_EQ(together[i].value, expected.value);
    ASSERT_EQ(together[i].outcome_count, 3u);
    EXPECT_TRUE(std::ranges::equal(together[i].outcomes, expected.outcomes));
    EXPECT_NEAR(expected.outcomes[0] + expected.outcomes[1] + expected.outcomes[2], 1, 1e-5);
    EXPECT_NEAR(expected.outcomes[0] - expected.outcomes[2], expected.value, 1e-5);
  }
  EXPECT_TRUE(engine_.evaluate("connect_four", {}).empty());

  session.set("");
  session.begin_search({.visits = 700});
  EXPECT_EQ(session.evaluate().value, alone.front().value);
  session.wait();
}

TEST_F(CppFace, EvaluatesDice) {
  engine_.use(engine_.builtin("backgammon"));
  Session session = engine_.open_session("backgammon");
  session.set("4HPwATDgc/ABMA:0:-");
  ASSERT_EQ(session.turn(), SENET_CHANCE);
  const senet_expectation before = session.evaluate();
  EXPECT_EQ(before.player, SENET_PLAYER_0);
  EXPECT_EQ(before.outcome_count, 6u);
  EXPECT_NEAR(before.value, 0.07, 0.05);  // the advantage of moving first
  // The value before the roll is about the mean of the values after it.
  const std::vector<float> chances = session.chance();
  double mean = 0;
  for (std::size_t i = 0; i < chances.size(); ++i) {
    Session rolled = session.clone();
    rolled.play(static_cast<senet_action>(i));
    mean += chances[i] * rolled.evaluate().value;
  }
  EXPECT_NEAR(mean, before.value, 0.05);
}

// On several threads, while other models are published, and in a callback.
TEST_F(CppFace, EvaluatesOnAnyThread) {
  const std::vector<senet_text> positions(40, SENET_TEXT("443"));
  std::atomic<bool> ends{false};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      do {
        const auto found = engine_.try_evaluate("connect_four", positions);
        ASSERT_TRUE(found) << found.error().reason();
        EXPECT_EQ(found->front().value, found->back().value);  // of one model
      } while (!ends);
    });
  }
  for (int i = 0; i < 5; ++i) engine_.use(engine_.builtin("connect_four"));
  Session session = engine_.open_session("connect_four");
  float value = 0;
  session.begin_search({.visits = 20}, [&] { value = session.evaluate().value; });
  session.wait();
  ends = true;
  threads.clear();
  EXPECT_EQ(value, session.evaluate().value);
}

TEST_F(CppFace, EvaluatingSaysWhatIsWrong) {
  const std::vector<senet_text> positions = {SENET_TEXT(""), SENET_TEXT("9")};
  const auto bad = engine_.try_evaluate("connect_four", positions);
  EXPECT_EQ(bad.error().status(), SENET_BAD_ARGUMENT);
  EXPECT_TRUE(bad.error().reason().starts_with("position 1: ")) << bad.error().reason();
  EXPECT_EQ(engine_.try_evaluate("chess", positions).error().status(), SENET_UNKNOWN_GAME);
  EXPECT_EQ(engine_.try_evaluate("backgammon", {}).error().status(), SENET_BAD_STATE);
  EXPECT_EQ(
      senet_engine_evaluate(engine_.handle(), text("connect_four"), nullptr, 1, nullptr, nullptr),
      SENET_BAD_ARGUMENT);
  senet_config config = default_config();
  Engine small(config);
  small.use(small.builtin("connect_four"));
  const std::uint64_t used = small.memory();
  EXPECT_EQ(small.evaluate("connect_four", {positions.data(), 1}).size(), 1u);
  EXPECT_EQ(small.memory(), used);
  config.memory = used + 1024;
  Engine full(config);
  ASSERT_TRUE(full.try_use(full.builtin("connect_four")));
  EXPECT_EQ(full.try_evaluate("connect_four", {positions.data(), 1}).error().status(),
            SENET_NO_MEMORY);
}

TEST_F(CppFace, TellsWhatFits) {
  senet_config config = default_config();
  const std::uint32_t visits = fit(config, "connect_four");
  EXPECT_GT(visits, config.visits);
  config.sessions *= 2;
  EXPECT_LT(fit(config, "connect_four"), visits);
  EXPECT_EQ(try_fit(config, "go").error().status(), SENET_UNKNOWN_GAME);
  EXPECT_THROW(fit(config, "go"), Error);
}

TEST_F(CppFace, ClosesWhenTold) {
  static_assert(noexcept(std::declval<Session&>().close())&& noexcept(
      std::declval<Model&>().close())&& noexcept(std::declval<Engine&>().close()));
  Engine engine;
  const std::uint64_t before = engine.memory();
  auto model = engine.untrained("tic_tac_toe");
  EXPECT_GT(engine.memory(), before);
  model.close();
  EXPECT_EQ(engine.memory(), before);
  EXPECT_EQ(model.handle(), nullptr);
  engine.use(engine.builtin("connect_four"));
  auto session = engine.open_session("connect_four");
  const std::uint64_t with_session = engine.memory();
  session.begin_search({});
  session.close();
  EXPECT_LT(engine.memory(), with_session);
  EXPECT_EQ(session.try_turn().error().status(), SENET_BAD_ARGUMENT);  // it is closed
  EXPECT_EQ(engine.close(), SENET_OK);
  EXPECT_EQ(engine.close(), SENET_OK);
  EXPECT_EQ(engine.try_open_session("connect_four").error().status(), SENET_BAD_ARGUMENT);
}

}  // namespace
}  // namespace senet::api
