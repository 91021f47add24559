// The command line.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "front.hpp"
#include "games.hpp"

namespace game_server {

struct Options {
  FrontSettings front;
  GamesSettings games;
  std::uint32_t workers = 2;
  std::uint32_t visits = 800;
  std::chrono::milliseconds time{2000};
  std::uint64_t memory_mib = 512;
  std::vector<std::string> weights;  // files
};

/// Throws std::runtime_error with the reason. None: --help was asked for.
std::optional<Options> read_options(int argc, char** argv);

/// What --help shows.
std::string usage();

}  // namespace game_server
