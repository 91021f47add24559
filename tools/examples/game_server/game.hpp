// One game that is played here: a session of libsenet, its dice, and what has been played.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <senet/senet.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace game_server {

/// Used by one thread at a time, but for end_search(). Throws senet::api::Error.
class Game {
 public:
  /// A new game, with the first dice thrown where there are any.
  Game(senet::api::Engine& engine, std::string name, std::uint64_t dice_seed)
      : name_(std::move(name)), session_(engine.open_session(name_)), dice_(dice_seed) {
    throw_dice();
  }

  /// How many moves have been made, by both sides.
  std::size_t ply() const { return plies_; }
  bool is_over() const { return resigned_by_.has_value() || session_.turn() == SENET_OVER; }

  senet_action read_action(std::string_view text) const { return session_.read_action(text); }
  std::string action_text(senet_action action) const { return session_.action_text(action); }
  /// Plays a move, then throws dice where the game wants them.
  void play(senet_action action);
  void resign(std::uint32_t player) { resigned_by_ = player; }

  senet::api::Found search(const senet::api::Limits& limits);
  /// Ends the search under way, and each that begins from now on, with what it has. By any thread.
  void end_search();

  /// What a search of this position found: {"player","visits","value","outcomes","candidates",...}.
  nlohmann::json found_json(const senet::api::Found& found) const;
  /// All there is to know, but the id and the last search.
  nlohmann::json state() const;

 private:
  struct Turn {
    std::uint32_t player;
    std::string dice, move;
  };
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
