// The network's evaluation of a position without a search, with the two calls of a search.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "games/sound_moves.hpp"
#include "nn/batch.hpp"
#include "nn/evaluates.hpp"
#include "search/outcomes.hpp"
#include "search/search.hpp"

namespace senet {

/// The expected outcome of a game according to the network. Usually one row. On a chance turn, a
/// network trained on positions gets one row for each outcome of the dice, because its training had
/// no position before the roll. Nor did it have positions with a forced move, so forced moves are
/// played first.
template <Game G>
class NetworkAlone {
 public:
  /// Starts with `state`; a finished game needs no row.
  void start(const G& state, Evaluates evaluates) {
    state_ = state;
    next_ = evaluations_ = 0;
    count_ = 1;
    parts_[0].probability = 1;
    rolls_ = false;
    if constexpr (StochasticGame<G>) {
      rolls_ = state.turn() == Turn::kChance && evaluates == Evaluates::kPosition;
      if (!rolls_) return;
      std::array<float, G::kMaxChance> probabilities;
      count_ = state.chance(probabilities);
      for (std::size_t i = 0; i < count_; ++i) parts_[i].probability = probabilities[i];
    }
  }

  /// Like Search::gather: kWaiting when the last rows are in the batch, kDone when no rows are
  /// needed.
  Step gather(Batch& batch) {
    is_waiting_ = false;
    const std::size_t ways = outcome_values(state_).size();
    for (; next_ < count_; ++next_) {
      // The position after the roll, if any, and forced moves.
      G position = state_;
      if (rolls_) position.play(static_cast<Action>(next_));
      play_forced(position);
      Part& part = parts_[next_];
      if (position.turn() == Turn::kOver) {
        part.viewer = 0;
        part.outcomes = certain_end(position);
        continue;
      }
      if (batch.room() == 0) return Step::kBatchFull;
      part.viewer = position.viewer();
      part.outcomes = {};
      batch.add({std::span(part.outcomes).first(ways), {}, nullptr},
                [&](FeatureRow& row) { position.encode(row); });
      ++evaluations_;
      is_waiting_ = true;
    }
    return is_waiting_ ? Step::kWaiting : Step::kDone;
  }
  /// Call when the answers have been written.
  void absorb() { is_waiting_ = false; }
  /// Whether rows are in a batch.
  bool has_leaf() const { return is_waiting_; }
  /// Abandons the evaluation; rows in a batch must be evaluated or cleared.
  void forget() { count_ = next_ = 0, is_waiting_ = false; }

  /// Number of rows evaluated by the network.
  std::uint32_t evaluations() const { return evaluations_; }
  /// From the perspective of the player to move or to roll.
  Outcomes<G> outcomes() const {
    Outcomes<G> mean{};
    for (std::size_t i = 0; i < count_; ++i) {
      const Part& part = parts_[i];
      const Outcomes<G> seen =
          part.viewer == state_.viewer() ? part.outcomes : mirrored(state_, part.outcomes);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += part.probability * seen[k];
    }
    return mean;
  }

 private:
  /// A position to evaluate, or a finished game.
  struct Part {
    float probability;
    Player viewer;  // the perspective of `outcomes`
    Outcomes<G> outcomes;
  };

  G state_;             // the starting position
  bool rolls_ = false;  // there is a part for each outcome of the dice
  std::array<Part, std::max<std::size_t>(1, kMaxChance<G>)> parts_;
  std::size_t count_ = 0, next_ = 0;  // parts, and the next one to gather
  std::uint32_t evaluations_ = 0;
  bool is_waiting_ = false;
};

}  // namespace senet
