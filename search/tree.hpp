// The tree of one search: one block of nodes, states and edge words, reserved once and never grown.
#pragma once

#include <cstring>
#include <memory>
#include <span>

#include "search/node.hpp"
#include "search/node_table.hpp"

namespace senet {

/// How much a tree can hold.
struct TreeLimits {
  std::uint32_t nodes = 0;
  std::uint32_t words = 0;  // 4-byte words of edges

  bool operator==(const TreeLimits&) const = default;
};

/// Bytes that a tree with these limits reserves.
template <Game G, NodeTable Table>
std::size_t tree_bytes(const TreeLimits& limits) {
  return limits.nodes * (sizeof(Node) + sizeof(G)) + limits.words * std::size_t{4} +
         Table::bytes(limits.nodes);
}

/// Nodes by 32-bit ids, their states beside them, their edges in an arena of words. No pointers
/// between nodes, nothing freed one by one: clear() or move_reachable() start over. Not shared by
/// threads.
template <Game G, NodeTable Table = EpochTable>
class Tree {
 public:
  explicit Tree(const TreeLimits& limits)
      : limits_(limits),
        nodes_(std::make_unique_for_overwrite<Node[]>(limits.nodes)),
        states_(std::make_unique_for_overwrite<G[]>(limits.nodes)),
        words_(std::make_unique_for_overwrite<std::byte[]>(limits.words * std::size_t{4})),
        table_(limits.nodes) {}

  const TreeLimits& limits() const { return limits_; }
  std::uint32_t size() const { return used_nodes_; }
  std::uint32_t used_words() const { return used_words_; }
  std::size_t bytes_used() const {
    return used_nodes_ * (sizeof(Node) + sizeof(G)) + used_words_ * std::size_t{4};
  }

  Node& operator[](NodeId id) { return nodes_[id]; }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  const G& state(NodeId id) const { return states_[id]; }

  /// Whether `nodes` more nodes and `words` more words fit.
  bool fits(std::uint32_t nodes, std::uint32_t words) const {
    return used_nodes_ + nodes <= limits_.nodes && used_words_ + words <= limits_.words;
  }

  NodeId find(std::uint64_t key) const { return table_.find(key); }

  /// Adds an unevaluated node for a state whose key is not in the tree. Needs fits(1, 0).
  NodeId add(const G& state, std::uint64_t key) {
    assert(fits(1, 0));
    const NodeId id = used_nodes_++;
    nodes_[id] = Node{key, 0, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(state.turn()), 0};
    constexpr int range = static_cast<int>(G::kValueRange);
    set_bounds(nodes_[id], {-range, range});
    states_[id] = state;
    table_.insert(key, id);
    return id;
  }

  /// Reserves the cold block of a node. Needs fits(0, cold_words(edges, valued)).
  void add_cold(Node& node, std::uint16_t edges, bool valued) {
    node.cold = take(cold_words(edges, valued));
    node.edges = edges;
    if (valued) node.flags |= kValuedEdges;
  }
  ColdEdge* cold(const Node& node) { return reinterpret_cast<ColdEdge*>(at(node.cold)); }
  const ColdEdge* cold(const Node& node) const {
    return reinterpret_cast<const ColdEdge*>(at(node.cold));
  }
  /// Afterstate values of a node with kValuedEdges, in the order of its cold edges.
  std::int16_t* edge_values(const Node& node) const {
    return reinterpret_cast<std::int16_t*>(at(node.cold + node.edges));
  }

  HotEdges hot(const Node& node) const {
    const std::uint32_t capacity = hot_capacity(node.opened);
    return {reinterpret_cast<float*>(at(node.hot)),
            reinterpret_cast<float*>(at(node.hot + capacity)),
            reinterpret_cast<std::uint32_t*>(at(node.hot + 2 * capacity)),
            reinterpret_cast<NodeId*>(at(node.hot + 3 * capacity))};
  }

  /// Lengthens the opened prefix by one edge (no visits, no child, prior as in the cold block) and
  /// returns its index. Needs fits(0, hot_words(node.opened + 1)).
  std::uint32_t open_edge(Node& node, float q) {
    const std::uint32_t edge = node.opened;
    const HotEdges old = hot(node);
    if (hot_capacity(edge + 1) != hot_capacity(edge)) node.hot = take(hot_words(edge + 1));
    ++node.opened;
    const HotEdges edges = hot(node);
    if (edges.q != old.q) {
      std::copy_n(old.q, edge, edges.q);
      std::copy_n(old.p, edge, edges.p);
      std::copy_n(old.n, edge, edges.n);
      std::copy_n(old.child, edge, edges.child);
    }
    edges.q[edge] = q;
    edges.p[edge] = unpack_share(cold(node)[edge].prior);
    edges.n[edge] = 0;
    edges.child[edge] = kNoNode;
    return edge;
  }

  void clear() {
    used_nodes_ = used_words_ = 0;
    table_.clear();
  }

  /// Copies what is reachable from `root` into the empty tree `to` of the same limits and returns
  /// the new id of the root (Cheney's algorithm: the copied nodes are their own work list). This
  /// tree is spent afterwards.
  NodeId move_reachable(NodeId root, Tree& to) {
    to.clear();
    forward(root, to);
    for (NodeId next = 0; next < to.used_nodes_; ++next) {
      Node& node = to.nodes_[next];
      if (node.edges == 0) continue;
      const bool valued = (node.flags & kValuedEdges) != 0;
      node.cold = to.copy_words(*this, node.cold, cold_words(node.edges, valued));
      if (node.opened == 0) continue;
      node.hot = to.copy_words(*this, node.hot, hot_words(node.opened));
      const HotEdges edges = to.hot(node);
      for (std::uint32_t i = 0; i < node.opened; ++i) {
        if (edges.child[i] != kNoNode) edges.child[i] = forward(edges.child[i], to);
      }
    }
    return 0;
  }

 private:
  std::byte* at(std::uint32_t word) const { return words_.get() + word * std::size_t{4}; }
  std::uint32_t take(std::uint32_t words) {
    assert(fits(0, words));
    const std::uint32_t first = used_words_;
    used_words_ += words;
    return first;
  }
  std::uint32_t copy_words(const Tree& from, std::uint32_t first, std::uint32_t count) {
    const std::uint32_t copy = take(count);
    std::memcpy(at(copy), from.at(first), count * std::size_t{4});
    return copy;
  }
  // The new id of an old node, which is copied at the first call and then remembers where it went:
  // `edges` 0xffff with `opened` 0xffff cannot be a live node's, and `hot` holds the new id.
  NodeId forward(NodeId old, Tree& to) {
    Node& node = nodes_[old];
    if (node.edges == 0xffff && node.opened == 0xffff) return node.hot;
    const NodeId id = to.used_nodes_++;
    to.nodes_[id] = node;
    to.states_[id] = states_[old];
    to.table_.insert(node.key, id);
    node.edges = node.opened = 0xffff;
    node.hot = id;
    return id;
  }

  TreeLimits limits_;
  std::uint32_t used_nodes_ = 0;
  std::uint32_t used_words_ = 0;
  std::unique_ptr<Node[]> nodes_;
  std::unique_ptr<G[]> states_;
  std::unique_ptr<std::byte[]>
      words_;  // raw storage: it holds floats, words and edges side by side
  Table table_;
};

}  // namespace senet
