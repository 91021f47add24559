// Positions of a run's own games that its search misjudged: starts of other games.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace senet {

/// Keeps the hardest positions that were offered, and gives each away once, the hardest first: a
/// position that is still hard comes back with the game that begins there. Any thread may call.
class HardPositions {
 public:
  explicit HardPositions(std::size_t room = 4096) : room_(room) {}

  /// Whether offer() would keep a position this hard.
  bool wants(float hardness) const {
    const std::lock_guard lock(mutex_);
    if (hardness <= 0) return false;
    return positions_.size() < room_ || hardness >= positions_.begin()->first;
  }
  /// `hardness`: by how much the search misjudged it, above 0. The position as its game writes it.
  /// Takes the place of the oldest of the least hard ones.
  void offer(float hardness, std::string position) {
    const std::lock_guard lock(mutex_);
    positions_.emplace(hardness, std::move(position));
    if (positions_.size() > room_) positions_.erase(positions_.begin());
  }
  /// Of equally hard ones the newest; none if all have been given away.
  std::optional<std::string> take() {
    const std::lock_guard lock(mutex_);
    if (positions_.empty()) return std::nullopt;
    const auto hardest = std::prev(positions_.end());
    std::optional position = std::move(hardest->second);
    positions_.erase(hardest);
    return position;
  }

 private:
  const std::size_t room_;
  mutable std::mutex mutex_;
  std::multimap<float, std::string> positions_;  // by hardness, then by age
};

}  // namespace senet
