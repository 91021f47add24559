// Hosts' games: a built-in game added as a table plays exactly like the built-in one, including
// dice and gammons, and invalid tables are refused with a reason.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/connect_four/connect_four.hpp"
#include "games/random.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "nn/network.hpp"
#include "senet/own_game.hpp"
#include "tests/effort.hpp"
#include "tests/engine/own_games.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

using Noughts = Own<TicTacToe>;
using LargeNoughts = Own<TicTacToe, 900>;

// Numbers that exceed a table's limits fail to compile instead of being truncated to 16 bits.
struct TooManyFeatures : Noughts {
  static constexpr std::size_t kFeatures = 65'536;
  static Result<TooManyFeatures> from_text(std::string_view) { return fail("none"); }
};
struct MostFeatures : TooManyFeatures {
  static constexpr std::size_t kFeatures = 65'535;
  static Result<MostFeatures> from_text(std::string_view) { return fail("none"); }
};
static_assert(api::TableSized<MostFeatures> && !api::TableSized<TooManyFeatures>);

// Publishes the same small network for the built-in game and for the host's.
void use_same(api::Engine& engine, NetworkSpec spec, std::string_view own, Evaluates evaluates) {
  const TemporaryFolder folder;
  const auto file = folder / "network.safetensors";
  spec.width = 16, spec.blocks = 1;
  spec.evaluates = evaluates;
  for (const std::string_view name : {std::string_view(spec.game), own}) {
    NetworkSpec named = spec;
    named.game = name;
    ASSERT_TRUE(save_network(initial_network(named, 5), file));
    engine.use(engine.load(file.native()));
  }
}

void expect_same(const api::Found& found, const api::Found& expected) {
  EXPECT_EQ(found.action, expected.action);
  EXPECT_EQ(found.ending, expected.ending);
  EXPECT_EQ(found.value, expected.value);
  EXPECT_EQ(found.visits, expected.visits);
  EXPECT_EQ(found.evaluations, expected.evaluations);
  EXPECT_EQ(found.depth, expected.depth);
  EXPECT_EQ(found.outcomes, expected.outcomes);
  ASSERT_EQ(found.choices.size(), expected.choices.size());
  for (std::size_t i = 0; i < found.choices.size(); ++i) {
    EXPECT_EQ(found.choices[i].action, expected.choices[i].action);
    EXPECT_EQ(found.choices[i].visits, expected.choices[i].visits);
    EXPECT_EQ(found.choices[i].prior, expected.choices[i].prior);
    EXPECT_EQ(found.choices[i].value, expected.choices[i].value);
  }
}

// Plays the same game in both sessions, with the moves that the searches find and drawn dice.
// Returns the number of searches.
int play_in_both(api::Session& own, api::Session& ours, const api::Limits& limits) {
  EXPECT_EQ(own.text(), ours.text());
  int searches = 0;
  for (std::uint32_t ply = 0; ours.turn() != SENET_OVER && !testing::Test::HasFailure(); ++ply) {
    EXPECT_EQ(own.chance(), ours.chance());
    EXPECT_EQ(own.legal(), ours.legal());
    senet_action action = 0;
    if (ours.turn() == SENET_CHANCE) {
      Random draw(6, 0, ply, Purpose::kTest);
      action =
          static_cast<senet_action>(draw.below(static_cast<std::uint32_t>(ours.chance().size())));
    } else {
      const auto found = own.search(limits);
      expect_same(found, ours.search(limits));
      action = found.action;
      ++searches;
    }
    EXPECT_EQ(own.action_text(action), ours.action_text(action));
    EXPECT_EQ(own.read_action(ours.action_text(action)), action);
    own.play(action);
    ours.play(action);
    EXPECT_EQ(own.text(), ours.text());
    EXPECT_EQ(own.turn(), ours.turn());
  }
  EXPECT_EQ(own.outcome(), ours.outcome());
  return searches;
}

// Small and large states; few legal moves and more than 1,024; with and without dice.
template <class G>
class SameGame : public testing::Test {};
using OwnGames =
    testing::Types<Noughts, LargeNoughts, Own<ConnectFour>, Own<Backgammon>, Own<Backgammon, 900>>;
