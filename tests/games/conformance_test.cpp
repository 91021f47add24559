// What every game of the registry promises, checked by playing at random.
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "games/random.hpp"
#include "games/sound_moves.hpp"
#include "senet/game.hpp"
#include "tests/game_types.hpp"

namespace senet {
namespace {

constexpr std::uint64_t kSeed = 1;

template <class G>
class Conformance : public ::testing::Test {};
TYPED_TEST_SUITE(Conformance, GameTypes, GameName);

// What can be done in a state, chance outcomes included. A list longer than the game promises
// throws.
template <Game G>
std::vector<Action> edges(const G& state) {
  if constexpr (StochasticGame<G>) {
    if (state.turn() == Turn::kChance) {
      std::array<float, G::kMaxChance> probabilities;
      std::vector<Action> outcomes(state.chance(probabilities));
      for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] = static_cast<Action>(i);
      return outcomes;
    }
  }
  ActionList<G::kMaxLegal> actions;
  state.legal(actions);
  return {actions.begin(), actions.end()};
}

// Plays one game at random and calls `visit(state)` for each of its states, the first and last
// included, until `visit` has met a failure. Dice fall uniformly here, so that rare rolls are seen
// more often.
template <Game G, class Visit>
void play_at_random(std::uint64_t game, Visit visit) {
  Random random(kSeed, game, 0, Purpose::kTest);
  G state;
  std::size_t plies = 0;
  visit(state);
  while (state.turn() != Turn::kOver && !::testing::Test::HasFailure()) {
    const std::vector<Action> actions = edges(state);
    ASSERT_FALSE(actions.empty()) << state.text();
    if (is_decision(state.turn())) ++plies;
    if (plies > G::kMaxPlies) return;  // a guard, not a rule: see Game
    state.play(actions[random.below(static_cast<std::uint32_t>(actions.size()))]);
    visit(state);
  }
}

// Calls `visit` for the states of so many games.
template <Game G, class Visit>
void play_games(std::uint64_t games, Visit visit) {
  for (std::uint64_t game = 0; game < games && !::testing::Test::HasFailure(); ++game) {
    play_at_random<G>(game, visit);
  }
}

// Games a test plays when each of their states costs it microseconds, or many edges.
constexpr std::uint64_t kGames = 2'000;
template <class G>
constexpr std::uint64_t kEdgeGames = StochasticGame<G> ? 100 : kGames;

TYPED_TEST(Conformance, ConstantsMakeSense) {
  using G = TypeParam;
  static_assert(Game<G>);
  static_assert(kOutcomes<G> >= 2 && G::kOutcomeMirror.size() == kOutcomes<G>);
  static_assert(G::kMaxActive <= G::kFeatures && G::kLogitsPerAction >= 1);
  static_assert(G::kFeatures < 0xffff && G::kPolicyLogits < kNoLogit);
  for (std::size_t outcome = 0; outcome < kOutcomes<G>; ++outcome) {
    const std::uint8_t mirror = G::kOutcomeMirror[outcome];
    ASSERT_LT(mirror, kOutcomes<G>);
    EXPECT_EQ(G::kOutcomeMirror[mirror], outcome);
    EXPECT_EQ(G::kOutcomeValues[mirror], -G::kOutcomeValues[outcome]);
    EXPECT_LE(std::abs(G::kOutcomeValues[outcome]), G::kValueRange);
  }
}

TYPED_TEST(Conformance, DefaultStateIsTheStart) {
  using G = TypeParam;
  EXPECT_NE(G{}.turn(), Turn::kOver);
  G started;
  started.play(edges(started).front());
  EXPECT_NE(started.key(), G{}.key());
  EXPECT_EQ(G{}.key(), G{}.key());
}

TYPED_TEST(Conformance, GamesEndWithinTheirPlies) {
  using G = TypeParam;
  std::vector<int> ended(kOutcomes<G>);
  for (std::uint64_t game = 0; game < kGames; ++game) {
    G last;
    play_at_random<G>(game, [&last](const G& state) { last = state; });
    ASSERT_EQ(last.turn(), Turn::kOver) << last.text();
    const std::uint8_t outcome = last.outcome();
    ASSERT_LT(outcome, kOutcomes<G>);
    ++ended[outcome];
    EXPECT_EQ(final_value(last, 0), G::kOutcomeValues[outcome]);
    EXPECT_EQ(final_value(last, 1), -final_value(last, 0));
  }
  // Random play ends in every way, and neither player's wins are forgotten.
  for (std::size_t outcome = 0; outcome < kOutcomes<G>; ++outcome)
    EXPECT_GT(ended[outcome], 0) << outcome;
}

TYPED_TEST(Conformance, LegalActionsAreAscendingUniqueAndPlayable) {
  using G = TypeParam;
  play_games<G>(kEdgeGames<G>, [](const G& state) {
    if (state.turn() == Turn::kOver) return;
    const std::vector<Action> actions = edges(state);
    ASSERT_FALSE(actions.empty()) << state.text();
    const std::string text = state.text();
    const std::uint64_t key = state.key();
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (i > 0) {
        ASSERT_LT(actions[i - 1], actions[i]) << text;
      }
      G child = state;
      child.play(actions[i]);
      ASSERT_NE(child.key(), key) << text << " after " << state.action_text(actions[i]);
    }
    // The original is untouched, and its moves can be asked for again.
    ASSERT_EQ(state.text(), text);
    ASSERT_EQ(state.key(), key);
    ASSERT_EQ(edges(state), actions);
  });
}

