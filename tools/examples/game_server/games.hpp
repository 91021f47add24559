// All games that are being played: found by their ids, used by one request at a time, closed when
// nobody has asked for them for long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <senet/senet.hpp>
#include <string>
#include <unordered_map>

#include "counters.hpp"
#include "game.hpp"

namespace game_server {

struct GamesSettings {
  std::size_t most = 100;                     // at once
  std::size_t most_of_client = 20;            // opened by one client
  std::chrono::milliseconds idle{1'800'000};  // a game that nobody asks for is closed after it
  std::optional<std::uint64_t> dice_seed;     // the same dice each time; none: from the system
};

class Games {
  struct Entry {
    std::unique_ptr<Game> game;
    std::string client;  // who opened it
    std::chrono::steady_clock::time_point last_used;
    bool is_used = false;     // by a request
    bool is_closing = false;  // that request is the last
  };

 public:
  /// A game that nobody else uses until this is gone. Before its Games.
  class Use {
   public:
    Use(Games& games, std::string id, Game& game)
        : games_(&games), id_(std::move(id)), game_(&game) {}
    Use(Use&& other) noexcept
        : games_(std::exchange(other.games_, nullptr)),
          id_(std::move(other.id_)),
          game_(other.game_) {}
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (games_ != nullptr) games_->give_back(id_);
    }
    const std::string& id() const { return id_; }
    Game& operator*() const { return *game_; }
    Game* operator->() const { return game_; }

   private:
    Games* games_;
    std::string id_;
    Game* game_;
  };

  Games(senet::api::Engine& engine, const GamesSettings& settings, Counters& counters);

  /// A new game. Throws Refusal 503 when all places are taken, 429 when this client has too many.
  Use open(const std::string& name, const std::string& client);
  /// Throws Refusal 404 when there is none, 409 when another request uses it.
  Use take(const std::string& id);
  /// Throws Refusal 404 when there is none. A search of it ends with what it has, and the request
  /// that uses it is answered before.
  void close(const std::string& id);
  /// Closes what has been idle for too long.
  void close_idle();
  std::size_t count() const;
  /// How many of them a request uses just now.
  std::size_t busy() const;

 private:
  std::string new_id();
  void check_place(const std::string& client) const;
  void give_back(const std::string& id);

  senet::api::Engine& engine_;
  const GamesSettings settings_;
  Counters& counters_;
  mutable std::mutex mutex_;  // guards what follows
  std::random_device system_random_;
  std::uint64_t opened_ = 0;
  std::unordered_map<std::string, Entry> games_;
  std::condition_variable gone_;  // some game is no longer in games_
};

}  // namespace game_server