TYPED_TEST_SUITE(SameGame, OwnGames);

TYPED_TEST(SameGame, PlaysAsTheSameGameOfOursDoes) {
  using G = TypeParam;
  const std::string name(G::kName.substr(4));
  for (const Evaluates evaluates : {Evaluates::kPosition, Evaluates::kAfterstates}) {
    if (evaluates == Evaluates::kAfterstates && !G::kHasAfterstates) continue;
    api::Engine engine;
    api::add_game<G>(engine);
    EXPECT_EQ(api::try_add_game<G>(engine).error().status(), SENET_BAD_ARGUMENT);  // twice
    NetworkSpec spec = reference_spec<G>();
    spec.game = name;
    use_same(engine, spec, G::kName, evaluates);
    auto own = engine.open_session(G::kName), ours = engine.open_session(name);
    const bool has_dice = StochasticGame<G>;
    const int searches = play_in_both(own, ours, {.visits = effort(has_dice ? 40u : 60u)});
    EXPECT_GE(searches, has_dice ? 20 : 5);
    EXPECT_EQ(own.try_play(0).error().status(), SENET_BAD_ACTION);
    EXPECT_EQ(own.try_set("nonsense").error().status(), SENET_BAD_ARGUMENT);
    own.set("");
    EXPECT_EQ(own.text(), G{}.text());
  }
}

// Proven values are the game's own, also where an ending is worth more than 1 point.
TEST(OwnDice, GammonsAreProven) {
  api::Engine engine;
  api::add_game<Race>(engine);
  engine.use(engine.untrained("race"));
  auto session = engine.open_session("race");
  struct Case {
    const char* position;
    float value;
    std::size_t outcome;
  };
  for (const auto& [position, value, outcome] :
       {Case{"lm dm 0 1", 1, 0}, Case{"lm ah 0 1", 3, 1}, Case{"lm ad 0 1", 7, 2},
        Case{"ad lm 1 1", 7, 2}}) {
    session.set(position);
    const auto found = session.search({.visits = 200});
    EXPECT_EQ(found.ending, SENET_BY_PROOF) << position;
    EXPECT_EQ(found.value, value) << position;
    ASSERT_EQ(found.outcomes.size(), 6u);
    EXPECT_NEAR(found.outcomes[outcome], 1, 1e-5) << position;
  }
  session.set("aa bb 1 0");
  EXPECT_EQ(session.turn(), SENET_CHANCE);
  EXPECT_EQ(session.chance(), (std::vector<float>{3.0f / 6, 2.0f / 6, 1.0f / 6}));
  EXPECT_EQ(session.try_play(3).error().status(), SENET_BAD_ACTION);
  session.play(2);
  EXPECT_EQ(session.text(), "aa bb 1 3");
  session.set("lm ad 0 1");
  session.play(session.legal().front());
  EXPECT_EQ(session.outcome(), 2u);
}

// The table in C and the one made from the C++ type are the same game; the former has no logits_of,
// the latter does.
TEST(OwnDice, ATableInCPlaysAsTheTypeDoes) {
  api::Engine engine;
  api::add_game<Race>(engine);
  const senet_game_table table = race_in_c();
  senet_reason why{};
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, &why), SENET_OK) << why.text;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    engine.use(engine.untrained("race", seed));
    engine.use(engine.untrained("race_in_c", seed));
    auto in_c = engine.open_session("race_in_c"), type = engine.open_session("race");
    EXPECT_GE(play_in_both(in_c, type, {.visits = 50}), 10);
  }
}

