// How hard the scrambles are that self-play games start from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "selfplay/start_settings.hpp"

namespace senet {

/// Counts solved games; raises the moves of the scrambles by one when enough of them were solved.
/// Games that begin before a raise and end after it count as later ones: they are few.
class Curriculum {
 public:
  /// Continues at scrambles of `moves` moves; 0: at the beginning.
  Curriculum(const StartSettings& settings, std::uint32_t moves)
      : settings_(settings), moves_(std::clamp(moves, 1u, settings.scramble_moves)) {}

  bool is_on() const { return settings_.curriculum > 0; }
  /// Most moves of a scramble.
  std::uint32_t moves() const { return is_on() ? moves_ : settings_.scramble_moves; }
  /// Share of solved games among the last ones, since the last raise; NaN before the first.
  float solved_share() const { return share_; }

  void note(bool is_solved) {
    constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
    ++games_;
    solved_ += is_solved ? 1 : 0;
    // Two counters of half the games each, in turn: a mean over the last half to whole of them.
    const std::uint32_t half = std::max(settings_.curriculum_games / 2, 1u);
    if (games_ < half) return;
    const float all = static_cast<float>(games_ + before_games_);
    share_ = static_cast<float>(solved_ + before_solved_) / all;
    const bool is_whole = before_games_ > 0;
    before_games_ = games_;
    before_solved_ = solved_;
    games_ = solved_ = 0;
    if (!is_on() || !is_whole || share_ < settings_.curriculum) return;
    if (moves_ == settings_.scramble_moves) return;
    ++moves_;
    before_games_ = before_solved_ = 0;
    share_ = kUnknown;
  }

 private:
  const StartSettings settings_;
  std::uint32_t moves_;
  std::uint32_t games_ = 0, solved_ = 0;                // since the last look
  std::uint32_t before_games_ = 0, before_solved_ = 0;  // before it
  float share_ = std::numeric_limits<float>::quiet_NaN();
};

}  // namespace senet
