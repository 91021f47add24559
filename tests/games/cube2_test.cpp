// The 2x2x2 cube against all of its states: distances, known counts and labelled states.
#include "games/cube2/cube2.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "games/random.hpp"
#include "tests/effort.hpp"
#include "tests/games/cube2_distances.hpp"
#include "tests/repository.hpp"

namespace senet {
namespace {

Cube2 cube(std::string_view text) { return Cube2::from_text(text).value(); }

const Cube2Distances& half_turns() {
  static const Cube2Distances distances(CubeMetric::kHalfTurns);
  return distances;
}
const Cube2Distances& quarter_turns() {
  static const Cube2Distances distances(CubeMetric::kQuarterTurns);
  return distances;
}

TEST(Cube2, StatesByDistanceAreTheKnownNumbers) {
  const std::vector<std::size_t> half = {1,     9,      54,     321,     1847,   9992,
                                         50136, 227536, 870072, 1887748, 623800, 2644};
  const std::vector<std::size_t> quarter = {
      1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852, 782536, 90280, 276};
  EXPECT_EQ(half_turns().states_by_distance(), half);
  EXPECT_EQ(quarter_turns().states_by_distance(), quarter);
}

TEST(Cube2, LabelledStatesAreThoseOfTheirScrambles) {
  std::ifstream lines(repository_path("tests/data/cube2/labels_A.csv"));
  std::string line;
  std::getline(lines, line);
  ASSERT_EQ(line, "scramble,htm,qtm,state");
  std::size_t count = 0;
  for (; std::getline(lines, line); ++count) {
    std::istringstream fields(line);
    std::string scramble, htm, qtm, state;
    std::getline(fields, scramble, ',');
    std::getline(fields, htm, ',');
    std::getline(fields, qtm, ',');
    std::getline(fields, state, ',');
    const Cube2 scrambled = cube(scramble);
    EXPECT_EQ(scrambled, cube(state)) << scramble;
    EXPECT_EQ(scrambled.text(), state + " 40");
    EXPECT_EQ(std::to_string(half_turns().of(scrambled)), htm) << scramble;
    EXPECT_EQ(std::to_string(quarter_turns().of(scrambled)), qtm) << scramble;
  }
  EXPECT_EQ(count, 500u);
}

TEST(Cube2, StartsAtTheLargestDistance) {
  EXPECT_EQ(half_turns().of(Cube2()), 11u);
  EXPECT_EQ(Cube2().turn(), Turn::kPlayer0);
}

TEST(Cube2, IsOverWhenSolvedOrWithoutMoves) {
  Cube2 one = cube("R");
  EXPECT_EQ(one.turn(), Turn::kPlayer0);
  one.play(*one.action_from_text("R'"));
  EXPECT_EQ(one.turn(), Turn::kOver);
  EXPECT_EQ(one.outcome(), Cube2::kSolved);
  Cube2 last = cube("0123456/1010211 1");
  last.play(*last.action_from_text("U2"));
  EXPECT_EQ(last.turn(), Turn::kOver);
  EXPECT_EQ(last.outcome(), Cube2::kUnsolved);
  EXPECT_EQ(final_value(last, 0), -15);
}

TEST(Cube2, ATurnAndItsInverseChangeOnlyTheMovesLeft) {
  const Cube2 start;
  for (Action action = 0; action < Cube2::kMaxLegal; ++action) {
    Cube2 state = start;
    state.play(action);
    EXPECT_NE(state.as_start(), start);
    state.play(static_cast<Action>(action + 2 - 2 * (action % 3)));
    EXPECT_EQ(state.as_start(), start) << Cube2::action_text(action);
    EXPECT_EQ(state.moves_left(), start.moves_left() - 2);
  }
}

std::vector<std::uint16_t> features_of(const Cube2& state) {
  std::vector<std::uint16_t> index(Cube2::kMaxActive);
  std::vector<float> value(index.size());
  FeatureRow row(index.data(), value.data(), index.size());
  state.encode(row);
  EXPECT_EQ(row.count(), index.size());
  EXPECT_TRUE(std::ranges::all_of(value, [](float one) { return one == 1; }));
  return index;
}

TEST(Cube2, ImagesHaveTheSameFeatures) {
  const auto expected = features_of(cube("U R2 F'"));
  for (const char* const image : {"R F2 U'", "F U2 R'", "U' F2 R", "F' R2 U", "R' U2 F"}) {
    EXPECT_EQ(features_of(cube(image)), expected) << image;
  }
  EXPECT_NE(features_of(cube("U R2 F")), expected);
}

// Among many states some share their features. They must be equally far from the solved one, and
// what follows the moves of a logit must share its features again.
TEST(Cube2, FeaturesDecideDistancesAndLogitsNameMoves) {
  const std::size_t kStates = effort(200'000);
  std::map<std::vector<std::uint16_t>, Cube2> first;
  std::size_t shared = 0;
  Random random(1, 0, 0, Purpose::kTest);
  const auto after = [](Cube2 state, std::uint16_t logit) {
    Action action = 0;
    while (state.logits_of(action)[0] != logit) ++action;
    state.play(action);
    return features_of(state);
  };
  for (std::size_t i = 0; i < kStates; ++i) {
    Cube2 state = Cube2::solved();
    for (int move = 0; move < 12; ++move) {
      state.play(static_cast<Action>(random.below(Cube2::kMaxLegal)));
    }
    const auto [known, is_new] = first.emplace(features_of(state), state);
    if (is_new || known->second.as_start() == state.as_start()) continue;
    ++shared;
    EXPECT_EQ(half_turns().of(state), half_turns().of(known->second));
    EXPECT_EQ(quarter_turns().of(state), quarter_turns().of(known->second));
    const auto logit = static_cast<std::uint16_t>(i % Cube2::kMaxLegal);
    EXPECT_EQ(after(state, logit), after(known->second, logit)) << state.text();
  }
  EXPECT_GT(shared, kStates / 50);
}

TEST(Cube2, RefusesTextsWithAReason) {
  for (const auto& [text, reason] : {
           std::pair{"", "neither a position nor a scramble"},
           {"U X", "\"X\" does not begin with a move"},
           {"0123456", "does not begin with a move"},
           {"0123456/000000", "not seven corners, a slash and seven orientations"},
           {"0123457/0000000", "a corner that is not 0 .. 6"},
           {"0123455/0000000", "a corner is there twice"},
           {"0123456/0000003", "an orientation that is not 0 .. 2"},
           {"0123456/0000001", "no moves reach it"},
           {"0123456/0000000 41", "a number of moves left, 0 .. 40"},
           {"0123456/0000000x", "a number of moves left, 0 .. 40"},
       }) {
    const Result<Cube2> read = Cube2::from_text(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().reason().find(reason), std::string::npos) << read.error().reason();
  }
  EXPECT_EQ(cube("  U2R' F").text(), cube("U2 R' F").text());
}

}  // namespace
}  // namespace senet
