// An alternative hash table from keys to nodes, to compare with the trees' own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "search/node_table.hpp"

namespace senet {

/// Abseil's Swiss table, reserved once. Its functions are in another source file, so a lookup costs
/// a call, unlike with the trees' own table.
class FlatTable {
 public:
  /// Always uses the ordinary heap.
  explicit FlatTable(std::uint32_t nodes, Heap& = default_heap());
  ~FlatTable();
  FlatTable(const FlatTable&) = delete;
  FlatTable& operator=(const FlatTable&) = delete;

  template <class KeyOf>
  NodeId find(std::uint64_t key, KeyOf&&) const {
    return find(key);
  }
  NodeId find(std::uint64_t key) const;
  template <class KeyOf>
  NodeId find_or_insert(std::uint64_t key, NodeId node, KeyOf&&) {
    return find_or_insert(key, node);
  }
  NodeId find_or_insert(std::uint64_t key, NodeId node);
  void clear();
  static std::size_t bytes(std::uint32_t nodes);

 private:
  struct Map;
  const std::unique_ptr<Map> map_;
};
static_assert(NodeTable<FlatTable>);

}  // namespace senet
