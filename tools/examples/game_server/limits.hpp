// The server's options and counters; the limits of each client.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace game_server {

using Clock = std::chrono::steady_clock;

struct ClientLimits {
  double rate = 20;              // sustained requests per second; 0: no limit
  double burst = 60;             // requests allowed at once after a pause
  std::size_t connections = 64;  // open at once
  std::size_t clients = 4096;    // tracked at once; if all are active, new ones are refused
};

/// The command line options; main.cpp describes them.
struct Options {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;
  std::vector<std::string> weights;  // files
  std::size_t games = 100, client_games = 20;
  std::uint32_t idle_seconds = 1800;       // of a game
  std::optional<std::uint64_t> dice_seed;  // nothing: random dice
  std::uint32_t visits = 800, workers = 2;
  std::uint32_t time_ms = 2000;  // of a search
  std::uint64_t memory_mib = 512;
  std::size_t threads = 16, queue = 64, connections = 256;
  ClientLimits clients;
  std::uint32_t request_ms = 5000, keep_alive_ms = 15000;  // of a connection
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

/// A token bucket and a connection count for each client. Not thread-safe.
class Clients {
 public:
  explicit Clients(const ClientLimits& limits) : limits_(limits) {}

  /// Registers a connection of this client; false if the client has too many.
  bool connect(const std::string& name, Clock::time_point now) {
    if (clients_.size() >= limits_.clients && !clients_.contains(name)) {
      forget_idle(now);
      if (clients_.size() >= limits_.clients) return false;
    }
    Client& client = clients_.try_emplace(name, Client{limits_.burst, now}).first->second;
    if (client.connections >= limits_.connections) return false;
    ++client.connections;
    return true;
  }
  void disconnect(const std::string& name) { --clients_.at(name).connections; }

  /// Counts a request of a connected client; false if the client exceeds its rate.
  bool request(const std::string& name, Clock::time_point now) {
    if (limits_.rate == 0) return true;
    Client& client = clients_.at(name);
    client = {tokens_of(client, now), now, client.connections};
    if (client.tokens < 1) return false;
    client.tokens -= 1;
    return true;
  }

  /// Drops clients without connections whose bucket is full again.
  void forget_idle(Clock::time_point now) {
    std::erase_if(clients_, [&](const auto& entry) {
      return entry.second.connections == 0 && tokens_of(entry.second, now) >= limits_.burst;
    });
  }

 private:
  struct Client {
    double tokens;  // requests allowed now
    Clock::time_point since;
    std::size_t connections = 0;
  };
  double tokens_of(const Client& client, Clock::time_point now) const {
    const std::chrono::duration<double> passed = now - client.since;
    return std::min(limits_.burst, client.tokens + passed.count() * limits_.rate);
  }

  const ClientLimits limits_;
  std::unordered_map<std::string, Client> clients_;
};

}  // namespace game_server
