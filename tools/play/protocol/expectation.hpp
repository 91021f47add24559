// What a network expects of a position, for the protocol's eval.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "games/any_game.hpp"
#include "search/network_alone.hpp"

namespace senet {

/// The value and the probability of each way to end, for the player to move or to roll.
struct Expectation {
  float value;
  std::vector<float> outcomes;
};

/// The table (games/registry.hpp) of network_alone().
struct NetworkAlone {
  /// The evaluator takes at least one row. `tablebase`: of TablebaseFile; may be empty.
  Expectation (*expects)(const AnyState& position, Evaluates evaluates, Evaluator& evaluator,
                         std::span<const std::byte> tablebase);

  template <Game G>
  static constexpr NetworkAlone of() {
    return {[](const AnyState& position, Evaluates evaluates, Evaluator& evaluator,
               std::span<const std::byte> tablebase) -> Expectation {
      const G& state = position.as<G>();
      const Outcomes<G> outcomes =
          network_alone(state, evaluates, evaluator, Tablebase<G>(tablebase));
      return {mean_value(state, outcomes), {outcomes.begin(), outcomes.end()}};
    }};
  }
};

}  // namespace senet
