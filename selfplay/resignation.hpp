// When a player resigns, and how often that would be wrong.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "selfplay/game_record.hpp"

namespace senet {

/// Watches the values of a game's searches: a player resigns when three searches in a row valued
/// its position below -`threshold`, in points. 0: never.
class ResignationWatch {
 public:
  explicit ResignationWatch(float threshold) : threshold_(threshold) {}

  /// Notes a search of `mover`. Returns whether that player resigns now.
  bool note(Player mover, float value) {
    if (threshold_ <= 0) return false;
    bad_[mover] = value < -threshold_ ? bad_[mover] + 1 : 0;
    return bad_[mover] >= 3;
  }

 private:
  float threshold_;
  std::array<int, 2> bad_{};  // bad searches in a row of each player
};

/// Resignations of a run's games. Some games are played to their end although a player would resign
/// (PlaySettings::resign_play_through): they show how often resignation is wrong.
struct Resignations {
  std::uint64_t resigned = 0;  // games that a player resigned
  std::uint64_t tested = 0;    // games that a player would have resigned, and that were played on
  std::uint64_t wrong = 0;     // those of them which that player did not lose

  /// Counts a finished game. `outcome_values`: of the game, from player 0's perspective.
  void add(const GameRecord& game, float threshold, std::span<const float> outcome_values) {
    resigned += game.end() == EndKind::kResigned ? 1 : 0;
    if (game.end() != EndKind::kPlayed || threshold <= 0) return;
    ResignationWatch watch(threshold);
    for (const RecordedTurn& turn : game.turns()) {
      if (!turn.has_root || !watch.note(turn.player, turn.root_value)) continue;
      const float value = outcome_values[game.final_outcome()];
      ++tested;
      wrong += (turn.player == 0 ? value : -value) >= 0 ? 1 : 0;
      return;
    }
  }
};

}  // namespace senet
