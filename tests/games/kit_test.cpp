// Kits: the defaults for a game without a kit, and the contract of each game's kit.
#include "games/kit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "games/exam.hpp"
#include "games/perft.hpp"
#include "games/registry.hpp"
#include "tests/game_types.hpp"

namespace senet {

/// A game without a kit: a move takes one or two stones from a pile; the last stone wins.
struct Pile {
  static constexpr std::string_view kName = "pile";
  static constexpr std::size_t kMaxLegal = 2, kMaxPlies = 7, kFeatures = 8, kMaxActive = 1;
  static constexpr std::size_t kPolicyLogits = 2, kLogitsPerAction = 1;
  static constexpr std::array<float, 2> kOutcomeValues = {1, -1};
  static constexpr std::array<std::uint8_t, 2> kOutcomeMirror = {1, 0};
  static constexpr float kValueRange = 1;
  static constexpr bool kHasAfterstates = false;

  std::uint8_t stones = 7;
  std::uint8_t mover = 0;

  Turn turn() const {
    return stones == 0 ? Turn::kOver : mover == 0 ? Turn::kPlayer0 : Turn::kPlayer1;
  }
  Player viewer() const { return mover; }
  void legal(ActionList<kMaxLegal>& out) const {
    out.push_back(0);
    if (stones > 1) out.push_back(1);
  }
  void play(Action action) {
    stones = static_cast<std::uint8_t>(stones - action - 1);
    mover = other(mover);
  }
  std::uint8_t outcome() const { return mover == 1 ? 0 : 1; }
  std::uint64_t key() const { return stones * 2u + mover; }
  void encode(FeatureRow& row) const { row.add(stones, 1); }
  static std::array<std::uint16_t, 1> logits_of(Action action) { return {action}; }
  std::string text() const { return std::to_string(stones) + (mover == 0 ? "a" : "b"); }
  static Result<Pile> from_text(std::string_view text) {
    if (text.size() != 2 || text[0] < '0' || text[0] > '7') return fail("no pile");
    return Pile{static_cast<std::uint8_t>(text[0] - '0'),
                static_cast<std::uint8_t>(text[1] == 'b')};
  }
  std::string action_text(Action action) const { return std::to_string(action + 1); }
  Result<Action> action_from_text(std::string_view text) const {
    if (text != "1" && (text != "2" || stones < 2)) return fail("1 or 2");
    return static_cast<Action>(text[0] - '1');
  }
};

namespace {

TEST(DefaultKit, MakesAGameOfRulesAlone) {
  const AnyGame& game = game_table<AnyGame, Pile>();
  EXPECT_EQ(game.name, "pile");
  EXPECT_FALSE(game.has_dice);
  EXPECT_TRUE(game.recipe.empty());
  EXPECT_FALSE(game.is_standard);
  EXPECT_EQ(game.read_exam, nullptr);
  EXPECT_EQ(game.ubgi_question, nullptr);
  EXPECT_EQ(game.match_text, nullptr);
  EXPECT_EQ(AnyState(game).drawing(), std::vector<std::string>{"7a"});
  EXPECT_EQ(game.perft_start(game).text(), "7a");
  EXPECT_EQ(game.perft(AnyState(game).bytes(), 2, {}), (Leaves{4, 4}));
  ASSERT_EQ(game.players.size(), 2u);
  EXPECT_EQ(game.players[0].word, "random");
  EXPECT_EQ(game.players[1].word, "one-ply");
}

TEST(DefaultKit, OnePlyWinsAtOnceElseLeavesNoWinningReply) {
  const AnyGame& game = game_table<AnyGame, Pile>();
  const auto one_ply = [&](const char* text) {
    const AnyState state = *AnyState::from_text(game, text);
    std::set<Action> chosen;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      chosen.insert(game.players[1].choose(state, Random(seed, 0, 0, Purpose::kTest)));
    }
    return chosen;
  };
  EXPECT_EQ(one_ply("1a"), std::set<Action>{0});
  EXPECT_EQ(one_ply("2b"), std::set<Action>{1});
  EXPECT_EQ(one_ply("4a"), std::set<Action>{0});       // leaves three, and no reply takes them all
  EXPECT_EQ(one_ply("3a"), (std::set<Action>{0, 1}));  // both moves lose
  EXPECT_EQ(one_ply("7a"), (std::set<Action>{0, 1}));  // both moves are equal
}

TEST(DefaultKit, AStateWithoutItsTypeIsTheSameState) {
  const AnyGame& game = game_table<AnyGame, Pile>();
  AnyState any(game);
  Pile pile;
  std::vector<Action> legal;
  while (pile.turn() != Turn::kOver) {
    EXPECT_EQ(any.turn(), pile.turn());
    EXPECT_EQ(any.viewer(), pile.viewer());
    EXPECT_EQ(any.text(), pile.text());
    any.legal(legal);
    ActionList<2> own;
    pile.legal(own);
    ASSERT_TRUE(std::ranges::equal(legal, own));
    EXPECT_EQ(any.action_text(legal.back()), pile.action_text(own.back()));
    const AnyState before = any;
    any.play(legal.back());
    EXPECT_EQ(before.text(), pile.text());
    pile.play(own.back());
    EXPECT_EQ(any.as<Pile>().stones, pile.stones);
  }
  EXPECT_EQ(any.turn(), Turn::kOver);
  EXPECT_EQ(final_value(any, 0), final_value(pile, 0));
  EXPECT_EQ(final_value(any, 1), final_value(pile, 1));
  EXPECT_FALSE(AnyState::from_text(game, "9a"));
  EXPECT_EQ(AnyState(game, Pile{3, 1}).text(), "3b");
}

template <class G>
class Kit : public testing::Test {
 protected:
  const AnyGame& game_ = game_table<AnyGame, G>();
};
TYPED_TEST_SUITE(Kit, GameTypes, GameName);

TYPED_TEST(Kit, EveryPlayerPlaysWholeGamesByTheRules) {
  using G = TypeParam;
  const AnyGame& game = this->game_;
  std::set<std::string_view> words;
  for (const SimplePlayer& player : game.players) {
    EXPECT_TRUE(words.insert(player.word).second) << player.word;
    for (std::uint64_t number = 0; number < 5; ++number) {
      AnyState state(game);
      std::vector<Action> legal;
      for (std::uint32_t ply = 0; state.turn() != Turn::kOver && ply < G::kMaxPlies; ++ply) {
        Random draw(1, number, ply, Purpose::kTest);
        if (state.turn() == Turn::kChance) {
          state.play(draw_action(state, draw));
          continue;
        }
        const Action action = player.choose(state, draw);
        ASSERT_EQ(player.choose(state, draw), action) << player.word << " " << state.text();
        state.legal(legal);
        ASSERT_TRUE(std::ranges::binary_search(legal, action)) << player.word << state.text();
        state.play(action);
      }
      EXPECT_EQ(state.turn(), Turn::kOver) << player.word;
    }
  }
  EXPECT_TRUE(words.contains("random"));
}

TYPED_TEST(Kit, DrawsEveryPosition) {
  for (std::uint64_t number = 0; number < 20; ++number) {
    Random draw(1, number, 0, Purpose::kTest);
    AnyState state(this->game_);
    for (;;) {
      const std::vector<std::string> lines = state.drawing();
      ASSERT_FALSE(lines.empty()) << state.text();
      for (const std::string& line : lines) ASSERT_EQ(line.find('\n'), std::string::npos);
      if (state.turn() == Turn::kOver) break;
      state.play(draw_action(state, draw));
    }
  }
}

TYPED_TEST(Kit, CountsFromItsStart) {
  const AnyState start = this->game_.perft_start(this->game_);
  EXPECT_NE(start.turn(), Turn::kOver);
  const std::optional<Leaves> leaves = this->game_.perft(start.bytes(), 1, {});
  ASSERT_TRUE(leaves);
  EXPECT_GT(leaves->each_once, 0u);
  EXPECT_FALSE(this->game_.perft(start.bytes(), 3, [] { return false; }));
  EXPECT_NE(this->game_.count_names[0], this->game_.count_names[1]);
}

TYPED_TEST(Kit, RefusesAnExamThatIsNotThere) {
  const auto exam = read_exam(this->game_, "/not/there");
  ASSERT_FALSE(exam);
  EXPECT_TRUE(exam.error().reason().starts_with("/not/there: ")) << exam.error().reason();
}

TYPED_TEST(Kit, WritesNoGamesAsAFileToo) {
  if (this->game_.match_text == nullptr) GTEST_SKIP() << "no match file format";
  EXPECT_FALSE(this->game_.match_text({}, "no \"games\"\nat all").empty());
}

// What is written is read back: the moves, and who began.
TYPED_TEST(Kit, ReadsTheGamesThatItWrites) {
  if (this->game_.read_match == nullptr) GTEST_SKIP() << "no match file format";
  std::vector<std::vector<Action>> played;
  std::vector<FinishedGame> games;
  for (std::uint32_t number = 0; number < 20; ++number) {
    AnyState state = this->game_.start_of(this->game_, number % 2);
    Random random(1, number, 0, Purpose::kTest);
    played.emplace_back();
    while (state.turn() != Turn::kOver) {
      played.back().push_back(draw_action(state, random));
      state.play(played.back().back());
    }
  }
  for (const auto& actions : played)
    games.push_back({.actions = actions, .first = 0, .outcome = 0});
  const auto read = this->game_.read_match(this->game_.match_text(games, "test"));
  ASSERT_TRUE(read) << read.error().reason();
  ASSERT_EQ(read->size(), games.size());
  for (std::size_t i = 0; i < games.size(); ++i) {
    EXPECT_EQ((*read)[i].actions, played[i]) << i;
    EXPECT_EQ((*read)[i].players, (std::array<std::string, 2>{"first", "second"}));
  }
}

TEST(Kits, MatchFilesOfOtherPrograms) {
  const auto read_match = find_game<AnyGame>("backgammon").value()->read_match;
  const auto games = read_match(
      " 5 point match\r\n\r\n Game 1\r\n gnubg : 0                        someone else : 2\r\n"
      "  1) 61: 13/7 8/7                 43: 24/20 13/10\r\n"
      "  2)  Doubles => 2                 Takes\r\n"
      "  3) 66: 24/18(2) 13/7(2)         55: Cannot Move\r\n"
      "  4) 31: 8/5 6/5                   Doubles => 4\r\n"
      "  5)  Drops\r\n                                  Wins 2 points\r\n"
      " Game 2\r\n gnubg : 0                        someone else : 4\r\n"
      "  1)                              21: 13/11 6/5\r\n");
  ASSERT_FALSE(games);  // 55 can be played
  EXPECT_TRUE(games.error().reason().starts_with("line 7: 55: pass: "));
  const auto good = read_match(
      " Game 1\n gnubg : 0                        4ever : 2\n"
      "  1)                              61: 13/7 8/7\n  2)  Doubles => 2                 Takes\n"
      "  3) 43: 24/20 13/10\n                                  Wins 2 points\n\n"
      " Game 2\n gnubg : 0                        someone else : 4\n");
  ASSERT_TRUE(good) << good.error().reason();
  ASSERT_EQ(good->size(), 2u);
  EXPECT_EQ((*good)[0].players, (std::array<std::string, 2>{"gnubg", "4ever"}));
  EXPECT_EQ((*good)[1].players, (std::array<std::string, 2>{"gnubg", "someone else"}));
  EXPECT_EQ((*good)[0].first, 1);
  EXPECT_EQ((*good)[0].actions.size(), 4u);
  EXPECT_TRUE((*good)[1].actions.empty());
  EXPECT_EQ(read_match("nothing").error().reason(),
            "this is not a .mat file: there is no line \"Game 1\"");
}

TEST(Kits, HaveTheirPartsWhereTheyShould) {
  const auto with = [](auto member) {
    return games_that([member](const AnyGame& game) { return game.*member != nullptr; });
  };
  EXPECT_EQ(with(&AnyGame::read_exam), "connect_four and backgammon");
  EXPECT_EQ(with(&AnyGame::ubgi_question), "backgammon");
  EXPECT_EQ(with(&AnyGame::match_text), "backgammon");
  EXPECT_EQ(with(&AnyGame::read_match), with(&AnyGame::match_text));
  EXPECT_EQ(games_that([](const AnyGame& game) { return game.is_standard; }, " or "),
            "connect_four or backgammon");
  EXPECT_EQ(games_that([](const AnyGame&) { return false; }), "");
  EXPECT_TRUE(games_that([](const AnyGame&) { return true; }).find(", ") != std::string::npos);
}

}  // namespace
}  // namespace senet
