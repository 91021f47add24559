// What each client may ask for: requests a second, and connections at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_map>

namespace game_server {

using Clock = std::chrono::steady_clock;

struct ClientLimits {
  double rate = 20;              // requests a second that a client may go on with; 0: no limit
  double burst = 60;             // requests that it may save up
  std::size_t connections = 64;  // open at once
  std::size_t clients = 4096;    // remembered; those beyond are refused while all are active
};

/// A token bucket and a count of connections for each client. Used by one thread.
class Clients {
 public:
  explicit Clients(const ClientLimits& limits) : limits_(limits) {}

  /// One more connection of this client: false when it has too many.
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

  /// One more request of a connected client: false when it asks too often.
  bool request(const std::string& name, Clock::time_point now) {
    if (limits_.rate == 0) return true;
    Client& client = clients_.at(name);
    client = {tokens_of(client, now), now, client.connections};
    if (client.tokens < 1) return false;
    client.tokens -= 1;
    return true;
  }

  /// Forgets the clients that have no connection and their whole burst again.
  void forget_idle(Clock::time_point now) {
    std::erase_if(clients_, [&](const auto& entry) {
      return entry.second.connections == 0 && tokens_of(entry.second, now) >= limits_.burst;
    });
  }

 private:
  struct Client {
    double tokens;  // requests it may make at once
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
