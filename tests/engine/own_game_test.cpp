// Games that only a host knows: a table that is our Tic-tac-toe plays as ours does, and tables that
// are no games are refused with a reason.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "nn/network.hpp"
#include "senet/own_game.hpp"

namespace senet {
namespace {

// Ours under another name, with a state as large as `kPadding` makes it.
template <std::size_t kPadding>
struct Noughts {
  static constexpr std::string_view kName = "noughts";
  static constexpr std::uint32_t kFeatures = TicTacToe::kFeatures;
  static constexpr std::uint32_t kMaxActive = TicTacToe::kMaxActive;
  static constexpr std::uint32_t kActions = TicTacToe::kPolicyLogits;
  static constexpr std::uint32_t kMaxLegal = TicTacToe::kMaxLegal;

  TicTacToe game{};
  std::array<std::byte, kPadding> padding{};

  senet_turn turn() const { return static_cast<senet_turn>(game.turn()); }
  void legal(api::Moves& moves) const {
    ActionList<TicTacToe::kMaxLegal> list;
    game.legal(list);
    for (const Action action : list) moves.push_back(action);
  }
  void play(senet_action action) { game.play(action); }
  std::uint32_t outcome() const { return game.outcome(); }
  std::uint64_t key() const { return game.key(); }
  void encode(api::Features& features) const {
    std::array<std::uint16_t, kMaxActive> index;
    std::array<float, kMaxActive> value;
    FeatureRow row(index.data(), value.data(), kMaxActive);
    game.encode(row);
    for (std::size_t i = 0; i < row.count(); ++i) features.add(index[i], value[i]);
  }
  std::string text() const { return game.text(); }
  static std::optional<Noughts> from_text(std::string_view text) {
    const auto read = TicTacToe::from_text(text);
    if (!read) return {};
    return Noughts{*read, {}};
  }
  std::string action_text(senet_action action) const { return game.action_text(action); }
  std::optional<senet_action> action_from_text(std::string_view text) const {
    const auto read = game.action_from_text(text);
    if (!read) return {};
    return *read;
  }
};
using SmallNoughts = Noughts<2>;
using LargeNoughts = Noughts<900>;
static_assert(sizeof(SmallNoughts) < 112 && sizeof(LargeNoughts) > 112);

// What cannot be a table's number is no Game, which the compiler says; it is not cut to 16 bits.
struct TooManyFeatures : SmallNoughts {
  static constexpr std::uint32_t kFeatures = 65'536;
  static std::optional<TooManyFeatures> from_text(std::string_view) { return {}; }
};
struct MostFeatures : TooManyFeatures {
  static constexpr std::uint32_t kFeatures = 65'535;
  static std::optional<MostFeatures> from_text(std::string_view) { return {}; }
};
static_assert(api::Game<MostFeatures> && !api::Game<TooManyFeatures>);

template <class G>
class OwnGame : public testing::Test {};
using Sizes = testing::Types<SmallNoughts, LargeNoughts>;
TYPED_TEST_SUITE(OwnGame, Sizes);

TYPED_TEST(OwnGame, PlaysAsTheSameGameOfOursDoes) {
  api::Engine engine;
  api::add_game<TypeParam>(engine);
  EXPECT_EQ(api::try_add_game<TypeParam>(engine).error().status(), SENET_BAD_ARGUMENT);  // twice
  engine.use(engine.untrained("noughts", 5));
  engine.use(engine.untrained("tic_tac_toe", 5));
  auto own = engine.open_session("noughts");
  auto ours = engine.open_session("tic_tac_toe");
  EXPECT_EQ(own.text(), ours.text());
  int plies = 0;
  while (ours.turn() != SENET_OVER) {
    const auto found = own.search({.visits = 40});
    const auto expected = ours.search({.visits = 40});
    ASSERT_EQ(found.choices.size(), expected.choices.size());
    for (std::size_t i = 0; i < found.choices.size(); ++i) {
      EXPECT_EQ(found.choices[i].action, expected.choices[i].action);
      EXPECT_EQ(found.choices[i].visits, expected.choices[i].visits);
      EXPECT_EQ(found.choices[i].value, expected.choices[i].value);
    }
    EXPECT_EQ(own.action_text(found.action), ours.action_text(found.action));
    EXPECT_EQ(own.read_action(ours.action_text(found.action)), found.action);
    own.play(found.action);
    ours.play(found.action);
    EXPECT_EQ(own.text(), ours.text());
    EXPECT_EQ(own.turn(), ours.turn());
    ++plies;
  }
  EXPECT_GE(plies, 5);
  EXPECT_EQ(own.outcome(), ours.outcome());
  EXPECT_EQ(own.try_play(0).error().status(), SENET_BAD_ACTION);
  EXPECT_EQ(own.try_set("nonsense").error().status(), SENET_BAD_ARGUMENT);
  own.set("3/1X1/3");
  EXPECT_EQ(own.legal().size(), 8u);
  own.set("");
  EXPECT_EQ(own.legal().size(), 9u);
}

TEST(OwnGameTable, KeepsToItsMemory) {
  api::Engine engine;
  api::add_game<LargeNoughts>(engine);
  engine.use(engine.untrained("noughts"));
  const std::uint64_t before = engine.memory();
  auto session = engine.open_session("noughts");
  EXPECT_GT(engine.memory() - before, 800u * 1000);  // a node for each of 800 visits
}

senet_game_table noughts() { return api::game_table<SmallNoughts>(); }

TEST(OwnGameTable, WhatIsNoGameIsRefusedWithAReason) {
  api::Engine engine;
  const auto why_not = [&](const senet_game_table& table) {
    senet_reason why{};
    EXPECT_EQ(senet_engine_add_game(engine.handle(), &table, &why), SENET_BAD_ARGUMENT);
    return std::string(why.text);
  };
  senet_game_table table = noughts();
  table.play = nullptr;
  EXPECT_EQ(why_not(table), "noughts: a function is NULL");
  table = noughts();
  table.name = {"", 0};
  EXPECT_NE(why_not(table), "");
  table = noughts();
  table.name = {"backgammon", 10};
  EXPECT_EQ(why_not(table), "there is a game called backgammon already");
  table = noughts();
  table.state_size = 2000;
  EXPECT_EQ(why_not(table), "noughts: state_size: 1 to 1008");
  table = noughts();
  table.state_size = 4;  // of 8
  EXPECT_EQ(why_not(table), "noughts: after 0 moves: start: writes behind state_size");
  table = noughts();
  table.most_legal = 7;
  EXPECT_EQ(why_not(table), "noughts: after 0 moves: legal: more than most_legal");
  table = noughts();
  table.actions = 8;
  EXPECT_EQ(why_not(table), "noughts: after 0 moves: legal: 8 is not below actions");
  table = noughts();
  table.features = 3;
  EXPECT_EQ(why_not(table), "noughts: after 0 moves: encode: 18 is not below features");
  table = noughts();
  table.key = [](void*, const void*) -> std::uint64_t { return 7; };
  EXPECT_EQ(why_not(table), "noughts: play: the key stays the same");
  table = noughts();
  table.turn = [](void*, const void*) { return static_cast<senet_turn>(2); };
  EXPECT_EQ(why_not(table), "noughts: after 0 moves: turn: 0, 1 or 3");
  table = noughts();
  table.legal = [](void*, const void*, senet_action* actions) -> std::uint32_t {
    actions[0] = 3;
    actions[1] = 3;
    return 2;
  };
  EXPECT_EQ(why_not(table), "noughts: after 0 moves: legal: not ascending");
  table = noughts();
  table.legal = [](void*, const void*, senet_action*) -> std::uint32_t { return 0; };
  EXPECT_EQ(why_not(table), "noughts: after 0 moves: legal: no move at all");
  table = noughts();
  table.encode = [](void*, const void*, std::uint16_t* feature, float* value) -> std::uint32_t {
    feature[0] = 0;
    value[0] = std::numeric_limits<float>::infinity();
    return 1;
  };
  EXPECT_EQ(why_not(table), "noughts: after 0 moves: encode: a value that is not finite");
  table = noughts();
  table.read = [](void*, senet_text, void*) -> std::int32_t { return 0; };
  EXPECT_EQ(why_not(table), "noughts: after 0 moves: read: does not read \"3/3/3\"");
  table = noughts();
  table.read_action = [](void*, const void*, senet_text, senet_action* action) -> std::int32_t {
    *action = 1;
    return 1;
  };
  EXPECT_EQ(why_not(table), "noughts: after 0 moves: read_action: \"a1\" is not read as 0");
  table = noughts();
  table.outcome = [](void*, const void*) -> std::uint32_t { return 3; };
  EXPECT_EQ(why_not(table), "noughts: outcome: 0, 1 or 2");
  // None of them is known now, and the right one still can be.
  EXPECT_EQ(engine.try_untrained("noughts").error().status(), SENET_UNKNOWN_GAME);
  table = noughts();
  EXPECT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
}

// A number beyond 16 bits is no other feature's.
struct FeaturesFarOff : SmallNoughts {
  void encode(api::Features& features) const {
    SmallNoughts::encode(features);
    features.add((std::size_t{1} << 32) + 18, 1.0f);
  }
  static std::optional<FeaturesFarOff> from_text(std::string_view text) {
    const auto read = SmallNoughts::from_text(text);
    if (!read) return {};
    return FeaturesFarOff{*read};
  }
};
TEST(OwnGameTable, FeaturesAreNotCutTo16Bits) {
  api::Engine engine;
  const auto added = api::try_add_game<FeaturesFarOff>(engine);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().reason(), "noughts: after 0 moves: encode: 65535 is not below features");
}

// Weights are the game's, or refused.
TEST(OwnGameTable, WeightsHaveToFit) {
  api::Engine engine;
  api::add_game<SmallNoughts>(engine);
  EXPECT_EQ(engine.try_builtin("noughts").error().status(), SENET_NO_FILE);
  EXPECT_EQ(engine.try_open_session("noughts").error().status(), SENET_BAD_STATE);
  const NetworkSpec other{.game = "noughts", .features = 20, .policy_logits = 9, .outcomes = 3};
  const auto file = std::filesystem::path(testing::TempDir()) / "own_game_test.safetensors";
  ASSERT_TRUE(save_network(initial_network(other, 1), file));
  EXPECT_EQ(engine.try_use(engine.load(file.native())).error().status(), SENET_MODEL_MISMATCH);
  std::filesystem::remove(file);
}

// The game is asked once for each position which moves there are, by whoever moved, not by who
// reads.
TEST(OwnGameTable, LegalMovesAreAskedForOnceAMove) {
  static int asked;
  api::Engine engine;
  senet_game_table table = noughts();
  table.legal = [](void*, const void* state, senet_action* actions) -> std::uint32_t {
    ++asked;
    return noughts().legal(nullptr, state, actions);
  };
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
  engine.use(engine.untrained("noughts"));
  auto session = engine.open_session("noughts");
  asked = 0;
  for (const senet_action action : session.legal()) {
    EXPECT_EQ(session.read_action(session.action_text(action)), action);
  }
  EXPECT_EQ(asked, 0);
  session.play(4);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(session.try_action_text(4).error().status(), SENET_BAD_ACTION);
  EXPECT_EQ(session.legal().size(), 8u);
  EXPECT_EQ(asked, 1);
}

// Texts that never end are refused, with a line for the log that says whose and how long they are.
TEST(OwnGameTable, TextsComeToAnEnd) {
  static std::size_t size, growth;
  size = growth = 0;
  static const auto told = [](std::size_t room, std::size_t right) {
    if (growth > 0) return room + growth;
    return size == 0 ? right : size;
  };
  std::vector<std::string> lines;
  senet_config config = api::default_config();
  config.user = &lines;
  config.log = [](void* user, senet_text line) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(line.data, line.size);
  };
  api::Engine engine(config);
  senet_game_table table = noughts();
  table.text = [](void*, const void* state, char* text, std::size_t room) {
    return told(room, noughts().text(nullptr, state, text, room));
  };
  table.action_text = [](void*, const void* state, senet_action action, char* text,
                         std::size_t room) {
    return told(room, noughts().action_text(nullptr, state, action, text, room));
  };
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
  engine.use(engine.untrained("noughts"));
  auto session = engine.open_session("noughts");
  EXPECT_EQ(session.text(), "3/3/3");
  const auto expect_refused = [&](const std::string& what) {
    lines.clear();
    EXPECT_EQ(session.try_text().error().status(), SENET_BAD_ARGUMENT);
    EXPECT_EQ(session.try_action_text(0).error().status(), SENET_BAD_ARGUMENT);
    EXPECT_EQ(lines, (std::vector<std::string>{"noughts: text: " + what,
                                               "noughts: action_text: " + what}));
  };
  size = 65'537;
  expect_refused("65537 bytes, more than 65536");
  size = SIZE_MAX;
  expect_refused("18446744073709551615 bytes, more than 65536");
  growth = 1;
  expect_refused("longer each time it is written");
  // What is refused for another reason, which would tell of the position, is still refused for it.
  EXPECT_EQ(session.try_play(9).error().status(), SENET_BAD_ACTION);
  EXPECT_EQ(session.search({.visits = 20}).visits, 20u);
}

