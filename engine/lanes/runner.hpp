// The interface through which a worker runs a lane's games.
#pragma once

#include <cstdint>

namespace senet {

/// The state of a lane.
enum class LaneState : std::uint8_t {
  kBlocked,      // resume its game: it has not begun, its search has ended, or it waits
  kWantsSearch,  // its game has requested a search
  kSearching,    // the search is running
  kFinished,     // it has no more games to play
};

/// Plays one lane's games.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Plays until the lane has requested a search, is blocked or has finished, and returns which.
  /// Called when a search has ended, and repeatedly while the lane is blocked.
  virtual LaneState resume() = 0;
};

}  // namespace senet