// A table of a header from before dice: fields beyond its struct_size are not read.
TEST(OwnGameTable, TablesOfOlderHeadersKeepTheirMeaning) {
  api::Engine engine;
  senet_game_table table = api::game_table<Noughts>();
  table.struct_size = offsetof(senet_game_table, most_chance);
  ASSERT_EQ(table.struct_size, 136u);
  table.actions = Noughts::kPolicyLogits;
  std::memset(reinterpret_cast<char*>(&table) + table.struct_size, 0xee,
              sizeof table - table.struct_size);
  senet_reason why{};
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, &why), SENET_OK) << why.text;
  use_same(engine, reference_spec<TicTacToe>(), Noughts::kName, Evaluates::kPosition);
  auto own = engine.open_session(Noughts::kName), ours = engine.open_session("tic_tac_toe");
  EXPECT_GE(play_in_both(own, ours, {.visits = 40}), 5);
}

// Without weights, random games value positions: enough to win against random moves, by the dice of
// an own game too.
TEST(OwnGameTable, PlaysByPlayoutsBeforeItHasWeights) {
  api::Engine engine;
  api::add_game<Race>(engine);
  api::add_game<Noughts>(engine);
  int wins = 0;
  for (std::uint64_t game = 0; game < 40; ++game) {
    Random draw(7, game, 0, Purpose::kTest);
    auto session = engine.open_session(Noughts::kName);
    const auto mine = static_cast<senet_turn>(game % 2);
    while (session.turn() != SENET_OVER) {
      const auto legal = session.legal();
      session.play(session.turn() == mine
                       ? session.search({.visits = 100}).action
                       : legal[draw.below(static_cast<std::uint32_t>(legal.size()))]);
    }
    const std::uint32_t outcome = session.outcome();  // win, draw, loss of the first player
    wins += outcome == (mine == SENET_PLAYER_0 ? 0u : 2u) ? 1 : 0;
    EXPECT_NE(outcome, mine == SENET_PLAYER_0 ? 2u : 0u);
  }
  EXPECT_GE(wins, 30);
  auto race = engine.open_session(Race::kName);
  race.play(0);
  const api::Found found = race.search({.visits = 50});
  EXPECT_EQ(found.visits, 50u);
  EXPECT_EQ(found.evaluations, 0u);
  EXPECT_EQ(found.model, engine.playouts(Race::kName).id());
  const senet_expectation expected = race.evaluate();
  EXPECT_NEAR(expected.value, found.value, 0.4);
  engine.use(engine.playouts(Race::kName));
  EXPECT_EQ(engine.try_use(engine.untrained(Race::kName)).error().reason(),
            "race plays by random playouts in this engine");
}

// A session has a node for each of 800 visits, and its memory follows the table's own limits, not
// the maxima of game_table.h.
TEST(OwnGameTable, KeepsToItsMemory) {
  api::Engine engine;
  api::add_game<Noughts>(engine);
  api::add_game<Own<ConnectFour, 900>>(engine);
  const auto bytes_of_session = [&](std::string_view name) {
    engine.use(engine.untrained(name));
    const std::uint64_t before = engine.memory();
    const auto session = engine.open_session(name);
    return engine.memory() - before;
  };
  EXPECT_GT(bytes_of_session("own_connect_four"), 800u * 1000);
  EXPECT_LT(bytes_of_session("own_tic_tac_toe"), 2 * bytes_of_session("tic_tac_toe"));
}

senet_game_table noughts() { return api::game_table<Noughts>(); }
senet_game_table race() { return api::game_table<Race>(); }

