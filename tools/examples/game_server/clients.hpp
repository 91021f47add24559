// What each client may ask for: requests a second, and connections at once.
#pragma once

#include <chrono>
#include <cstddef>
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

/// Clients are addresses; see client_name(). Used by one thread.
class Clients {
 public:
  explicit Clients(const ClientLimits& limits) : limits_(limits) {}

  /// One more connection of this client: false when it has too many.
  bool connect(const std::string& client, Clock::time_point now);
  void disconnect(const std::string& client);
  /// One more request of a connected client: false when it asks too often.
  bool request(const std::string& client, Clock::time_point now);
  /// Forgets those who are owed nothing.
  void forget_idle(Clock::time_point now);

 private:
  struct Client {
    double tokens;  // requests it may make at once
    Clock::time_point since;
    std::size_t connections = 0;
  };
  void refill(Client& client, Clock::time_point now) const;

  const ClientLimits limits_;
  std::unordered_map<std::string, Client> clients_;
};

}  // namespace game_server
