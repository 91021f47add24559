// Lights Out, the example of an own game of one player, against all of its positions.
#include "tools/examples/lights_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "senet/check_game.hpp"

namespace senet {
namespace {

LightsOut lamps(std::string_view text) { return LightsOut::from_text(text).value(); }

// The fewest presses of each set of lamps that are on, 255 for those that cannot be solved. Each
// lamp is pressed once or never, in any order.
std::vector<std::uint8_t> fewest_presses() {
  std::array<std::uint32_t, LightsOut::kLamps> switches;
  for (Action lamp = 0; lamp < LightsOut::kLamps; ++lamp) {
    LightsOut state = LightsOut::solved();
    state.play(lamp);
    switches[lamp] = state.lit();
  }
  std::vector<std::uint8_t> fewest(std::size_t{1} << LightsOut::kLamps, 255);
  std::uint32_t lit = 0, pressed = 0;
  for (std::uint32_t number = 1;; ++number) {  // Gray code: one press at a time
    std::uint8_t& known = fewest[lit];
    known = std::min(known, static_cast<std::uint8_t>(std::popcount(pressed)));
    if (number >> LightsOut::kLamps != 0) break;
    const int lamp = std::countr_zero(number);
    pressed ^= 1u << lamp;
    lit ^= switches[static_cast<std::size_t>(lamp)];
  }
  return fewest;
}

TEST(LightsOut, PositionsByDistance) {
  const std::vector<std::uint8_t> fewest = fewest_presses();
  std::vector<std::size_t> positions(16);
  std::size_t unsolvable = 0;
  for (const std::uint8_t presses : fewest) presses < 16 ? ++positions[presses] : ++unsolvable;
  // A quarter of all positions can be solved (Anderson and Feil 1998), in 15 presses at most.
  EXPECT_EQ(unsolvable, fewest.size() / 4 * 3);
  EXPECT_EQ(positions[0], 1u);
  EXPECT_EQ(positions[1], 25u);
  EXPECT_EQ(positions[2], 300u);
  EXPECT_GT(positions[15], 0u);
  EXPECT_EQ(fewest[LightsOut().lit()], 15);
  // Texts are read exactly where presses solve the position.
  std::size_t read = 0, checked = 0;
  for (std::size_t lit = 0; lit < fewest.size(); lit += 997) {
    std::string text;
    for (std::size_t lamp = 0; lamp < LightsOut::kLamps; ++lamp) {
      if (lamp > 0 && lamp % LightsOut::kSide == 0) text += '/';
      text += (lit >> lamp & 1) != 0 ? 'X' : '-';
    }
    text += " 40";
    const Result<LightsOut> state = LightsOut::from_text(text);
    EXPECT_EQ(state.has_value(), fewest[lit] < 16) << text;
    if (state) {
      EXPECT_EQ(state->lit(), lit);
    }
    read += state.has_value() ? 1 : 0;
    ++checked;
  }
  EXPECT_GT(read, checked / 8);
}

TEST(LightsOut, IsAGame) {
  GameCoverage seen;
  const Result<void> checked = check_game<LightsOut>({.games = 200}, LightsOut(), &seen);
  EXPECT_TRUE(checked) << checked.error().reason();
  EXPECT_EQ(seen.outcomes[LightsOut::kUnsolved], 200u);
}

TEST(LightsOut, IsOverWhenAllAreOffOrWithoutPresses) {
  LightsOut one = lamps("-----/--X--/-XXX-/--X--/----- 40");
  EXPECT_EQ(one.turn(), Turn::kPlayer0);
  one.play(12);
  EXPECT_EQ(one.turn(), Turn::kOver);
  EXPECT_EQ(one.outcome(), LightsOut::kSolved);
  LightsOut last = lamps("XXXXX/XXXXX/XXXXX/XXXXX/XXXXX 1");
  last.play(0);
  EXPECT_EQ(last.turn(), Turn::kOver);
  EXPECT_EQ(last.outcome(), LightsOut::kUnsolved);
}

TEST(LightsOut, RefusesTextsWithAReason) {
  const std::string off = "-----/-----/-----/-----/----";
  for (const auto& [text, reason] : {
           std::pair<std::string, std::string>{"", "not five rows of lamps"},
           {off + "- 41", "not a number of presses left, 0 .. 40"},
           {off + "- 4x", "not a number of presses left, 0 .. 40"},
           {off + "X 40", "no presses solve it"},
           {off + "O 40", "a row is five of X and -"},
           {"------/----/-----/-----/----- 40", "a row is five of X and -"},
       }) {
    const Result<LightsOut> read = LightsOut::from_text(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().reason().find(reason), std::string::npos) << read.error().reason();
  }
}

}  // namespace
}  // namespace senet
