// All open games, found by their ids. One request at a time uses a game; idle games are closed.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "game.hpp"
#include "http.hpp"
#include "limits.hpp"

namespace game_server {

/// May be used by any thread. Functions throw Refusal 404 if no game has the id.
class Games {
 public:
  Games(senet::api::Engine& engine, const Options& options, Counters& counters)
      : engine_(engine), options_(options), counters_(counters) {}

  /// Opens a game and returns its id. Throws Refusal 503 if the server has too many games, 429 if
  /// this client has too many.
  std::string open(const std::string& name, const std::string& position,
                   const std::string& client) {
    const std::lock_guard lock(mutex_);
    require(games_.size() < options_.games, 503, "all ", options_.games,
            " games are in use: try again later");
    const auto of_client = static_cast<std::size_t>(std::ranges::count_if(
        games_, [&](const auto& entry) { return entry.second.client == client; }));
    require(of_client < options_.client_games, 429, "you have ", of_client,
            " games open: close one of them");
    // The id is 128 random bits from the system, because every client that knows an id may play.
    std::string id;
    for (std::uint32_t bits = 0; id.size() < 32; bits >>= 4) {
      if (id.size() % 8 == 0) bits = system_random_();
      id.push_back("0123456789abcdef"[bits & 15]);
    }
    const std::uint64_t seed = options_.dice_seed
                                   ? *options_.dice_seed + counters_.games_opened
                                   : std::uint64_t{system_random_()} << 32 | system_random_();
    games_.try_emplace(id, engine_, name, position, seed, client);
    ++counters_.games_opened;
    return id;
  }

  /// Runs `action` on the game and returns its result. Throws Refusal 409 if another request is
  /// using the game.
  template <class Action>
  auto use(const std::string& id, const Action& action) {
    std::unique_lock lock(mutex_);
    Entry& entry = find(id);
    const std::unique_lock in_use(entry.in_use, std::try_to_lock);
    require(in_use.owns_lock(), 409, "this game is busy with another request");
    lock.unlock();
    const auto touch = [](Entry* used) { used->last_used = Clock::now(); };
    const std::unique_ptr<Entry, decltype(touch)> used(&entry, touch);
    return action(entry.game);
  }

  /// Stops a search of the game, waits until the request that uses the game has finished, then
  /// closes the game.
  void close(const std::string& id) {
    std::unique_lock lock(mutex_);
    Entry& entry = find(id);
    entry.is_closing = true;
    entry.game.end_search();
    lock.unlock();
    entry.in_use.lock();
    entry.in_use.unlock();  // no new request can use the game
    lock.lock();
    games_.erase(id);
  }

  void close_idle() {
    const std::lock_guard lock(mutex_);
    const auto latest = Clock::now() - std::chrono::seconds(options_.idle_seconds);
    counters_.games_timed_out += std::erase_if(games_, [&](const auto& entry) {
      const Entry& game = entry.second;
      return !game.is_closing && !game.is_used() && game.last_used <= latest;
    });
  }

  /// The numbers of open games and of games that a request is using now.
  std::pair<std::size_t, std::size_t> counts() {
    const std::lock_guard lock(mutex_);
    return {games_.size(), std::ranges::count_if(
                               games_, [](const auto& entry) { return entry.second.is_used(); })};
  }

 private:
  struct Entry {
    Entry(senet::api::Engine& engine, const std::string& name, const std::string& position,
          std::uint64_t seed, const std::string& opened_by)
        : game(engine, name, position, seed), client(opened_by) {}
    Game game;
    const std::string client;  // that opened it
    Clock::time_point last_used = Clock::now();
    mutable std::mutex in_use;  // held by a request
    bool is_closing = false;    // new requests may not use it

    /// Call only while no request can begin to use the game.
    bool is_used() const { return !std::unique_lock(in_use, std::try_to_lock).owns_lock(); }
  };

  Entry& find(const std::string& id) {
    const auto found = games_.find(id);
    require(found != games_.end() && !found->second.is_closing, 404,
            "there is no game with this id: it was closed or was idle for too long");
    return found->second;
  }

  senet::api::Engine& engine_;
  const Options& options_;
  Counters& counters_;
  // Guards the members below, but not a game that is in use. Sessions are opened and closed under
  // it, so that a free place always has its memory available.
  std::mutex mutex_;
  std::random_device system_random_;
  std::unordered_map<std::string, Entry> games_;
};

}  // namespace game_server
