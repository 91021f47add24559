// The tree of one search: nodes, states and edge words, allocated once and never resized.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "nn/evaluates.hpp"
#include "search/hot_edges.hpp"
#include "search/node.hpp"
#include "search/node_table.hpp"

namespace senet {

/// The capacity of a tree.
struct TreeLimits {
  std::uint32_t nodes = 0;
  std::uint32_t words = 0;  // 4-byte words of edges

  bool operator==(const TreeLimits&) const = default;
};

/// Nodes and their states, indexed by 32-bit ids, and their edges in an arena of words. There are
/// no pointers between nodes and nothing is freed individually: clear() and move_reachable() start
/// with an empty tree. Not shared by threads. All states belong to one game.
template <Game G, NodeTable Table = EpochTable>
class Tree {
  static_assert(ends_fit_bounds<G>());

 public:
  using State = G;

  /// Bytes that a tree with these limits allocates.
  static std::size_t bytes(const TreeLimits& limits) {
    return limits.nodes * (sizeof(Node) + sizeof(std::uint64_t) + sizeof(G)) +
           limits.words * std::size_t{4} + Table::bytes(limits.nodes);
  }

  explicit Tree(const TreeLimits& limits, Heap& heap = default_heap())
      : limits_(limits),
        nodes_(limits.nodes, heap),
        keys_(limits.nodes, heap),
        states_(limits.nodes, heap),
        lines_(lines(limits), heap),
        table_(limits.nodes, heap) {
    free_blocks_.fill(kNoBlock);
  }

  const TreeLimits& limits() const { return limits_; }
  std::uint32_t size() const { return used_nodes_; }
  std::uint32_t used_words() const { return cold_words_ + kBlockWords * hot_blocks_; }
  /// Bytes that a tree of exactly this size would allocate.
  std::size_t bytes_used() const { return bytes({used_nodes_, used_words()}); }

  Node& operator[](NodeId id) { return nodes_[id]; }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  const G& state(NodeId id) const { return states_[id]; }
  std::uint64_t key(NodeId id) const { return keys_[id]; }
  /// Any state, since all belong to the same game. Requires a node.
  const G& game() const { return states_[0]; }

  /// Whether chance is to move at a node: false at compile time in a game without chance.
  static bool is_chance(const Node& node) {
    if constexpr (!StochasticGame<G>) return false;
    return turn_of(node) == Turn::kChance;
  }

  /// Whether `nodes` more nodes and `words` more words fit.
  bool fits(std::uint32_t nodes, std::uint32_t words) const {
    return used_nodes_ + nodes <= limits_.nodes && used_words() + words <= limits_.words;
  }

  NodeId find(std::uint64_t key) const { return table_.find(key, key_of()); }

  /// The node of a state's key. Adds it, unevaluated, if it is not in the tree: then it is the
  /// last. Requires fits(1, 0).
  NodeId find_or_add(const G& state, std::uint64_t key) {
    assert(fits(1, 0));
    const NodeId id = table_.find_or_insert(key, used_nodes_, key_of());
    if (id != used_nodes_) return id;
    ++used_nodes_;
    states_[id] = state;
    keys_[id] = key;
    nodes_[id] = Node{.flags = flags_for(state.turn()), .bounds = packed(unknown_bounds())};
    return id;
  }

  /// Reserves the cold block of a node. Requires fits(0, cold_words(edges, valued)).
  void add_cold(Node& node, std::uint16_t edges, bool valued) {
    node.cold = take(cold_words(edges, valued));
    node.edges = edges;
    if (valued) node.flags |= kValuedEdges;
  }
  ColdEdge* cold(const Node& node) { return reinterpret_cast<ColdEdge*>(at(node.cold)); }
  const ColdEdge* cold(const Node& node) const {
    return reinterpret_cast<const ColdEdge*>(at(node.cold));
  }
  /// Index of the edge with this action; node.edges if there is none.
  std::uint32_t edge_of(const Node& node, Action action) const {
    const ColdEdge* const edges = cold(node);
    return static_cast<std::uint32_t>(
        std::ranges::find(edges, edges + node.edges, action, &ColdEdge::action) - edges);
  }
  /// Afterstate values of a node with kValuedEdges, in the order of its cold edges.
  std::int16_t* edge_values(const Node& node) const {
    return reinterpret_cast<std::int16_t*>(at(node.cold + node.edges));
  }

  HotEdges hot(const Node& node) const { return HotEdges(blocks_at(node.hot)); }

