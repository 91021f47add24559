// What a search requires of its driver next.
#pragma once

#include <cstdint>

namespace senet {

/// The next step that gather() requires from the caller.
enum class Step : std::uint8_t {
  kWaiting,    // rows of this search are in the batch: evaluate it, then call absorb()
  kBatchFull,  // no room for all rows: evaluate and clear the batch, then call gather() again
  kBlocked,    // no more leaves before the answers to those in flight: call absorb() first
  kPaused,     // made kPause visits without a row, or expanded its leaves: call gather() again
  kDone,       // the budget is spent: read decision()
};

/// A search pauses after this many visits without a row, so that its driver can check the clock.
inline constexpr std::uint32_t kPause = 64;

}  // namespace senet