// A table with a fault, and the beginning of the error that names it.
struct Fault {
  senet_game_table (*game)();
  void (*spoil)(senet_game_table&);
  const char* sentence;
};
const Fault kFaults[] = {
    // Numbers.
    {noughts, [](auto& t) { t.play = nullptr; }, "own_tic_tac_toe: a required function is NULL"},
    {noughts, [](auto& t) { t.read = nullptr; },
     "own_tic_tac_toe: text and read must both be set, or both NULL"},
    {noughts, [](auto& t) { t.action_text = nullptr; },
     "own_tic_tac_toe: action_text and read_action must both be set, or both NULL"},
    {noughts, [](auto& t) { t.name = {}; }, "a game without a name: "},
    {noughts,
     [](auto& t) {
       t.name = {"backgammon", 10};
     },
     "a game called backgammon already exists"},
    {noughts, [](auto& t) { t.state_size = 2000; },
     "own_tic_tac_toe: state_size must be 1 .. 1008"},
    {noughts, [](auto& t) { t.most_legal = 0; }, "own_tic_tac_toe: most_legal must be 1 .. 4096"},
    {noughts, [](auto& t) { t.actions = 65537; }, "own_tic_tac_toe: actions must be 1 .. 65536"},
    {noughts, [](auto& t) { t.logits_of = nullptr; },
     "own_tic_tac_toe: actions must be 1 .. 65535"},
    {noughts, [](auto& t) { t.features = 65536; }, "own_tic_tac_toe: features must be 1 .. 65535"},
    {noughts, [](auto& t) { t.most_active = 2049; },
     "own_tic_tac_toe: most_active must be 1 .. 2048"},
    {noughts, [](auto& t) { t.policy_logits = 0; },
     "own_tic_tac_toe: policy_logits must be 1 .. 65535"},
    {noughts, [](auto& t) { t.logits_per_action = 5; },
     "own_tic_tac_toe: logits_per_action must be 1 .. 4"},
    {noughts, [](auto& t) { t.player_count = 3; }, "own_tic_tac_toe: player_count must be 1 .. 2"},
    {race, [](auto& t) { t.viewer = nullptr; },
     "race: chance and viewer must not be NULL in a game with dice"},
    {race, [](auto& t) { t.most_chance = 257; }, "race: most_chance must be 0 .. 256"},
    {race, [](auto& t) { t.outcomes = 1; }, "race: outcomes must be 2 .. 8"},
    {race, [](auto& t) { t.outcomes = 9; }, "race: outcomes must be 2 .. 8"},
    {race, [](auto& t) { t.outcome_values[1] = 8; },
     "race: outcome_values: a value that is not a whole number from -7 to 7 (constants)"},
    {race, [](auto& t) { t.outcome_values[4] = -8; },
     "race: outcome_values: a value that is not a whole number from -7 to 7 (constants)"},
    {race, [](auto& t) { std::memset(t.outcome_values, 0, sizeof t.outcome_values); },
     "race: outcome_values: no value is above 0 (constants)"},
    {race, [](auto& t) { t.outcome_mirror[0] = 0; },
     "race: outcome_mirror: an outcome and its mirror do not have opposite values (constants)"},
    {race, [](auto& t) { t.outcome_mirror[0] = 7; },
     "race: outcome_mirror: mirroring an outcome twice does not give the same outcome (constants)"},
    // What the functions write.
    {noughts, [](auto& t) { t.state_size = 4; },  // of 6
     "own_tic_tac_toe: start: writes past state_size"},
    {noughts, [](auto& t) { t.most_legal = 7; },
     "own_tic_tac_toe: legal: writes past most_legal (the start)"},
    {noughts, [](auto& t) { t.actions = 8; },
     "own_tic_tac_toe: legal: 8 is not below actions (the start)"},
    {noughts, [](auto& t) { t.features = 3; },
     "own_tic_tac_toe: encode: 18 is not below features (in 3/3/3, game 0, ply 0)"},
    {noughts, [](auto& t) { t.policy_logits = 1; }, "own_tic_tac_toe: logits_of: "},
    {race, [](auto& t) { t.most_active = 1; }, "race: encode: writes past most_active (in "},
    {race, [](auto& t) { t.most_chance = 2; }, "race: chance: writes past most_chance (the start)"},
    {race, [](auto& t) { t.most_chance = 0; },
     "race: turn: SENET_CHANCE in a game whose most_chance is 0 (the start)"},
    {noughts,
     [](auto& t) {
       t.read = [](void*, senet_text, void* state) -> std::int32_t {
         std::memset(state, 0, 100);
         return 1;
       };
     },
     "own_tic_tac_toe: read: writes past state_size (in 3/3/3, game 0, ply 0)"},
    {noughts,
     [](auto& t) {
       t.text = [](void*, const void*, char* text, std::size_t room) -> std::size_t {
         std::memset(text, 'x', room + 1);
         return room;
       };
     },
     "own_tic_tac_toe: text: writes past the end of its buffer"},
    // What the functions return.
    {noughts,
     [](auto& t) { t.turn = [](void*, const void*) { return static_cast<senet_turn>(9); }; },
     "own_tic_tac_toe: turn: 9 is not a senet_turn (the start)"},
    {noughts, [](auto& t) { t.turn = [](void*, const void*) { return SENET_OVER; }; },
     "own_tic_tac_toe: turn: the game is over at its start (the start)"},
    {noughts, [](auto& t) { t.key = [](void*, const void*) -> std::uint64_t { return 7; }; },
     "own_tic_tac_toe: play: the key stays the same (the start)"},
    {noughts, [](auto& t) { t.play = [](void*, void*, senet_action) {}; },
     "own_tic_tac_toe: play: the key stays the same (the start)"},
    {noughts,
     [](auto& t) {
       t.legal = [](void*, const void*, senet_action* actions) -> std::uint32_t {
         actions[0] = actions[1] = 3;
         return 2;
       };
     },
     "own_tic_tac_toe: legal: not ascending: 3 follows 3 (the start)"},
    {noughts,
     [](auto& t) {
       t.legal = [](void*, const void*, senet_action*) -> std::uint32_t { return 0; };
     },
     "own_tic_tac_toe: legal: no action (the start)"},
    {noughts,
     [](auto& t) {
       t.legal = [](void*, const void*, senet_action*) -> std::uint32_t { return 0xffffffff; };
     },
     "own_tic_tac_toe: legal: more than most_legal (the start)"},
    {noughts,
     [](auto& t) {
       t.sound = [](void*, const void*, senet_action* actions) -> std::uint32_t {
         actions[0] = 4;
         return 1;
       };
     },
     "own_tic_tac_toe: sound: "},
    {noughts,
     [](auto& t) {
       t.feature_bits = [](void*, const void*, std::uint64_t* words) { words[0] = 1; };
     },
     "own_tic_tac_toe: feature_bits: not the features of encode (in 3/3/3, game 0, ply 0)"},
    {noughts,
     [](auto& t) {
       t.feature_bits = [](void*, const void*, std::uint64_t* words) { words[1] = 1; };
     },
     "own_tic_tac_toe: feature_bits: writes past the words of features (in 3/3/3, game 0, ply 0)"},
    {noughts,
     [](auto& t) {
       t.encode = [](void*, const void*, std::uint16_t* feature, float* value) -> std::uint32_t {
         feature[0] = 0;
         value[0] = std::numeric_limits<float>::infinity();
         return 1;
       };
     },
     "own_tic_tac_toe: encode: a value that is not finite (in 3/3/3, game 0, ply 0)"},
    {noughts,
     [](auto& t) {
       t.encode = [](void*, const void*, std::uint16_t* feature, float* value) -> std::uint32_t {
         feature[0] = feature[1] = 0;
         value[0] = value[1] = 1;
         return 2;
       };
     },
     "own_tic_tac_toe: encode: the same feature twice (in 3/3/3, game 0, ply 0)"},
    {noughts,
     [](auto& t) {
       t.text = [](void*, const void*, char*, std::size_t) -> std::size_t { return 0; };
     },
     "own_tic_tac_toe: text: no text"},
    {noughts,
     [](auto& t) {
       t.text = [](void*, const void*, char*, std::size_t) -> std::size_t { return SIZE_MAX; };
     },
     "own_tic_tac_toe: text: 18446744073709551615 bytes, more than 65536"},
    {noughts,
     [](auto& t) {
       t.text = [](void*, const void*, char* text, std::size_t) -> std::size_t {
         *text = '\n';
         return 1;
       };
     },
     "own_tic_tac_toe: text: not one line of text"},
    {noughts, [](auto& t) { t.read = [](void*, senet_text, void*) -> std::int32_t { return 0; }; },
     "own_tic_tac_toe: read: does not read its own text: \"3/3/3\" is not a position of "
     "own_tic_tac_toe (in 3/3/3, game 0, ply 0)"},
    {noughts, [](auto& t) { t.read = [](void*, senet_text, void*) -> std::int32_t { return 1; }; },
     "own_tic_tac_toe: read: reads its own text as another state (in "},
    {noughts,
     [](auto& t) {
       t.read_action = [](void*, const void*, senet_text, senet_action* action) -> std::int32_t {
         *action = 1;
         return 1;
       };
     },
     "own_tic_tac_toe: read_action: reads \"a1\" as another action (in 3/3/3, game 0, ply 0)"},
    {noughts, [](auto& t) { t.outcome = [](void*, const void*) -> std::uint32_t { return 3; }; },
     "own_tic_tac_toe: outcome: 3 is not below 3, the number of ways to end (in "},
    {noughts,
     [](auto& t) {
       t.logits_of = [](void*, senet_action, std::uint16_t* logits) { logits[0] = SENET_NO_LOGIT; };
     },
     "own_tic_tac_toe: logits_of: no logit (in 3/3/3, game 0, ply 0)"},
    {race, [](auto& t) { t.viewer = [](void*, const void*) -> std::uint32_t { return 2; }; },
     "race: viewer: neither 0 nor 1 (in aa aa 0 0, game 0, ply 0)"},
    {race,
     [](auto& t) { t.chance = [](void*, const void*, float*) -> std::uint32_t { return 0; }; },
     "race: chance: no outcome (the start)"},
    {race,
     [](auto& t) { t.chance = [](void*, const void*, float*) -> std::uint32_t { return 4; }; },
     "race: chance: more than most_chance (the start)"},
    {race,
     [](auto& t) {
       t.chance = [](void*, const void*, float* p) -> std::uint32_t {
         p[0] = 1, p[1] = 0;
         return 2;
       };
     },
     "race: chance: a probability that is not above 0 and at most 1 (the start)"},
    {race,
     [](auto& t) {
       t.chance = [](void*, const void*, float* p) -> std::uint32_t {
         p[0] = 0.5f, p[1] = 0.4f;
         return 2;
       };
     },
     "race: chance: the probabilities do not add up to 1 (the start)"},
    {race,
     [](auto& t) {
       t.outcome = [](void*, const void*) -> std::uint32_t { throw std::runtime_error("not now"); };
     },
     "race: not now (in "},
};