  /// Visits of an edge, opened or not.
  std::uint32_t edge_visits(const Node& node, std::uint32_t edge) const {
    return edge < node.opened ? static_cast<std::uint32_t>(hot(node).n(edge)) : 0;
  }
  /// The assumed value of an edge for its parent's player: the mean value; before the first visit,
  /// the afterstate's own value or, without one, the parent's value.
  float edge_value(const Node& node, std::uint32_t edge) const {
    if (edge_visits(node, edge) > 0) return hot(node).q(edge);
    if (!(node.flags & kValuedEdges)) return node.q;
    return unpack_value(edge_values(node)[edge], value_range(game()));
  }
  /// The child of an edge, or kNoNode if it has not been created.
  NodeId edge_child(const Node& node, std::uint32_t edge) const {
    return edge < node.opened ? hot(node).child(edge) : kNoNode;
  }
  /// The bounds of an edge's child, from the parent's perspective.
  Bounds edge_bounds(const Node& node, std::uint32_t edge) const {
    const NodeId child = edge_child(node, edge);
    if (child == kNoNode) return unknown_bounds();
    const Node& below = nodes_[child];
    const Bounds bounds = bounds_of(below);
    return perspective(below) == perspective(node) ? bounds : bounds.mirrored();
  }
  /// The bounds of a node without proofs.
  Bounds unknown_bounds() const {
    const int range = std::min(static_cast<int>(value_range(game())), kMaxBound);
    return {-range, range};
  }

  /// Swaps the first unopened edge, if any, with the unopened edge of highest rank. Doing this on
  /// demand is cheaper than sorting: a sort would cost more than the rest of the expansion, and
  /// most nodes never open a third edge.
  void find_next(const Node& node) {
    if (node.opened >= node.edges) return;
    ColdEdge* const edges = cold(node);
    std::uint64_t highest = 0;  // rank and, in the low bits, index: avoids branches
    for (std::uint32_t i = node.opened; i < node.edges; ++i) {
      highest = std::max(highest, (std::uint64_t{edges[i].rank()} << 32) | i);
    }
    std::swap(edges[node.opened], edges[static_cast<std::uint32_t>(highest)]);
  }

  /// Opens the next edge (no visits, no child, prior as in the cold block) and returns its index.
  /// Requires fits(0, hot_words(node.opened + 1)).
  std::uint32_t open_edge(Node& node, float q) {
    const std::uint32_t edge = node.opened++;
    if (edge % kLanes == 0 && hot_blocks(edge) != hot_blocks(edge + 1)) lengthen_hot(node, edge);
    const HotEdges edges = hot(node);
    edges.q(edge) = q;
    edges.p(edge) = unpack_share(cold(node)[edge].prior);
    if (!(node.flags & kValuedEdges)) find_next(node);
    return edge;
  }

  void clear() {
    used_nodes_ = cold_words_ = hot_blocks_ = 0;
    free_blocks_.fill(kNoBlock);
    table_.clear();
  }

  /// Copies everything reachable from `root` into the tree `to`, which has the same limits and is
  /// cleared first. Returns the root's new id. (Cheney's algorithm: the copied nodes are their own
  /// work list.) Afterwards this tree is invalid until clear().
  NodeId move_reachable(NodeId root, Tree& to) {
    to.clear();
    forward(root, to);
    for (NodeId next = 0; next < to.used_nodes_; ++next) {
      Node& node = to.nodes_[next];
      if (node.edges == 0) continue;
      const bool valued = (node.flags & kValuedEdges) != 0;
      node.cold = to.copy_words(*this, node.cold, cold_words(node.edges, valued));
      if (node.opened == 0) continue;
      const std::uint32_t blocks = hot_blocks(node.opened);
      const EdgeBlock* const old = blocks_at(node.hot);
      node.hot = to.take_blocks(blocks);
      std::copy_n(old, blocks, to.blocks_at(node.hot));
      const HotEdges edges = to.hot(node);
      for (std::uint32_t i = 0; i < node.opened; ++i) {
        if (edges.child(i) != kNoNode) edges.child(i) = forward(edges.child(i), to);
      }
    }
    return 0;
  }

