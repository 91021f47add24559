// What a network makes of a position without a search, in the two calls of a search.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

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
    viewer_ = state.viewer();
    count_ = next_ = 0;
    rolls_ = false;
    if constexpr (StochasticGame<G>) {
      rolls_ = state.turn() == Turn::kChance && evaluates == Evaluates::kPosition;
      if (rolls_) {
        std::array<float, G::kMaxChance> probabilities;
        const std::size_t outcomes = state.chance(probabilities);
        for (std::size_t i = 0; i < outcomes; ++i) add(probabilities[i]);
        return;
      }
    }
    add(1);
  }

  /// As Search::gather: kWaiting when the last rows are in the batch, kDone when there are none.
  Step gather(Batch& batch) {
    bool asks = false;
    const std::size_t ways = outcome_values(state_).size();
    for (; next_ < count_; ++next_) {
      Part& part = parts_[next_];
      if (part.is_over) continue;
      if (batch.room() == 0) return Step::kBatchFull;
      batch.add({std::span(part.outcomes).first(ways), {}, nullptr},
                [&](FeatureRow& row) { position(next_).encode(row); });
      is_waiting_ = asks = true;
    }
    is_waiting_ = asks;
    return asks ? Step::kWaiting : Step::kDone;
  }
  /// The answers are there.
  void absorb() { is_waiting_ = false; }
  /// Whether rows are in a batch.
  bool has_leaf() const { return is_waiting_; }
  /// Gives up; rows in a batch must have been run or cleared.
  void forget() { count_ = next_ = 0, is_waiting_ = false; }

  /// Rows that the network was asked about.
  std::uint32_t evaluations() const {
    return static_cast<std::uint32_t>(
        std::count_if(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(count_),
                      [](const Part& part) { return !part.is_over; }));
  }
  /// For the player on turn or about to roll.
  Outcomes<G> outcomes() const {
    Outcomes<G> mean{};
    for (std::size_t i = 0; i < count_; ++i) {
      const Part& part = parts_[i];
      const Outcomes<G> seen =
          part.viewer == viewer_ ? part.outcomes : mirrored(state_, part.outcomes);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += part.probability * seen[k];
    }
    return mean;
  }

 private:
  /// A position that the network is asked about, or a finished game.
  struct Part {
    float probability;
    Player viewer;  // of `outcomes`
    bool is_over;
    Outcomes<G> outcomes;
  };

  /// Where part `number` stands: behind its roll, if there is one, and what is forced then.
  G position(std::size_t number) const {
    G state = state_;
    if (rolls_) state.play(static_cast<Action>(number));
    play_forced(state);
    return state;
  }
  void add(float probability) {
    const G state = position(count_);
    Part& part = parts_[count_++];
    part = {probability, 0, state.turn() == Turn::kOver, {}};
    if (part.is_over) {
      part.outcomes = certain_end(state);
    } else {
      part.viewer = state.viewer();
    }
  }

  G state_;             // that it began with
  bool rolls_ = false;  // a part for each outcome of its dice
  std::array<Part, std::max<std::size_t>(1, kMaxChance<G>)> parts_;
  std::size_t count_ = 0, next_ = 0;  // parts, and the first that has not been asked about
  bool is_waiting_ = false;
  Player viewer_ = 0;
};

}  // namespace senet
