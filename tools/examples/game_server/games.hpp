// All games that are being played: found by their ids, used by one request at a time, closed when
// no request has come for long.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <random>
#include <senet/senet.hpp>
#include <string>
#include <unordered_map>
#include <utility>

#include "counters.hpp"
#include "game.hpp"
#include "options.hpp"

namespace game_server {

/// Used by any thread. Its functions throw a Refusal, 404 when there is no game of that id.
class Games {
 public:
  Games(senet::api::Engine& engine, const Options& options, Counters& counters)
      : engine_(engine), options_(options), counters_(counters) {}

  /// The id of a new game: 503 when all places are taken, 429 when this client has too many.
  std::string open(const std::string& name, const std::string& client);
  /// What `action` makes of this game, which no other request uses meanwhile: 409 when one does.
  nlohmann::json use(const std::string& id, const std::function<nlohmann::json(Game&)>& action);
  /// Ends a search of the game with what it has; the request that uses it comes to its end before.
  void close(const std::string& id);
  void close_idle();
  /// How many there are, and how many of them a request uses just now.
  std::pair<std::size_t, std::size_t> counts() const;

 private:
  struct Entry {
    Entry(senet::api::Engine& engine, const std::string& name, std::uint64_t seed,
          const std::string& opened_by)
        : game(engine, name, seed), client(opened_by) {}
    Game game;
    const std::string client;  // that opened it
    Clock::time_point last_used = Clock::now();
    bool is_used = false;     // by a request
    bool is_closing = false;  // no other request may use it
  };
  Entry& find(const std::string& id);

  senet::api::Engine& engine_;
  const Options& options_;
  Counters& counters_;
  mutable std::mutex mutex_;  // guards what follows, but not a game that is used
  std::random_device system_random_;
  std::unordered_map<std::string, Entry> games_;
  std::condition_variable unused_;  // a game is no longer used
};

}  // namespace game_server