// The most that `player` can still reach, looking so many moves ahead.
template <Game G>
float promise(const G& state, Player player, int moves) {
  if (state.turn() == Turn::kOver) return final_value(state, player);
  if (moves == 0 || !is_decision(state.turn())) return G::kValueRange;
  const bool his = state.viewer() == player;
  float best = his ? -G::kValueRange : G::kValueRange;
  for (const Action action : edges(state)) {
    G after = state;
    after.play(action);
    const float value = promise(after, player, moves - 1);
    best = his ? std::max(best, value) : std::min(best, value);
  }
  return best;
}

// Whatever is left out is refuted by what follows at once, or something that stays wins at once.
TYPED_TEST(Conformance, SoundMovesAreAmongTheBest) {
  using G = TypeParam;
  if constexpr (!SoundMovesGame<G>) {
    GTEST_SKIP() << "every legal move is worth a thought";
  } else {
    std::size_t left_out = 0;
    play_games<G>(kEdgeGames<G>, [&left_out](const G& state) {
      if (!is_decision(state.turn())) return;
      const std::vector<Action> legal = edges(state);
      ActionList<G::kMaxLegal> sound;
      state.sound(sound);
      ASSERT_FALSE(sound.empty()) << state.text();
      ASSERT_TRUE(std::ranges::is_sorted(sound)) << state.text();
      ASSERT_TRUE(std::ranges::includes(legal, sound)) << state.text();
      const auto after = [&state](Action action) {
        G next = state;
        next.play(action);
        return next;
      };
      const Player mover = state.viewer();
      const bool wins = std::ranges::any_of(sound, [&](Action action) {
        const G next = after(action);
        return next.turn() == Turn::kOver && final_value(next, mover) == G::kValueRange;
      });
      if (wins) return;
      const auto loses = [&](Action action) {
        return promise(after(action), mover, 1) == -G::kValueRange;
      };
      if (!std::ranges::all_of(legal, loses)) {
        ASSERT_TRUE(std::ranges::none_of(sound, loses)) << state.text();
      }
      for (const Action action : legal) {
        if (std::ranges::binary_search(sound, action)) continue;
        ++left_out;
        ASSERT_TRUE(loses(action)) << state.text() << " " << state.action_text(action);
      }
    });
    EXPECT_GT(left_out, 1'000u);
  }
}

TYPED_TEST(Conformance, ViewerIsThePlayerToMove) {
  using G = TypeParam;
  play_games<G>(kGames, [](const G& state) {
    if (state.turn() == Turn::kPlayer0) {
      ASSERT_EQ(state.viewer(), 0) << state.text();
    } else if (state.turn() == Turn::kPlayer1) {
      ASSERT_EQ(state.viewer(), 1) << state.text();
    } else {
      ASSERT_LE(state.viewer(), 1) << state.text();
    }
  });
}

// The player about to roll is the one who then moves, whatever the dice.
TYPED_TEST(Conformance, ChanceIsADistribution) {
  using G = TypeParam;
  if constexpr (!StochasticGame<G>) {
    GTEST_SKIP() << "no dice";
  } else {
    std::size_t turns = 0;
    play_games<G>(kEdgeGames<G>, [&turns](const G& state) {
      if (state.turn() != Turn::kChance) return;
      ++turns;
      // Longer than promised, so that too many outcomes are seen and not undefined.
      std::array<float, G::kMaxChance + 64> probabilities;
      const std::size_t outcomes = state.chance(probabilities);
      ASSERT_GE(outcomes, 1u);
      ASSERT_LE(outcomes, G::kMaxChance);
      double sum = 0.0;
      for (std::size_t i = 0; i < outcomes; ++i) {
        ASSERT_GT(probabilities[i], 0.0f);
        sum += probabilities[i];
      }
      ASSERT_NEAR(sum, 1.0, 1e-6);
    });
    EXPECT_GT(turns, 1'000u);
  }
}

TYPED_TEST(Conformance, FeaturesAreFiniteUniqueAndWithinBounds) {
  using G = TypeParam;
  // Longer than promised, so that a row that overflows is seen and not undefined.
  std::vector<std::uint16_t> index(G::kMaxActive + G::kFeatures);
  std::vector<float> value(index.size());
  std::vector<int> row_of(G::kFeatures, -1);
  int rows = 0;
  play_games<G>(kGames, [&](const G& state) {
    if (state.turn() == Turn::kOver) return;
    FeatureRow row(index.data(), value.data(), index.size());
    state.encode(row);
    ASSERT_LE(row.count(), G::kMaxActive) << state.text();
    for (std::size_t i = 0; i < row.count(); ++i) {
      ASSERT_LT(index[i], G::kFeatures) << state.text();
      ASSERT_TRUE(std::isfinite(value[i])) << state.text();
      ASSERT_NE(row_of[index[i]], rows) << "feature " << index[i] << " twice: " << state.text();
      row_of[index[i]] = rows;
    }
    ++rows;
  });
  // Hardly a feature that random play never sets.
  const auto dead = std::ranges::count(row_of, -1);
  EXPECT_LE(static_cast<std::size_t>(dead), G::kFeatures / 8);
}

TYPED_TEST(Conformance, ActionLogitsAreInRange) {
  using G = TypeParam;
  play_games<G>(kGames, [](const G& state) {
    if (!is_decision(state.turn())) return;
    for (const Action action : edges(state)) {
      const auto logits = G::logits_of(action);
      ASSERT_LT(logits[0], G::kPolicyLogits) << state.text();
      bool padding = false;
      for (const std::uint16_t logit : logits) {
        if (padding) {
          ASSERT_EQ(logit, kNoLogit) << state.text();
        }
        padding = padding || logit == kNoLogit;
        if (!padding) {
          ASSERT_LT(logit, G::kPolicyLogits) << state.text();
        }
      }
    }
  });
}

TYPED_TEST(Conformance, StatesRoundTripThroughText) {
  using G = TypeParam;
  play_games<G>(kGames, [](const G& state) {
    const std::string text = state.text();
    ASSERT_EQ(text.find('\n'), std::string::npos);
    const Result<G> read = G::from_text(text);
    ASSERT_TRUE(read.has_value()) << read.error().reason();
    ASSERT_EQ(read->text(), text);
    ASSERT_EQ(read->key(), state.key()) << text;
    ASSERT_EQ(read->turn(), state.turn()) << text;
    ASSERT_EQ(read->viewer(), state.viewer()) << text;
    if (state.turn() == Turn::kOver) {
      ASSERT_EQ(read->outcome(), state.outcome()) << text;
    } else {
      ASSERT_EQ(edges(*read), edges(state)) << text;
    }
  });
}

TYPED_TEST(Conformance, ActionsRoundTripThroughText) {
  using G = TypeParam;
  play_games<G>(kEdgeGames<G>, [](const G& state) {
    if (state.turn() == Turn::kOver) return;
    for (const Action action : edges(state)) {
      const std::string text = state.action_text(action);
      ASSERT_FALSE(text.empty()) << state.text();
      const Result<Action> read = state.action_from_text(text);
      ASSERT_TRUE(read.has_value()) << state.text() << ": " << read.error().reason();
      ASSERT_EQ(*read, action) << state.text() << ": " << text;
    }
  });
}

TYPED_TEST(Conformance, NonsenseIsRefusedWithAReason) {
  using G = TypeParam;
  Random random(kSeed, 0, 0, Purpose::kTest);
  constexpr std::string_view kAlphabet = "0123456789abcXO/:-+ =AZ\n\xff";
  for (int i = 0; i < 20'000; ++i) {
    // A start position with some of its characters replaced, dropped or repeated.
    std::string text = i % 2 == 0 ? G{}.text() : std::string();
    for (std::uint32_t edits = 1 + random.below(4); edits > 0; --edits) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(text.size() + 1));
      const char c = kAlphabet[random.below(static_cast<std::uint32_t>(kAlphabet.size()))];
      if (at < text.size() && random.below(2) == 0) {
        text[at] = c;
      } else {
        text.insert(text.begin() + static_cast<std::ptrdiff_t>(at), c);
      }
    }
    if (const Result<G> read = G::from_text(text)) {
      // What is accepted is a state like any other.
      const Result<G> again = G::from_text(read->text());
      ASSERT_TRUE(again.has_value()) << text << ": " << again.error().reason();
      ASSERT_EQ(again->key(), read->key()) << text;
      if (read->turn() != Turn::kOver) {
        ASSERT_FALSE(edges(*read).empty()) << text;
      }
    } else {
      ASSERT_FALSE(read.error().reason().empty()) << text;
    }
    if (const Result<Action> action = G{}.action_from_text(text)) {
      const std::vector<Action> actions = edges(G{});
      ASSERT_NE(std::ranges::find(actions, *action), actions.end()) << text;
    } else {
      ASSERT_FALSE(action.error().reason().empty()) << text;
    }
  }
}

