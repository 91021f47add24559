// Drives one search with one evaluator.
#pragma once

#include <memory>

#include "nn/evaluator.hpp"
#include "search/search.hpp"

namespace senet {

/// For searches without noise at the root.
inline const Random kNoNoise(0, 0, 0, Purpose::kNoise);

/// The hash evaluator for G: deterministic answers that depend on a row's features only.
template <Game G>
std::unique_ptr<Evaluator> hash_evaluator(std::size_t rows) {
  NetworkSpec spec = reference_spec<G>();
  spec.width = 8;
  spec.blocks = 0;
  const Weights weights(initial_network(spec, 1));
  return std::move(*make_evaluator(EvaluatorKind::kHash, weights, rows));
}

/// The first position of the game in which a player is to move.
template <Game G>
G first_decision() {
  G state;
  while (!is_decision(state.turn())) state.play(0);
  return state;
}

/// Gathers and absorbs until the budget is spent.
template <class AnySearch>
void run_search(AnySearch& search, Evaluator& evaluator, Batch& batch) {
  while (search.gather(batch) != Step::kDone) {
    if (batch.size() > 0) evaluator.forward(batch);
    batch.clear();
    search.absorb();
  }
}

/// A hash of all choices of a decision, in their order.
template <Game G>
std::uint64_t signature(const Decision<G>& decision, std::uint64_t before = 0) {
  std::uint64_t signature = before;
  for (const Choice& choice : decision.choices) {
    signature = mix(signature ^ (choice.action + 65536ull * choice.visits));
  }
  return signature;
}

}  // namespace senet