TEST(OwnGameTable, WhatIsNoGameIsRefusedWithAReason) {
  api::Engine engine;
  for (const Fault& fault : kFaults) {
    senet_game_table table = fault.game();
    fault.spoil(table);
    senet_reason why{};
    EXPECT_EQ(senet_engine_add_game(engine.handle(), &table, &why), SENET_BAD_ARGUMENT)
        << fault.sentence;
    EXPECT_EQ(std::string(why.text).substr(0, std::strlen(fault.sentence)), fault.sentence)
        << why.text;
  }
  // No refused game was added, and correct tables can still be added.
  for (const auto game : {noughts, race}) {
    const senet_game_table table = game();
    const std::string_view name(table.name.data, table.name.size);
    EXPECT_EQ(engine.try_untrained(name).error().status(), SENET_UNKNOWN_GAME);
    EXPECT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
  }
}

// Weights of another shape than the game's are refused.
TEST(OwnGameTable, WeightsHaveToFit) {
  api::Engine engine;
  api::add_game<Noughts>(engine);
  EXPECT_EQ(engine.try_builtin(Noughts::kName).error().status(), SENET_NO_FILE);
  const NetworkSpec other{
      .game = std::string(Noughts::kName), .features = 20, .policy_logits = 9, .outcomes = 3};
  const TemporaryFolder folder;
  const auto file = folder / "network.safetensors";
  ASSERT_TRUE(save_network(initial_network(other, 1), file));
  EXPECT_EQ(engine.try_use(engine.load(file.native())).error().status(), SENET_MODEL_MISMATCH);
}

