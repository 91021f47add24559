// What carries a lane's games on.
#pragma once

#include <cstdint>

namespace senet {

/// Where a lane stands.
enum class LaneState : std::uint8_t {
  kBlocked,    // its game is to be resumed: it has not begun, or waits for something outside
  kThinks,     // its game has asked for a search
  kSearching,  // the search is under way
  kFinished,   // it has no more to play
};

/// Carries one lane's games on.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Plays until the lane thinks, is blocked or has finished, and says which. Called when a search
  /// is over, and now and then while the lane is blocked.
  virtual LaneState resume() = 0;
};

}  // namespace senet
