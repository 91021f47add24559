// From a state's key to its node: the two tables a tree can use.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <memory>

#include "search/node.hpp"

namespace senet {

/// A map from key to node, made once for at most `nodes` entries; nothing allocates afterwards.
///   find(key)          the node, or kNoNode
///   insert(key, node)  adds a key that is not there
///   clear()            forgets everything
template <class T>
concept NodeTable = std::constructible_from<T, std::uint32_t> &&
    requires(T t, const T& c, std::uint64_t key, NodeId node) {
  { c.find(key) } -> std::same_as<NodeId>;
  { t.insert(key, node) } -> std::same_as<void>;
  { t.clear() } -> std::same_as<void>;
  { T::bytes(std::uint32_t{}) } -> std::same_as<std::size_t>;
};

/// Open addressing with linear probing, at most half full; clearing is one increment.
class EpochTable {
 public:
  explicit EpochTable(std::uint32_t nodes)
      : mask_(slots(nodes) - 1), slots_(std::make_unique<Slot[]>(mask_ + 1)) {}

  NodeId find(std::uint64_t key) const {
    for (std::uint32_t i = static_cast<std::uint32_t>(key) & mask_;; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.epoch != epoch_) return kNoNode;
      if (slot.key == key) return slot.node;
    }
  }
  void insert(std::uint64_t key, NodeId node) {
    std::uint32_t i = static_cast<std::uint32_t>(key) & mask_;
    while (slots_[i].epoch == epoch_) i = (i + 1) & mask_;
    slots_[i] = {key, node, epoch_};
  }
  void clear() {
    if (++epoch_ != 0) return;
    // After 2^32 clears old epochs would come alive again.
    std::fill_n(slots_.get(), mask_ + 1, Slot{});
    epoch_ = 1;
  }
  /// Memory of a table for this many nodes.
  static std::size_t bytes(std::uint32_t nodes) { return slots(nodes) * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t key = 0;
    NodeId node = 0;
    std::uint32_t epoch = 0;
  };
  static_assert(sizeof(Slot) == 16);
  static std::uint32_t slots(std::uint32_t nodes) {
    return std::bit_ceil(std::max<std::uint32_t>(nodes, 8) * 2);
  }

  std::uint32_t mask_;
  std::uint32_t epoch_ = 1;
  std::unique_ptr<Slot[]> slots_;
};
static_assert(NodeTable<EpochTable>);

/// Abseil's Swiss table, reserved once.
class FlatTable {
 public:
  explicit FlatTable(std::uint32_t nodes) { map_.reserve(nodes); }

  NodeId find(std::uint64_t key) const {
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

}  // namespace senet
