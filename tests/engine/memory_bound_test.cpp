// The bound is kept: all that operator new gives while many games are played, weights exchanged and
// sessions opened and closed is weighed against senet_config.memory and against what is promised.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "senet/senet.hpp"
#include "tests/weighed_heap.hpp"

namespace senet {
namespace {

class MemoryBound : public testing::TestWithParam<const char*> {};

TEST_P(MemoryBound, IsKept) {
  const std::string game = GetParam();
  constexpr std::uint32_t kSessions = 12;
  const std::size_t before = heap_bytes();
  heap_peak();
  senet_config config = api::default_config();
  config.workers = 2;
  config.sessions = kSessions;
  config.memory = std::uint64_t{48} << 20;
  ASSERT_EQ(senet_config_fit(&config, {game.data(), game.size()}, &config.visits, nullptr),
            SENET_OK);
  ASSERT_GT(config.visits, 50u);
  {
    api::Engine engine(config);
    engine.use(engine.untrained(game, 1));
    std::vector<api::Session> sessions;
    for (std::uint32_t i = 0; i < kSessions; ++i) sessions.push_back(engine.open_session(game));
    EXPECT_EQ(engine.try_open_session(game).error().status(), SENET_NO_SLOT);
    for (std::uint64_t round = 0; round < 6; ++round) {
      for (api::Session& session : sessions) {
        if (session.turn() == SENET_OVER) session.set("");
        if (session.turn() == SENET_CHANCE) session.play(static_cast<senet_action>(round));
        session.begin_search({.noise = true});  // until the tree is full
      }
      engine.use(engine.untrained(game, 2 + round));
      for (api::Session& session : sessions) {
        session.wait();
        const api::Found found = session.result();
        EXPECT_TRUE(found.ending == SENET_BY_FULL_TREE || found.ending == SENET_BY_PROOF);
        session.play(found.action);
      }
      EXPECT_LE(heap_bytes() - before, engine.memory());
      sessions.pop_back();
      sessions.push_back(engine.open_session(game));
    }
    EXPECT_LE(engine.memory(), config.memory);
  }
  const std::size_t peak = heap_peak() - before;
  EXPECT_LE(peak, config.memory);
  EXPECT_GT(peak, config.memory * 3 / 4);  // what is promised is needed, too
  EXPECT_EQ(heap_bytes(), before);
}

// What a search finds has its memory since the session was opened, and goes straight into the
// caller's buffers.
TEST(MemoryOfResults, IsTakenWhenASessionIsOpened) {
  api::Engine engine;
  engine.use(engine.untrained("backgammon", 1));
  auto session = engine.open_session("backgammon");
  constexpr std::string_view kBeforeARoll = "4HPwATDgc/ABMA:0:-";
  // Of the 21 rolls the one with most moves.
  std::size_t most = 0;
  senet_action widest = 0;
  for (senet_action roll = 0; roll < 21; ++roll) {
    session.set(kBeforeARoll, std::array{roll});
    if (session.legal().size() <= most) continue;
    most = session.legal().size();
    widest = roll;
  }
  ASSERT_GT(most, 20u);
  session.search({.visits = 2});  // makes the evaluator
  session.set(kBeforeARoll, std::array{widest});
  std::vector<senet_choice> choices(most);
  senet_result result = SENET_RESULT_INIT;
  const std::size_t before = heap_bytes();
  heap_peak();
  session.begin_search({.visits = 50});
  session.wait();
  ASSERT_EQ(senet_session_result(session.handle(), &result, choices.data(), choices.size()),
            SENET_OK);
  EXPECT_EQ(result.choice_count, most);
  EXPECT_LT(heap_peak() - before, 200u);  // the callback, and what the worker remembers to do
}

INSTANTIATE_TEST_SUITE_P(, MemoryBound, testing::Values("connect_four", "backgammon"),
                         [](const auto& game) { return std::string(game.param); });

}  // namespace
}  // namespace senet
