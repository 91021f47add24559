// The tree benchmark with another table from keys to nodes, to measure the trees' own against.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tools/bench_tree_of.hpp"

namespace senet {

/// Abseil's Swiss table, reserved once.
class FlatTable {
 public:
  /// Its memory is always the ordinary heap's.
  explicit FlatTable(std::uint32_t nodes, Heap& = default_heap()) { map_.reserve(nodes); }

  template <class KeyOf>
  NodeId find(std::uint64_t key, KeyOf&&) const {
    const auto found = map_.find(key);
    return found == map_.end() ? kNoNode : found->second;
  }
  void insert(std::uint64_t key, NodeId node) { map_.emplace(key, node); }
  // clear() would give large tables back to the heap; erasing the range keeps the reserve.
  void clear() { map_.erase(map_.begin(), map_.end()); }
  static std::size_t bytes(std::uint32_t nodes) {
    return std::bit_ceil(nodes + nodes / 7 + 1) * (sizeof(std::pair<std::uint64_t, NodeId>) + 1);
  }

 private:
  absl::flat_hash_map<std::uint64_t, NodeId> map_;
};
static_assert(NodeTable<FlatTable>);

template <Game G>
constexpr FlatTreeBench FlatTreeBench::of() {
  return {&measure_tree<G, Tree<G, FlatTable>>};
}

}  // namespace senet