// The table's `legal` is called once per position, when a move is played, not when it is read.
TEST(OwnGameTable, LegalMovesAreAskedForOnceAMove) {
  static int asked;
  api::Engine engine;
  senet_game_table table = noughts();
  table.legal = [](void*, const void* state, senet_action* actions) -> std::uint32_t {
    ++asked;
    return noughts().legal(nullptr, state, actions);
  };
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
  engine.use(engine.untrained(Noughts::kName));
  auto session = engine.open_session(Noughts::kName);
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

// A table without texts has short ones, which sessions write and read.
TEST(OwnGameTable, ShortTextsAreTheDefault) {
  senet_game_table table = race();
  table.text = nullptr;
  table.read = nullptr;
  table.action_text = nullptr;
  table.read_action = nullptr;
  api::Engine engine;
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
  auto session = engine.open_session(Race::kName);
  EXPECT_EQ(session.action_text(2), "2");
  session.play(session.read_action("2"));
  session.play(session.legal().front());
  session.play(session.read_action("0"));
  const std::string text = session.text();
  EXPECT_EQ(text.size(), 2 * sizeof(Race) + 9);
  auto other = engine.open_session(Race::kName);
  other.set(text);
  EXPECT_EQ(other.text(), text);
  EXPECT_EQ(other.search({.visits = 50}).visits, 50u);
  EXPECT_EQ(other.try_set("7" + text.substr(1)).error().status(), SENET_BAD_ARGUMENT);
  EXPECT_FALSE(other.try_read_action("3"));
}

// Texts that are too long or grow on every call are refused; the log names the game, the function
// and the length.
TEST(OwnGameTable, TextsComeToAnEnd) {
  static std::size_t size, growth;
  size = growth = 0;
  static const auto reported = [](std::size_t room, std::size_t right) {
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
    return reported(room, noughts().text(nullptr, state, text, room));
  };
  table.action_text = [](void*, const void* state, senet_action action, char* text,
                         std::size_t room) {
    return reported(room, noughts().action_text(nullptr, state, action, text, room));
  };
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
  engine.use(engine.untrained(Noughts::kName));
  auto session = engine.open_session(Noughts::kName);
  EXPECT_EQ(session.text(), "3/3/3");
  const auto expect_refused = [&](const std::string& what) {
    lines.clear();
    EXPECT_EQ(session.try_text().error().status(), SENET_BAD_ARGUMENT);
    EXPECT_EQ(session.try_action_text(0).error().status(), SENET_BAD_ARGUMENT);
    EXPECT_EQ(lines, (std::vector<std::string>{"own_tic_tac_toe: text: " + what,
                                               "own_tic_tac_toe: action_text: " + what}));
  };
  size = 65'537;
  expect_refused("65537 bytes, more than 65536");
  size = SIZE_MAX;
  expect_refused("18446744073709551615 bytes, more than 65536");
  growth = 1;
  expect_refused("grows on every call");
  // Other errors, whose reasons contain the position's text, are still reported as such.
  EXPECT_EQ(session.try_play(9).error().status(), SENET_BAD_ACTION);
  EXPECT_EQ(session.search({.visits = 20}).visits, 20u);
}

// A slow text function (two minutes here, unless it is stopped) blocks no search, not even one of
// the same position.
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
  engine.use(engine.untrained(Noughts::kName));
  auto session = engine.open_session(Noughts::kName);
  slow = true;
  std::jthread reader([&] { EXPECT_EQ(session.text(), "3/3/3"); });
  while (!inside) std::this_thread::yield();
  EXPECT_EQ(session.search({.visits = 20}).visits, 20u);
  EXPECT_EQ(engine.open_session(Noughts::kName).search({.visits = 20}).visits, 20u);
  EXPECT_TRUE(inside);
  go_on = true;
}

