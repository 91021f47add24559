// The results of a search of one position: the move to play, the statistics of all moves, and the
// expected continuation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "games/random.hpp"
#include "games/sound_moves.hpp"
#include "nn/levels.hpp"
#include "search/outcomes.hpp"
#include "search/rule.hpp"
#include "search/tree.hpp"

namespace senet {

template <Game G>
struct SearchScratch;

/// One legal action of the root. Values are for the player to move there. An action that is not
/// sound (games/sound_moves.hpp) has no visits and no prior; if forced replies end the game, its
/// value is the result.
struct Choice {
  Action action;
  std::uint32_t visits;
  std::uint32_t target;  // weight in the policy target, set by the search's rule
  float prior;           // the network's at settings.policy_temperature, without noise
  float value;           // mean value; unvisited: the afterstate's own value or the root's
};

/// The result of a search. Valid until the search starts again.
template <Game G>
struct Decision {
  // All legal actions, or those of the budget: the best, then by proof, visits and prior, unsound
  // ones last.
  std::span<const Choice> choices;
  Outcomes<G> outcomes;       // expected for the player to move, mean of the evaluated leaves
  float value;                // root value for the player to move
  std::uint32_t visits;       // of the root, including kept visits
  std::uint32_t evaluations;  // network rows of this search
  std::uint32_t depth;        // the longest descent, in unforced moves
  bool proven;                // the root's value is exact
  bool full;                  // ended early because the tree was full

  Action best() const { return choices.front().action; }
};

/// Draws a choice with probability proportional to worth(choice)^(1 / temperature), where a worth
/// is 0 or more and the temperature above 0. Returns the best if no choice has any worth. Allocates
/// nothing.
template <Game G, class Worth>
Action draw_by(const Decision<G>& decision, float temperature, Random draw, Worth&& worth) {
  float most = 0;
  for (const Choice& choice : decision.choices) most = std::max(most, worth(choice));
  if (!(most > 0)) return decision.best();
  const float exponent = 1.0f / temperature;
  const std::size_t chosen = draw.pick(decision.choices.size(), [&](std::size_t i) {
    return std::pow(worth(decision.choices[i]) / most, exponent);
  });
  return decision.choices[chosen].action;
}

/// Draws a choice by its target. Returns the best one if the temperature is 0, or if the result is
/// proven and must not be put at risk. Allocates nothing.
template <Game G>
Action draw_choice(const Decision<G>& decision, float temperature, Random draw) {
  if (!(temperature > 0) || decision.proven) return decision.best();
  return draw_by(decision, temperature, draw,
                 [](const Choice& choice) { return static_cast<float>(choice.target); });
}

/// Draws a move for play at this level by the sum of its visits and its prior: a search of one
/// visit draws from the network's policy. A move that the search knows to lose more than
/// level.most_loss, compared to the best, is never drawn; nor is one that is not sound. Returns the
/// best if the temperature is 0 or the result is proven. Allocates nothing.
template <Game G>
Action draw_at_level(const Decision<G>& decision, const Level& level, Random draw) {
  if (!(level.temperature > 0) || decision.proven) return decision.best();
  const float best = decision.choices.front().value;
  return draw_by(decision, level.temperature, draw, [&](const Choice& choice) {
    // Where the network values positions, a move without visits has the root's value, unless the
    // search has proven a worse one.
    const bool is_known = choice.visits > 0 || choice.value != decision.value;
    if (is_known && best - choice.value > level.most_loss) return 0.0f;
    return static_cast<float>(choice.visits) + choice.prior;
  });
}

/// The proof status of a root edge. All edges proven to be as good as the root are kBest.
template <class AnyTree>
Proof proof_of(const AnyTree& tree, const Node& root, std::uint32_t edge) {
  const Bounds known = bounds_of(root), bounds = tree.edge_bounds(root, edge);
  const auto [lost, won] = tree.unknown_bounds();
  if (known.proven() && bounds.lower == known.lower) return Proof::kBest;
  const bool worse = bounds.upper < known.lower || (bounds.upper == lost && known.upper > lost);
  return worse ? Proof::kWorse : Proof::kOpen;
}

/// The value of a legal move of `root` that is not sound, for the player to move there: the result
/// if forced replies end the game, else `value`, which is the root's, as for an edge without
/// visits.
template <Game G>
float unsound_value(const G& root, float value, Action action) {
  G after = root;
  after.play(action);
  play_forced(after);
  return after.turn() == Turn::kOver ? final_value(after, perspective(root.turn())) : value;
}

/// Appends the legal moves of `root` that are not sound to the `count` choices that are. Returns
/// the number of all.
template <Game G>
std::size_t list_unsound(const G& root, float value, std::span<Choice> choices, std::size_t count) {
  if constexpr (SoundMovesGame<G>) {
    if (!is_decision(root.turn()) || count == 0 || !has_sound_moves(root)) return count;
    ActionList<G::kMaxLegal> legal;
    root.legal(legal);
    const std::size_t sound = count;
    for (const Action action : legal) {
      if (count == choices.size()) break;  // a host's game has sound moves that are not legal
      const auto listed = choices.first(sound);
      if (std::ranges::find(listed, action, &Choice::action) != listed.end()) continue;
      choices[count++] = {.action = action,
                          .visits = 0,
                          .target = 0,
                          .prior = 0,
                          .value = unsound_value(root, value, action)};
    }
  }
  return count;
}

/// The actions that were searched: the move to play first. Valid until the scratch is used again.
template <class AnyTree, class Rule, Game G>
std::span<const Choice> list_choices(AnyTree& tree, NodeId root_id, Rule& rule,
                                     SearchScratch<G>& scratch) {
  const Node& root = tree[root_id];
  const std::uint32_t edges = root.edges;
  const bool is_players = is_decision(turn_of(root));
  ColdEdge* const cold = tree.cold(root);
  if (!(root.flags & kValuedEdges)) {  // unopened edges are unsorted
    std::sort(cold + root.opened, cold + edges,
              [](const ColdEdge& a, const ColdEdge& b) { return a.rank() > b.rank(); });
  }
  const std::span<Proof> proofs(scratch.proofs.data(), edges);
  const std::span<std::uint32_t> targets(scratch.targets.data(), edges);
  const std::span<std::uint16_t> order(scratch.order.data(), edges);
  for (std::uint32_t i = 0; i < edges; ++i) {
    proofs[i] = proof_of(tree, root, i);
    targets[i] = 0;
  }
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  std::sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
    if (proofs[a] != proofs[b]) return proofs[a] < proofs[b];
    const std::uint32_t visits_a = tree.edge_visits(root, a), visits_b = tree.edge_visits(root, b);
    return visits_a != visits_b ? visits_a > visits_b : a < b;
  });
  if (is_players) rule.decide(tree, root, proofs, order, targets);

  auto& choices = scratch.choices;
  const Proof last_counted = proven(root) ? Proof::kBest : Proof::kOpen;
  for (std::uint32_t i = 0; i < edges; ++i) {
    const std::uint16_t edge = order[i];
    const bool counts = proofs[edge] <= last_counted;
    choices[i] = {.action = cold[edge].action,
                  .visits = counts ? tree.edge_visits(root, edge) : 0,
                  .target = counts ? targets[edge] : 0,
                  .prior = unpack_share(cold[edge].prior),
                  .value = tree.edge_value(root, edge)};
  }
  return {choices.data(), edges};
}

