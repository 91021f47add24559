// Which games of a log have been seen, to find games that occur twice or not at all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace senet {

/// A set of game numbers, kept as ranges. Lanes begin games in the order of their numbers and hand
/// them in when they end, so the ranges are few: the first, with all games up to the oldest one in
/// play, and some above it. Numbers that never come (games that were in play when a run was killed)
/// leave a gap each. With more than kMostRanges the lowest gap is closed: its numbers, long
/// overdue, count as seen. At most a few MiB.
class SeenGames {
 public:
  static constexpr std::size_t kMostRanges = std::size_t{1} << 16;

  /// Adds a number (at most GameRecord::kMaxGameNumber). Returns false if it was seen before.
  bool add(std::uint64_t number) { return add(number, number + 1) == 1; }

  /// Adds the numbers [first, end), at least one. Returns how many of them were not seen before.
  std::uint64_t add(std::uint64_t first, std::uint64_t end) {
    std::uint64_t fresh = end - first;
    auto at = ranges_.upper_bound(first);
    const auto before = at == ranges_.begin() ? ranges_.end() : std::prev(at);
    const bool joins_before = before != ranges_.end() && before->second >= first;
    if (joins_before) fresh -= std::min(end, before->second) - first;
    std::uint64_t last = joins_before ? std::max(end, before->second) : end;
    while (at != ranges_.end() && at->first <= last) {  // ranges that overlap or follow at once
      if (at->first < end) fresh -= std::min(end, at->second) - at->first;
      last = std::max(last, at->second);
      at = ranges_.erase(at);
    }
    if (joins_before) {
      before->second = last;
    } else {
      ranges_.emplace_hint(at, first, last);
    }
    count_ += fresh;
    if (ranges_.size() > kMostRanges) {
      const auto lowest = ranges_.begin(), next = std::next(lowest);
      lowest->second = next->second;
      ranges_.erase(next);
    }
    return fresh;
  }

  bool contains(std::uint64_t number) const { return first_unseen(number) != number; }
  /// The lowest number from `begin` on that was not added.
  std::uint64_t first_unseen(std::uint64_t begin) const {
    const auto after = ranges_.upper_bound(begin);
    return after == ranges_.begin() ? begin : std::max(begin, std::prev(after)->second);
  }
  /// The lowest numbers in [begin, end) that were not added: at most `most` of them.
  std::vector<std::uint64_t> unseen(std::uint64_t begin, std::uint64_t end,
                                    std::size_t most = kMostRanges) const {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t next = first_unseen(begin); next < end && numbers.size() < most;
         next = first_unseen(next + 1)) {
      numbers.push_back(next);
    }
    return numbers;
  }

  /// The numbers seen, as ranges: first -> end.
  const std::map<std::uint64_t, std::uint64_t>& ranges() const { return ranges_; }
  /// The number after the highest; 0 if there is none.
  std::uint64_t end() const { return ranges_.empty() ? 0 : ranges_.rbegin()->second; }
  /// Different numbers added.
  std::uint64_t count() const { return count_; }
  /// Numbers between the lowest and the highest that were not added.
  std::uint64_t missing() const {
    if (ranges_.empty()) return 0;
    return end() - ranges_.begin()->first - count_;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // first number -> end
  std::uint64_t count_ = 0;
};

}  // namespace senet