 private:
  auto key_of() const {
    return [keys = keys_.get()](NodeId id) { return keys[id]; };
  }
  static constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};
  static std::size_t lines(const TreeLimits& limits) {
    return (limits.words + std::size_t{kBlockWords} - 1) / kBlockWords;
  }
  std::byte* at(std::uint32_t word) const {
    return lines_.get()->bytes.data() + word * std::size_t{4};
  }
  EdgeBlock* blocks_at(std::uint32_t line) const {
    return reinterpret_cast<EdgeBlock*>(lines_.get() + line);
  }
  std::uint32_t take(std::uint32_t words) {
    assert(fits(0, words));
    const std::uint32_t first = cold_words_;
    cold_words_ += words;
    return first;
  }
  // Moves the `had` opened edges of a node, which fill its blocks, to a larger group of blocks.
  void lengthen_hot(Node& node, std::uint32_t had) {
    const std::uint32_t old = node.hot, old_blocks = hot_blocks(had), blocks = hot_blocks(had + 1);
    node.hot = take_blocks(blocks);
    EdgeBlock* const first = blocks_at(node.hot);
    std::copy_n(blocks_at(old), old_blocks, first);
    std::fill_n(first + old_blocks, blocks - old_blocks, EdgeBlock{});
    if (old_blocks != 0) give_back_blocks(old, old_blocks);
  }
  // Takes blocks from the free list, which contains blocks that nodes have outgrown, or else from
  // the end of the lines. `count` is a power of two.
  std::uint32_t take_blocks(std::uint32_t count) {
    std::uint32_t& free = free_blocks_[static_cast<std::size_t>(std::countr_zero(count))];
    if (free != kNoBlock) {
      const std::uint32_t first = free;
      std::memcpy(&free, lines_.get() + first, sizeof free);
      return first;
    }
    assert(fits(0, count * kBlockWords));
    hot_blocks_ += count;
    return static_cast<std::uint32_t>(lines(limits_)) - hot_blocks_;
  }
  void give_back_blocks(std::uint32_t first, std::uint32_t count) {
    std::uint32_t& free = free_blocks_[static_cast<std::size_t>(std::countr_zero(count))];
    std::memcpy(lines_.get() + first, &free, sizeof free);
    free = first;
  }
  std::uint32_t copy_words(const Tree& from, std::uint32_t first, std::uint32_t count) {
    const std::uint32_t copy = take(count);
    std::memcpy(at(copy), from.at(first), count * std::size_t{4});
    return copy;
  }
  // The new id of an old node. The first call copies the node and leaves a forwarding mark: `edges`
  // and `opened` of 0xffff, which no live node can have, and the new id in `hot`.
  NodeId forward(NodeId old, Tree& to) {
    Node& node = nodes_[old];
    if (node.edges == 0xffff && node.opened == 0xffff) return node.hot;
    const NodeId id = to.used_nodes_++;
    to.nodes_[id] = node;
    to.nodes_[id].forget_next();
    to.states_[id] = states_[old];
    to.keys_[id] = keys_[old];
    to.table_.find_or_insert(keys_[old], id, to.key_of());
    node.edges = node.opened = 0xffff;
    node.hot = id;
    return id;
  }

  // Raw storage: cold words from the beginning, hot blocks from the end.
  struct alignas(EdgeBlock) Line {
    std::array<std::byte, sizeof(EdgeBlock)> bytes;
  };

  TreeLimits limits_;
  std::uint32_t used_nodes_ = 0;
  std::uint32_t cold_words_ = 0;
  std::uint32_t hot_blocks_ = 0;
  std::array<std::uint32_t, 16> free_blocks_;  // linked lists, by log2 of the block count
  Block<Node> nodes_;
  Block<std::uint64_t> keys_;
  Block<G> states_;
  Block<Line> lines_;
  Table table_;
};

/// Tree limits that suffice for `visits` visits of ordinary positions. A search of unusually wide
/// positions may end early, which Decision::full reports. `game` is any state of the game.
template <Game G>
TreeLimits limits_for(const G& game, std::uint32_t visits, Evaluates evaluates) {
  // A visit adds a node; in a game with dice two, the chance turn and the position after it. Its
  // edges take a cold block of ordinary width and one to two small hot blocks.
  const std::uint64_t nodes_per_visit = has_dice(game) ? 2 : 1;
  const std::uint32_t ordinary_width =
      most_legal(game) > 64 ? 48 : static_cast<std::uint32_t>(most_legal(game));
  const std::uint64_t words_per_visit =
      cold_words(ordinary_width, values_moves(evaluates)) + 40 * nodes_per_visit;
  // The root may be as wide as the game allows, with all edges opened for noise.
  const auto widest = static_cast<std::uint32_t>(most_edges(game));
  const auto dice = static_cast<std::uint32_t>(most_chance(game));
  const std::uint64_t all = std::uint64_t{visits} + 2;
  const std::uint64_t words = all * words_per_visit + cold_words(widest, true) +
                              2 * hot_words(widest) + cold_words(dice, false) + hot_words(dice);
  const auto at_most_all = [](std::uint64_t number) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, UINT32_MAX));
  };
  return {at_most_all(all * nodes_per_visit + 2), at_most_all(words)};
}

/// The same for a game whose type determines these numbers.
template <FixedOutcomesGame G>
TreeLimits limits_for(std::uint32_t visits, Evaluates evaluates) {
  return limits_for(G{}, visits, evaluates);
}

/// The largest number in 1 .. `most` for which fits(number) is true, 0 if there is none. fits must
/// be monotonic: true for every number below one for which it is true.
template <class Fits>
std::uint32_t largest_that_fits(std::uint32_t most, Fits&& fits) {
  std::uint32_t least = 0;  // what is known to fit; larger numbers than `most` do not
  while (least < most) {
    const std::uint32_t middle = most - (most - least) / 2;
    fits(middle) ? least = middle : most = middle - 1;
  }
  return least;
}

}  // namespace senet
