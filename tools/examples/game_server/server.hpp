// The HTTP server: connections, the threads that answer requests, their limits and counters.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>  // for awaitable.hpp of Boost 1.74, which uses it and does not include it
#include <vector>

#include "clients.hpp"

namespace game_server {

class Api;

/// The command line options; main.cpp describes them.
struct Options {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;
  std::vector<std::string> weights;  // files
  std::size_t games = 100, client_games = 20;
  std::chrono::seconds idle{1800};         // of a game
  std::optional<std::uint64_t> dice_seed;  // nothing: random dice
  std::uint32_t visits = 800, workers = 2;
  std::chrono::milliseconds time{2000};  // of a search
  std::uint64_t memory_mib = 512;
  std::size_t threads = 16, queue = 64, connections = 256;
  ClientLimits clients;
  std::chrono::milliseconds request_time{5000}, idle_time{15000};  // of a connection
};

/// Counts since the start, for /api/metrics. Any thread may increment them.
struct Counters {
  using Count = std::atomic<std::uint64_t>;
  Count connections = 0;           // accepted
  Count open_connections = 0;      // open now
  Count requests = 0;              // complete ones
  Count timed_out = 0;             // connections closed during a slow request or answer
  Count shed = 0;                  // requests and connections refused with 503
  Count dropped = 0;               // connections closed without even a 503
  std::array<Count, 6> answers{};  // [4]: with status 400 .. 499

  Count games_opened = 0, games_finished = 0, games_timed_out = 0;
  Count searches = 0, visits = 0, search_microseconds = 0;

  void count_answer(int status) {
    ++answers.at(static_cast<std::size_t>(status / 100));
    if (status == 503) ++shed;
  }
};

/// Calls `ready` with the port when clients can connect, then serves until SIGINT or SIGTERM; then
/// finishes the requests in progress. Up to options.threads threads use the API at once. Throws
/// std::runtime_error if it cannot listen.
void serve(Api& api, const Options& options, Counters& counters,
           const std::function<void(unsigned port)>& ready);

}  // namespace game_server
