// Another table from keys to nodes, to measure the trees' own against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "search/node_table.hpp"

namespace senet {

/// Abseil's Swiss table, reserved once. It stands in a source file of its own: a lookup costs a
/// call, which the trees' own table does not pay.
class FlatTable {
 public:
  /// Its memory is always the ordinary heap's.
  explicit FlatTable(std::uint32_t nodes, Heap& = default_heap());
  ~FlatTable();
  FlatTable(const FlatTable&) = delete;
  FlatTable& operator=(const FlatTable&) = delete;

  template <class KeyOf>
  NodeId find(std::uint64_t key, KeyOf&&) const {
    return find(key);
  }
  NodeId find(std::uint64_t key) const;
  void insert(std::uint64_t key, NodeId node);
  void clear();
  static std::size_t bytes(std::uint32_t nodes);

 private:
  struct Map;
  const std::unique_ptr<Map> map_;
};
static_assert(NodeTable<FlatTable>);

}  // namespace senet
