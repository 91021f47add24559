// What a network makes of a position without a search, in the two calls of a search.
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

/// The expected end of a game as the network sees it. One row, and on a turn of chance, if the
/// network was taught positions, one for each outcome: it has never seen a position without its
/// roll. Nor has it seen one with a forced move: it is asked about what follows.
template <Game G>
class NetworkAlone {
 public:
  /// Begins with `state`; of a finished game nothing is asked.
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

  /// As Search::gather: kWaiting when the last rows are in the batch, kDone when there are none.
  Step gather(Batch& batch) {
    is_waiting_ = false;
    const std::size_t ways = outcome_values(state_).size();
    for (; next_ < count_; ++next_) {
      // Behind the roll, if there is one, and what is forced then.
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
  /// The answers are there.
  void absorb() { is_waiting_ = false; }
  /// Whether rows are in a batch.
  bool has_leaf() const { return is_waiting_; }
  /// Gives up; rows in a batch must have been run or cleared.
  void forget() { count_ = next_ = 0, is_waiting_ = false; }

  /// Rows that the network was asked about.
  std::uint32_t evaluations() const { return evaluations_; }
  /// For the player on turn or about to roll.
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
  /// A position that the network is asked about, or a finished game.
  struct Part {
    float probability;
    Player viewer;  // of `outcomes`
    Outcomes<G> outcomes;
  };

  G state_;             // that it began with
  bool rolls_ = false;  // a part for each outcome of its dice
  std::array<Part, std::max<std::size_t>(1, kMaxChance<G>)> parts_;
  std::size_t count_ = 0, next_ = 0;  // parts, and the first that has not been asked about
  std::uint32_t evaluations_ = 0;
  bool is_waiting_ = false;
};

}  // namespace senet
