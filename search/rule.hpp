// What decides in a search, as a type: which edges are looked at, which move is played, what is
// learnt. search/puct.hpp is the one that everything uses.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "games/random.hpp"
#include "search/node.hpp"
#include "search/settings.hpp"

namespace senet {

/// The edge that a descent takes.
struct Selection {
  std::uint32_t edge;
  bool opens;  // the edge is the first unopened one: its number is the node's `opened`
};

/// What is proven about an edge of the root, against what is proven about the root. An edge that is
/// proven to be worse is neither played nor learnt, whatever the rule says.
enum class Proof : std::uint8_t { kBest, kOpen, kWorse };

/// The rule of a search in an `AnyTree`. A search keeps one and copies what it was made from;
/// nothing in here allocates.
///
///   open_root(tree, root, budget, random, memory)
///       once a search, when the root, which is a player's turn, has its edges. `random` are the
///       numbers that the search was started with, `memory` [root.edges] f32 is free to use
///   select(tree, node, depth)
///       the edge to take at an evaluated node where a player is to move, `depth` edges below the
///       root. Edges are opened in the tree's order: the next is number node.opened, if that is
///       less than node.edges. p of an opened edge is 0 once nothing is left to learn behind it
///   decide(tree, root, proofs, order, targets)
///       when a search of a player's turn has ended: [root.edges] each. proofs[e] is known of edge
///       e. `order` holds the edges by proofs, visits and number, and becomes the order of the
///       choices, the move to play first; targets[e] becomes the weight of edge e in the policy
///       target that self-play records
///
/// Values of a node and its edges are those of the player to move there; see search/node.hpp,
/// search/hot_edges.hpp and Tree::edge_visits(), edge_value() and edge_bounds().
template <class Rule, class AnyTree>
concept SearchRule = requires(Rule& rule, AnyTree& tree, const AnyTree& grown, Node& root,
                              const SearchBudget& budget, Random& random, std::span<float> memory,
                              std::span<const Proof> proofs, std::span<std::uint16_t> order,
                              std::span<std::uint32_t> targets) {
  { rule.open_root(tree, root, budget, random, memory) } -> std::same_as<void>;
  { rule.select(grown, root, std::uint32_t{}) } -> std::same_as<Selection>;
  { rule.decide(grown, root, proofs, order, targets) } -> std::same_as<void>;
};

}  // namespace senet