// A text that takes its time (two minutes here, if nobody stops it) holds up no search, not even
// of the same position.
TEST(OwnGameTable, SearchesDoNotWaitForTexts) {
  static std::atomic<bool> slow, inside, go_on;
  slow = inside = go_on = false;
  api::Engine engine;
  senet_game_table table = noughts();
  table.text = [](void*, const void* state, char* text, std::size_t room) {
    if (slow.exchange(false)) {
      inside = true;
      for (int i = 0; i < 120'000 && !go_on; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      inside = false;
    }
    return noughts().text(nullptr, state, text, room);
  };
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
  engine.use(engine.untrained("noughts"));
  auto session = engine.open_session("noughts");
  slow = true;
  std::jthread reader([&] { EXPECT_EQ(session.text(), "3/3/3"); });
  while (!inside) std::this_thread::yield();
  EXPECT_EQ(session.search({.visits = 20}).visits, 20u);
  EXPECT_EQ(engine.open_session("noughts").search({.visits = 20}).visits, 20u);
  EXPECT_TRUE(inside);
  go_on = true;
}

// What a host's function throws ends its search, not the program.
TEST(OwnGameTable, FunctionsMayThrow) {
  static bool throws;  // the table has no place for a capture but `user`
  throws = false;
  api::Engine engine;
  senet_game_table table = noughts();
  table.key = [](void*, const void* state) -> std::uint64_t {
    if (throws) throw std::runtime_error("not today");
    return static_cast<const SmallNoughts*>(state)->key();
  };
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
  engine.use(engine.untrained("noughts"));
  auto session = engine.open_session("noughts");
  throws = true;
  EXPECT_EQ(session.try_search({.visits = 20}).error().status(), SENET_INTERNAL);
  throws = false;
  EXPECT_EQ(session.search({.visits = 20}).visits, 20u);
}

// Several begin in one round and a function throws at the second: each search ends once, although
// its callback closes the session.
TEST(OwnGameTable, WhatThrowsEndsEachSearchOnce) {
  static int calls_left;
  calls_left = -1;
  senet_config config = api::default_config();
  config.workers = 0;
  api::Engine engine(config);
  senet_game_table table = noughts();
  table.key = [](void*, const void* state) -> std::uint64_t {
    if (calls_left-- == 0) throw std::runtime_error("not today");
    return static_cast<const SmallNoughts*>(state)->key();
  };
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
  engine.use(engine.untrained("noughts"));
  senet_limits limits = SENET_LIMITS_INIT;
  limits.visits = 20;
  int ended = 0;
  const auto done = [](void* user, senet_session* session) {
    ++*static_cast<int*>(user);
    senet_session_close(session);
  };
  for (int i = 0; i < 3; ++i) {
    senet_session* session = nullptr;
    ASSERT_EQ(senet_session_open(engine.handle(), {"noughts", 7}, &session, nullptr), SENET_OK);
    ASSERT_EQ(senet_session_search(session, &limits, done, &ended, nullptr), SENET_OK);
  }
  calls_left = 1;
  EXPECT_EQ(engine.poll(std::chrono::milliseconds(100)), 0u);
  EXPECT_EQ(ended, 3);
  EXPECT_EQ(engine.open_session("noughts").search({.visits = 20}).visits, 20u);
}

}  // namespace
}  // namespace senet