/// Maximum number of moves of a line.
inline constexpr std::size_t kLongestVariation = 64;

/// `first`, a legal action of the root, and the expected moves after it: proven results before
/// visits, including forced replies, up to a chance turn, the end of the game or an unvisited
/// position. Call only while no visit is in progress.
template <class AnySearch>
ActionList<kLongestVariation> principal_variation(const AnySearch& search, Action first) {
  ActionList<kLongestVariation> line;
  auto state = search.position();
  const auto play = [&](Action action) {
    const auto note = [&](Action played) {
      if (line.size() < kLongestVariation) line.push_back(played);
    };
    note(action);
    state.play(action);
    play_forced(state, note);
  };
  play(first);
  const auto& tree = search.tree();
  if (tree.size() == 0) return line;
  const Node& root = tree[search.root()];
  NodeId id = tree.edge_child(root, tree.edge_of(root, first));
  while (id != kNoNode && line.size() < kLongestVariation) {
    const Node& node = tree[id];
    if (!is_decision(turn_of(node)) || node.opened == 0) break;
    const HotEdges edges = tree.hot(node);
    // In a proven node only moves that reach its value count.
    const auto merit = [&](std::uint32_t edge) {
      const Bounds bounds = tree.edge_bounds(node, edge);
      const bool reaches = bounds.proven() && bounds.lower == bounds_of(node).lower;
      return std::pair(proven(node) && reaches, std::int32_t{edges.n(edge)});
    };
    std::uint32_t best = 0;
    for (std::uint32_t edge = 1; edge < node.opened; ++edge) {
      if (merit(edge) > merit(best)) best = edge;
    }
    if (edges.n(best) == 0) break;
    play(tree.cold(node)[best].action);
    id = edges.child(best);
  }
  return line;
}

}  // namespace senet