// The heavy one: among a million different states keys and texts correspond one to one. A game that
// shows nothing new for long has fewer, and all that were seen must do. Texts are compared by a
// hash of their own, which has nothing in common with the keys.
TYPED_TEST(Conformance, DifferentStatesHaveDifferentKeys) {
  using G = TypeParam;
  constexpr std::size_t kStates = 1'000'000;
  constexpr std::uint64_t kMostGames = 200'000, kGamesWithoutNews = 20'000;
  absl::flat_hash_map<std::size_t, std::uint64_t> key_of;
  std::uint64_t games = 0, without_news = 0;
  while (games < kMostGames && key_of.size() < kStates && without_news < kGamesWithoutNews &&
         !this->HasFailure()) {
    const std::size_t known = key_of.size();
    play_at_random<G>(games++, [&key_of](const G& state) {
      const auto [entry, is_new] =
          key_of.try_emplace(std::hash<std::string>{}(state.text()), state.key());
      ASSERT_TRUE(is_new || entry->second == state.key())
          << "one state, two keys: " << state.text();
    });
    without_news = key_of.size() > known ? 0 : without_news + 1;
  }
  EXPECT_TRUE(key_of.size() >= kStates || without_news >= kGamesWithoutNews)
      << "only " << key_of.size() << " states in " << games << " games";
  if constexpr (std::is_same_v<G, TicTacToe>) {
    EXPECT_EQ(key_of.size(), 5'478u);
  }
  absl::flat_hash_set<std::uint64_t> keys;
  for (const auto& [text, key] : key_of) keys.insert(key);
  EXPECT_EQ(keys.size(), key_of.size()) << "two states share a key";
}

TYPED_TEST(Conformance, MirrorImagesCorrespond) {
  using G = TypeParam;
  if constexpr (!MirrorGame<G>) {
    GTEST_SKIP() << "no mirror image";
  } else {
    play_games<G>(kGames, [](const G& state) {
      const G mirror = state.mirrored();
      ASSERT_EQ(mirror.mirrored().key(), state.key()) << state.text();
      ASSERT_EQ(mirror.mirrored().text(), state.text());
      ASSERT_EQ(mirror.turn(), state.turn()) << state.text();
      if (state.turn() == Turn::kOver) {
        ASSERT_EQ(mirror.outcome(), state.outcome()) << state.text();
        return;
      }
      const std::vector<Action> actions = edges(state);
      std::vector<Action> mirrored;
      for (const Action action : actions) {
        ASSERT_EQ(G::mirrored(G::mirrored(action)), action);
        mirrored.push_back(G::mirrored(action));
        G child = state, mirror_child = mirror;
        child.play(action);
        mirror_child.play(mirrored.back());
        ASSERT_EQ(child.mirrored().key(), mirror_child.key()) << state.text();
      }
      std::ranges::sort(mirrored);
      ASSERT_EQ(edges(mirror), mirrored) << state.text();
    });
  }
}

}  // namespace
}  // namespace senet
