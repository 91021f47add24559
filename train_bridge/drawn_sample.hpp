// How a replay and a trainer that keeps its samples speak of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace senet {

/// A sample as it was drawn for a step: its place in the replay's ring, and whether its mirror
/// image is meant.
struct DrawnSample {
  std::uint32_t place;
  bool mirrored;

  bool operator==(const DrawnSample&) const = default;
};

/// The samples that a replay holds: places of its ring, and images of each sample (2 in a game with
/// mirror images, else 1).
struct ReplayRoom {
  std::size_t places = 0;
  std::size_t images = 1;
};

}  // namespace senet
