#include "clients.hpp"

#include <algorithm>

namespace game_server {

void Clients::refill(Client& client, Clock::time_point now) const {
  const std::chrono::duration<double> passed = now - client.since;
  client.tokens = std::min(limits_.burst, client.tokens + passed.count() * limits_.rate);
  client.since = now;
}

bool Clients::connect(const std::string& client, Clock::time_point now) {
  auto found = clients_.find(client);
  if (found == clients_.end()) {
    if (clients_.size() >= limits_.clients) forget_idle(now);
    if (clients_.size() >= limits_.clients) return false;
    found = clients_.emplace(client, Client{limits_.burst, now}).first;
  }
  if (found->second.connections >= limits_.connections) return false;
  ++found->second.connections;
  return true;
}

void Clients::disconnect(const std::string& client) {
  const auto found = clients_.find(client);
  if (found != clients_.end()) --found->second.connections;
}

bool Clients::request(const std::string& client, Clock::time_point now) {
  if (limits_.rate == 0) return true;
  Client& asking = clients_.at(client);
  refill(asking, now);
  if (asking.tokens < 1) return false;
  asking.tokens -= 1;
  return true;
}

void Clients::forget_idle(Clock::time_point now) {
  for (auto next = clients_.begin(); next != clients_.end();) {
    refill(next->second, now);
    const bool idle = next->second.connections == 0 && next->second.tokens >= limits_.burst;
    next = idle ? clients_.erase(next) : std::next(next);
  }
}

}  // namespace game_server
