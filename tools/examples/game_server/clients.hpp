// Limits each client's request rate and number of connections.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_map>

namespace game_server {

using Clock = std::chrono::steady_clock;

struct ClientLimits {
  double rate = 20;              // sustained requests per second; 0: no limit
  double burst = 60;             // requests allowed at once after a pause
  std::size_t connections = 64;  // open at once
  std::size_t clients = 4096;    // tracked at once; if all are active, new ones are refused
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
