// One game that somebody plays here: a session of libsenet, its dice, and what has been played.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <senet/senet.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace game_server {

/// What a search may take.
struct Effort {
  std::uint32_t visits = 0;
  std::chrono::milliseconds time{0};
  float temperature = 0;  // above 0 the reply is drawn, in favour of what was looked at most
  int priority = 0;
};

/// Used by one thread at a time, but for end_search(). Throws senet::api::Error.
class Game {
 public:
  /// A new game; throws the first dice where there are any.
  Game(senet::api::Engine& engine, std::string name, std::uint64_t dice_seed);

  const std::string& name() const { return name_; }
  /// How many moves have been made, by both sides.
  std::size_t ply() const { return plies_; }
  bool is_over() const { return resigned_by_.has_value() || session_.turn() == SENET_OVER; }

  /// Plays a move that is told as libsenet writes it, then throws dice where the game wants them.
  void play(std::string_view move);
  /// Searches and plays what was found. What it found, as analyse() tells it.
  nlohmann::json reply(const Effort& effort);
  /// What a search finds: {"player","visits","value","outcomes","candidates",...}.
  nlohmann::json analyse(const Effort& effort);
  void resign(std::uint32_t player) { resigned_by_ = player; }

  /// Ends the search under way, and each that begins from now on, with what it has. By any thread.
  void end_search();

  /// All there is to know, but the last search.
  nlohmann::json state() const;

 private:
  struct Turn {
    std::uint32_t player;
    std::string dice, move;
  };
  senet::api::Found search(const Effort& effort);
  nlohmann::json found_json(const senet::api::Found& found) const;
  void play(senet_action action, std::string text);
  void throw_dice();

  const std::string name_;
  senet::api::Session session_;
  std::atomic<bool> ends_searches_{false};
  std::mt19937_64 dice_;
  std::size_t plies_ = 0;
  std::vector<Turn> history_;  // the last kHistory
  std::optional<std::uint32_t> resigned_by_;
};

}  // namespace game_server