/// The race with forced moves: the first move of each player, whose runners are on one square.
struct ForcedRace : Race {
  static constexpr std::string_view kName = "forced_race";
  void sound(ActionList<kMaxLegal>& out) const { legal(out); }
  static Result<ForcedRace> from_text(std::string_view text) {
    const Result<Race> race = Race::from_text(text);
    if (!race) return race.error();
    return ForcedRace{*race};
  }
};

/// What a network of positions expects, for player 0, from the positions that it was trained on.
double expected_for_player_0(const api::Session& session) {
  double value = 0;
  const std::vector<float> chances = session.chance();
  for (std::size_t i = 0; i < chances.size(); ++i) {
    api::Session rolled = session.clone();
    rolled.play(static_cast<senet_action>(i));
    value += chances[i] * expected_for_player_0(rolled);
  }
  if (!chances.empty()) return value;
  if (const auto legal = session.legal(); legal.size() == 1) {
    api::Session forced = session.clone();
    forced.play(legal.front());
    return expected_for_player_0(forced);
  }
  const senet_expectation here = session.evaluate();
  return here.player == SENET_PLAYER_0 ? here.value : -here.value;
}

// A forced move may lead to a roll, and that to another forced move.
TEST(OwnDice, EvaluatesWhatFollowsForcedMoves) {
  senet_config config = api::default_config();
  config.search = api::text("mode=position");
  api::Engine engine(config);
  api::add_game<ForcedRace>(engine);
  engine.use(engine.untrained(ForcedRace::kName));
  const api::Session start = engine.open_session(ForcedRace::kName);
  const senet_expectation expected = start.evaluate();
  EXPECT_EQ(expected.player, SENET_PLAYER_0);
  EXPECT_NEAR(expected.value, expected_for_player_0(start), 1e-5);
  EXPECT_NE(expected.value, 0);
}

