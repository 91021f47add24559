// Drives one search with one evaluator.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "games/any_game.hpp"
#include "nn/evaluator.hpp"
#include "search/network_alone.hpp"
#include "search/search.hpp"

namespace senet {

/// For searches without noise at the root.
inline const Random kNoNoise(0, 0, 0, Purpose::kNoise);

/// The hash evaluator for G: deterministic answers that depend on a row's features only.
template <Game G>
std::unique_ptr<Evaluator> hash_evaluator(std::size_t rows) {
  NetworkSpec spec = reference_spec(AnyGame::rules_of<G>());
  spec.outcomes = kOutcomes<G>;
  spec.width = 8;
  spec.blocks = 0;
  const Weights weights(initial_network(spec, 1));
  return std::move(*make_evaluator(EvaluatorKind::kHash, weights, rows));
}

/// What the network alone expects of positions that share a batch with this capacity.
template <Game G>
std::vector<Outcomes<G>> expected_alone(std::span<const G> states, Evaluates evaluates,
                                        Evaluator& evaluator, std::size_t rows,
                                        const Tablebase<G>& tablebase = {}) {
  Batch batch(rows, row_size(states.front()));
  NetworkAlone<G> alone(states.front(), evaluates, evaluator, batch, tablebase);
  std::vector<Outcomes<G>> expected(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) alone.add(states[i], expected[i]);
  alone.finish();
  return expected;
}
template <Game G>
Outcomes<G> expected_alone(const G& state, Evaluates evaluates, Evaluator& evaluator,
                           const Tablebase<G>& tablebase = {}) {
  return expected_alone(std::span(&state, 1), evaluates, evaluator, 1, tablebase).front();
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
