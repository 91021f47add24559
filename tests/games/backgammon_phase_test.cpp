// Phases of the game: hand-made positions at their borders, and the labelled positions.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "games/backgammon/backgammon.hpp"
#include "games/backgammon/board.hpp"
#include "tests/games/backgammon_positions.hpp"
#include "tests/repository.hpp"

namespace senet {
namespace {

using backgammon::Board;
using backgammon::Checkers;
using backgammon::Phase;
using backgammon::phase_of;

Checkers checkers(const std::map<std::size_t, int>& places) {
  Checkers all{};
  for (const auto& [place, count] : places) all[place] = static_cast<std::uint8_t>(count);
  return *backgammon::with_borne_off(all);
}

TEST(BackgammonPhase, Borders) {
  const Checkers home = checkers({{6, 5}, {5, 5}, {4, 5}});
  EXPECT_EQ(phase_of(Backgammon().board()), Phase::kContact);
  EXPECT_EQ(phase_of({home, home}), Phase::kBearoff);
  EXPECT_EQ(phase_of({home, checkers({{7, 1}, {6, 14}})}), Phase::kRace);
  EXPECT_EQ(phase_of({checkers({{12, 15}}), checkers({{12, 15}})}), Phase::kRace);
  EXPECT_EQ(phase_of({checkers({{14, 15}}), checkers({{12, 15}})}), Phase::kContact);
  // 25 - 20 = 5: the opponent's rearmost checker is behind our checker on 6.
  EXPECT_EQ(phase_of({home, checkers({{20, 1}, {6, 14}})}), Phase::kContact);
  EXPECT_EQ(phase_of({home, checkers({{25, 1}, {6, 14}})}), Phase::kContact);
  const Checkers back = checkers({{24, 2}, {6, 13}});
  EXPECT_EQ(phase_of({checkers({{1, 9}, {6, 6}}), back}), Phase::kCrashed);
  EXPECT_EQ(phase_of({checkers({{1, 8}, {6, 7}}), back}), Phase::kContact);
  EXPECT_EQ(phase_of({back, checkers({{1, 4}, {2, 6}, {6, 5}})}), Phase::kCrashed);
  EXPECT_EQ(phase_of({checkers({{6, 6}}), back}), Phase::kCrashed);
  EXPECT_EQ(phase_of({checkers({{1, 1}, {6, 6}}), back}), Phase::kContact);
}

// The value of a string member of the line's JSON.
std::string member(const std::string& line, const std::string& key) {
  const std::string begin = "\"" + key + "\":\"";
  const std::size_t at = line.find(begin) + begin.size();
  return line.substr(at, line.find('"', at) - at);
}

TEST(BackgammonPhase, IsTheLabelledClass) {
  std::ifstream file(repository_path("tests/data/backgammon/labels_A.jsonl"));
  std::map<std::string, int> seen;
  for (std::string line; std::getline(file, line);) {
    const auto board = backgammon::board_from_position_id(member(line, "posid"));
    ASSERT_TRUE(board) << line;
    ASSERT_EQ(backgammon::name_of(phase_of(*board)), member(line, "cls")) << line;
    ++seen[member(line, "cls")];
  }
  EXPECT_EQ(seen, (std::map<std::string, int>{
                      {"contact", 700}, {"crashed", 120}, {"race", 110}, {"bearoff", 70}}));
}

}  // namespace
}  // namespace senet
