// A game with all defaults of senet/game_defaults.hpp, and one with dice, fulfil the contract;
// their short texts are read back, and nothing else is.
#include "senet/game_defaults.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "senet/check_game.hpp"

namespace senet {
namespace {

/// Nim with three heaps of at most 5; the player who takes the last stick wins. Action: 5 * heap +
/// sticks - 1.
struct Nim : GameDefaults<Nim> {
  static constexpr std::string_view kName = "nim";
  static constexpr std::size_t kHeaps = 3, kSticks = 5;
  static constexpr std::size_t kMaxLegal = kHeaps * kSticks, kPolicyLogits = kMaxLegal;
  static constexpr std::size_t kFeatures = kHeaps * kSticks, kMaxActive = kFeatures;

  std::array<std::uint8_t, kHeaps> heaps{3, 4, 5};
  std::uint8_t mover = 0;

  Turn turn() const {
    if (heaps == std::array<std::uint8_t, kHeaps>{}) return Turn::kOver;
    return mover == 0 ? Turn::kPlayer0 : Turn::kPlayer1;
  }
  void legal(ActionList<kMaxLegal>& out) const {
    for (std::size_t heap = 0; heap < kHeaps; ++heap) {
      for (std::size_t take = 0; take < heaps[heap]; ++take) {
        out.push_back(static_cast<Action>(heap * kSticks + take));
      }
    }
  }
  void play(Action action) {
    std::uint8_t& heap = heaps[action / kSticks];
    heap = static_cast<std::uint8_t>(heap - action % kSticks - 1);
    mover = other(mover);
  }
  std::uint8_t outcome() const { return mover == 1 ? 0 : 2; }
  FeatureBits<kFeatures> feature_bits() const {
    FeatureBits<kFeatures> bits{};
    for (std::size_t heap = 0; heap < kHeaps; ++heap) {
      bits[0] |= ((std::uint64_t{1} << heaps[heap]) - 1) << heap * kSticks;
    }
    return bits;
  }
};
static_assert(BinaryFeaturesGame<Nim>);

/// Both players roll a die in turn; the first to reach 6 pips wins. A move is to take the pips or
/// not to.
struct Pips : GameDefaults<Pips> {
  static constexpr std::string_view kName = "pips";
  static constexpr std::size_t kMaxLegal = 2, kPolicyLogits = 2, kMaxChance = 3;
  static constexpr std::size_t kFeatures = 4, kMaxActive = 4;

  std::array<std::uint8_t, 2> pips{};
  std::uint8_t mover = 0, die = 0;

  Turn turn() const {
    if (pips[0] >= 6 || pips[1] >= 6) return Turn::kOver;
    if (die == 0) return Turn::kChance;
    return mover == 0 ? Turn::kPlayer0 : Turn::kPlayer1;
  }
  Player viewer() const { return mover; }
  void legal(ActionList<kMaxLegal>& out) const {
    out.push_back(0);
    out.push_back(1);
  }
  std::size_t chance(std::span<float> probabilities) const {
    std::fill_n(probabilities.begin(), 3, 1.0f / 3);
    return 3;
  }
  void play(Action action) {
    if (die == 0) {
      die = static_cast<std::uint8_t>(action + 1);
      return;
    }
    pips[mover] = static_cast<std::uint8_t>(pips[mover] + (action == 1 ? die : 1));
    mover = other(mover);
    die = 0;
  }
  std::uint8_t outcome() const { return pips[0] >= 6 ? 0 : 2; }
  void encode(FeatureRow& row) const {
    row.add(0, pips[mover]);
    row.add(1, pips[other(mover)]);
    row.add(2, die);
    row.add(3, 1);
  }
};
static_assert(StochasticGame<Pips> && !StochasticGame<Nim> && !MirrorGame<Nim>);

TEST(GameDefaults, FulfilTheContract) {
  GameCoverage nim, pips;
  const Result<void> plain = check_game<Nim>({.games = 200}, Nim{}, &nim);
  EXPECT_TRUE(plain) << plain.error().reason();
  const Result<void> dice = check_game<Pips>({.games = 200}, Pips{}, &pips);
  EXPECT_TRUE(dice) << dice.error().reason();
  EXPECT_GT(nim.distinct_states, 100u);
  EXPECT_EQ(nim.outcomes[1], 0u);
  EXPECT_GT(pips.chance_turns, 100u);
}

TEST(GameDefaults, FeaturesAreThoseOfTheSet) {
  Nim state;
  state.heaps = {1, 0, 5};
  std::array<std::uint16_t, Nim::kMaxActive> index;
  std::array<float, Nim::kMaxActive> value;
  FeatureRow row(index.data(), value.data(), index.size());
  state.encode(row);
  const std::array<std::uint16_t, 6> expected = {0, 10, 11, 12, 13, 14};
  EXPECT_TRUE(std::ranges::equal(std::span(index).first(row.count()), expected));
  EXPECT_TRUE(
      std::ranges::all_of(std::span(value).first(row.count()), [](float x) { return x == 1; }));
}

TEST(GameDefaults, KeysDifferForEveryState) {
  std::set<std::uint64_t> keys;
  std::size_t states = 0;
  for (std::uint8_t i = 0; i < 3 * 6 * 6 * 2; ++i, ++states) {
    Nim state;
    state.heaps = {static_cast<std::uint8_t>(i / 72), static_cast<std::uint8_t>(i / 12 % 6),
                   static_cast<std::uint8_t>(i / 2 % 6)};
    state.mover = i % 2;
    keys.insert(state.key());
  }
  EXPECT_EQ(keys.size(), states);
}

TEST(GameDefaults, OnlyTheTextOfAPositionIsRead) {
  Nim state;
  state.play(7);
  const std::string text = state.text();
  EXPECT_EQ(text.substr(0, 9), "03010501-");
  EXPECT_EQ(text.size(), 17u);
  EXPECT_EQ(Nim::from_text(text)->key(), state.key());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string wrong = text;
    wrong[i] = wrong[i] == '0' ? '1' : '0';
    EXPECT_FALSE(Nim::from_text(wrong)) << wrong;
    EXPECT_FALSE(Nim::from_text(text.substr(0, i))) << i;
  }
  EXPECT_FALSE(Nim::from_text(text + "0"));
  EXPECT_FALSE(Nim::from_text("startpos"));
}

TEST(GameDefaults, ActionsAreReadByTheirNumber) {
  Nim state;
  EXPECT_EQ(state.action_text(7), "7");
  EXPECT_EQ(*state.action_from_text("7"), 7);
  for (const char* const text : {"", "3", "15", "-1", "7 ", "07x", "65536", "seven"}) {
    EXPECT_FALSE(state.action_from_text(text)) << text;
  }
  Pips roll;
  EXPECT_EQ(*roll.action_from_text("2"), 2);
  EXPECT_FALSE(roll.action_from_text("3"));
}

}  // namespace
}  // namespace senet