// An exception from a host's function ends the search, not the program.
TEST(OwnGameTable, FunctionsMayThrow) {
  static bool throws;  // static: the table's functions cannot capture
  throws = false;
  api::Engine engine;
  senet_game_table table = noughts();
  table.key = [](void*, const void* state) -> std::uint64_t {
    if (throws) throw std::runtime_error("not today");
    return static_cast<const Noughts*>(state)->key();
  };
  static const auto encode = table.encode;
  table.encode = [](void* user, const void* state, std::uint16_t* feature, float* value) {
    if (throws) throw std::runtime_error("not today");
    return encode(user, state, feature, value);
  };
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
  engine.use(engine.untrained(Noughts::kName));
  auto session = engine.open_session(Noughts::kName);
  const std::uint64_t memory = engine.memory();
  throws = true;
  EXPECT_EQ(session.try_search({.visits = 20}).error().status(), SENET_INTERNAL);
  EXPECT_EQ(session.try_evaluate().error().status(), SENET_INTERNAL);
  EXPECT_EQ(engine.memory(), memory);
  throws = false;
  EXPECT_EQ(session.evaluate().outcome_count, 3u);
  EXPECT_EQ(session.search({.visits = 20}).visits, 20u);
}

// Several searches begin in one round, and a function throws at the second: each search ends
// exactly once, although its callback closes the session.
TEST(OwnGameTable, WhatThrowsEndsEachSearchOnce) {
  static int calls_left;
  calls_left = -1;
  senet_config config = api::default_config();
  config.workers = 0;
  api::Engine engine(config);
  senet_game_table table = noughts();
  table.key = [](void*, const void* state) -> std::uint64_t {
    if (calls_left-- == 0) throw std::runtime_error("not today");
    return static_cast<const Noughts*>(state)->key();
  };
  ASSERT_EQ(senet_engine_add_game(engine.handle(), &table, nullptr), SENET_OK);
  engine.use(engine.untrained(Noughts::kName));
  senet_limits limits = SENET_LIMITS_INIT;
  limits.visits = 20;
  int ended = 0;
  const auto done = [](void* user, senet_session* session) {
    ++*static_cast<int*>(user);
    senet_session_close(session);
  };
  for (int i = 0; i < 3; ++i) {
    senet_session* session = nullptr;
    ASSERT_EQ(senet_session_open(engine.handle(), api::text(Noughts::kName), &session, nullptr),
              SENET_OK);
    ASSERT_EQ(senet_session_search(session, &limits, done, &ended, nullptr), SENET_OK);
  }
  calls_left = 1;
  EXPECT_EQ(engine.poll(std::chrono::milliseconds(100)), 0u);
  EXPECT_EQ(ended, 3);
  EXPECT_EQ(engine.open_session(Noughts::kName).search({.visits = 20}).visits, 20u);
}

}  // namespace
}  // namespace senet
