// Finds out that a part of a run is stuck: a worker in an endless loop, a trainer whose device does
// not answer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace senet {

/// Watches the parts of a run by numbers that change while they make progress.
class StallWatch {
 public:
  struct Part {
    bool is_running;        // a part that has not begun or has ended is not stuck
    std::uint64_t counted;  // changes while it makes progress
  };

  /// The longest time for which a running part has made no progress. `seconds`: the time now; each
  /// call has the same parts.
  double look(double seconds, std::span<const Part> parts) {
    seen_.resize(parts.size(), {0, seconds});
    double longest = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Seen& seen = seen_[i];
      if (!parts[i].is_running || parts[i].counted != seen.counted) {
        seen = {parts[i].counted, seconds};
      }
      longest = std::max(longest, seconds - seen.at);
    }
    return longest;
  }

 private:
  struct Seen {
    std::uint64_t counted;
    double at;  // when it last made progress
  };
  std::vector<Seen> seen_;
};

}  // namespace senet
