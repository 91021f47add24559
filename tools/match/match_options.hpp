// The options of senet match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "selfplay/match.hpp"
#include "tools/command_line.hpp"
#include "tools/match/players.hpp"

namespace senet {

/// As typed.
struct MatchArguments {
  std::string game;
  std::string first, second;
  std::optional<std::uint32_t> first_visits, second_visits;
  std::vector<std::string> first_options, second_options;
  PlayerSettings player;  // of both; visits and options are those of each
  MatchSettings match;
  std::size_t games_at_once = 0;  // 0: the constants above
  std::string sprt;               // "A,B"
  double alpha = 0.05, beta = 0.05;
  std::filesystem::path log, mat;
  bool resume = false;
  bool json = false;
};

/// Adds them to the command. `arguments` outlives the parsing. Returns --visits, for those who want
/// to know whether it was told.
Option add_match_options(const Command& command, MatchArguments& arguments);

}  // namespace senet
