// The command line: every limit of the server with its default.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clients.hpp"

namespace game_server {

struct Options {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;
  std::vector<std::string> weights;  // files

  std::size_t games = 100;                 // open at once
  std::size_t client_games = 20;           // of these, opened by one client
  std::chrono::seconds idle{1800};         // an unused game is closed after it
  std::optional<std::uint64_t> dice_seed;  // none: dice of the system

  std::uint32_t visits = 800;            // the most for a search
  std::chrono::milliseconds time{2000};  // the most for a search
  std::uint64_t memory_mib = 512;        // of the engine
  std::uint32_t workers = 2;             // threads that search

  std::size_t threads = 16;       // requests that are handled at once
  std::size_t queue = 64;         // requests that wait for a thread
  std::size_t connections = 256;  // open at once
  ClientLimits clients;
  std::chrono::milliseconds request_time{5000};  // for a request to arrive, an answer to leave
  std::chrono::milliseconds idle_time{15000};    // between requests
};

/// Throws std::runtime_error with the reason. None: --help was asked for.
std::optional<Options> read_options(int argc, char** argv);

/// What --help shows.
std::string usage();

}  // namespace game_server
