// The rule of a search as a type: which edges to explore, which move to play, and the training
// target. search/puct.hpp is the default.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "games/random.hpp"
#include "search/node.hpp"
#include "search/settings.hpp"

namespace senet {

/// The proven value of a root edge compared with the root's. Edges proven to be worse are neither
/// played nor used as training targets, regardless of the rule.
enum class Proof : std::uint8_t { kBest, kOpen, kWorse };

/// The rule of a search in an `AnyTree`. A search keeps a copy of its rule. Rules allocate nothing.
///
///   open_root(tree, root, budget, random, memory)
///       called once per search when the root, a player's turn, has its edges. `random` is the
///       generator passed to the search, `memory` [root.edges] f32 is free to use
///   select(tree, node, depth)
///       returns the edge to take at an evaluated node where a player is to move, `depth` edges
///       below the root: an opened one, below node.opened, or node.opened to open the next in the
///       tree's order, if that is less than node.edges. p of an opened edge is 0 if more visits
///       cannot change anything
///   decide(tree, root, proofs, order, targets)
///       called when a search of a player's turn has ended; spans are [root.edges]. proofs[e] is
///       the proof status of edge e. `order` contains the edges by proof, visits and index, and
///       becomes the order of the choices, the move to play first; targets[e] becomes the weight of
///       edge e in the policy target that self-play records
///
/// Values of a node and its edges are for the player to move there; see search/node.hpp,
/// search/hot_edges.hpp and Tree::edge_visits(), edge_value() and edge_bounds().
template <class Rule, class AnyTree>
concept SearchRule = requires(Rule& rule, AnyTree& tree, const AnyTree& grown, Node& root,
                              const SearchBudget& budget, Random& random, std::span<float> memory,
                              std::span<const Proof> proofs, std::span<std::uint16_t> order,
                              std::span<std::uint32_t> targets) {
  { rule.open_root(tree, root, budget, random, memory) } -> std::same_as<void>;
  { rule.select(grown, root, std::uint32_t{}) } -> std::same_as<std::uint32_t>;
  { rule.decide(grown, root, proofs, order, targets) } -> std::same_as<void>;
};

/// Whether a rule's select() depends on the node alone, not on the depth or on earlier calls. Such
/// a rule has a constant of this name. Searches select a node's next edge when they update the
/// node.
template <class Rule>
inline constexpr bool kSelectsByNode = requires {
  requires Rule::kSelectsByNode;
};

}  // namespace senet
