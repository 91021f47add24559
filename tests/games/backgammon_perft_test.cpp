// Tests move generation against known perft counts.
#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "games/backgammon/backgammon.hpp"
#include "games/perft.hpp"

namespace senet {
namespace {

using backgammon::Dice;

void expect_perft(std::string_view position_id, int depth, Leaves expected) {
  const Result<Backgammon> state = Backgammon::from_position_id(position_id, 0);
  ASSERT_TRUE(state) << state.error().reason();
  const Leaves leaves = *perft(*state, depth);
  EXPECT_EQ(leaves.each_once, expected.each_once) << position_id << " depth " << depth;
  EXPECT_EQ(leaves.by_chance, expected.by_chance) << position_id << " depth " << depth;
}

struct KnownCount {
  std::string_view position_id;
  int depth;
  Leaves leaves;
};

constexpr KnownCount kKnown[] = {
    {"4HPwATDgc/ABMA", 1, {447, 637}}, {"4HPwATDgc/ABMA", 2, {202782, 419783}},
    {"3LZtAAC3GTEATA", 1, {120, 155}}, {"3LZtAAC3GTEATA", 2, {62760, 120745}},
    {"tvWAYAixNw8CQA", 1, {91, 140}},  {"tvWAYAixNw8CQA", 2, {31017, 73808}},
    {"PggBDl7edTACIA", 1, {367, 570}}, {"PggBDl7edTACIA", 2, {40007, 90758}},
    {"Nk4YcEHeDgAcUQ", 1, {106, 159}}, {"Nk4YcEHeDgAcUQ", 2, {15419, 34768}},
    {"/32AAADXHQAAAA", 1, {92, 144}},  {"/32AAADXHQAAAA", 2, {3496, 9216}},
    {"frcBAEB2PQIADg", 1, {337, 518}}, {"frcBAEB2PQIADg", 2, {24648, 61716}},
    {"jGfwATDgc/ABMA", 1, {377, 551}}, {"jGfwATDgc/ABMA", 2, {190050, 402244}},
    {"tx0OAAzNdgfAAA", 1, {318, 493}}, {"tx0OAAzNdgfAAA", 2, {56396, 133269}},
    {"/yYFhADtAABAAA", 1, {38, 70}},   {"/yYFhADtAABAAA", 2, {10251, 29491}},
    {"bDsBRDjuGwAABA", 1, {28, 45}},   {"bDsBRDjuGwAABA", 2, {31993, 72207}},
};

TEST(BackgammonPerft, KnownPositionsToDepthTwo) {
  for (const KnownCount& known : kKnown) expect_perft(known.position_id, known.depth, known.leaves);
}

TEST(BackgammonPerft, StartToDepthThree) {
  expect_perft(backgammon::kStartPositionId, 3, {116154993, 346692108});
}

TEST(BackgammonPerft, PlaysOfEachRollOfTheStart) {
  constexpr std::array<int, backgammon::kRolls> kPlays = {15, 16, 17, 14, 18, 17, 8,  8,  9, 9, 10,
                                                          14, 14, 14, 7,  42, 75, 73, 52, 4, 11};
  for (Action roll = 0; roll < backgammon::kRolls; ++roll) {
    const Dice dice = backgammon::dice_of(roll);
    const auto state = Backgammon::from_position_id(backgammon::kStartPositionId, 0, dice);
    ASSERT_TRUE(state);
    ActionList<Backgammon::kMaxLegal> actions;
    state->legal(actions);
    EXPECT_EQ(actions.size(), kPlays[roll]) << int{dice.high} << int{dice.low};
  }
}

}  // namespace
}  // namespace senet
