// The map from a state's key to its node: the requirements, and the table that trees use.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "nn/heap.hpp"
#include "search/node.hpp"

namespace senet {

/// A map from key to node for at most `nodes` entries. Allocates from a heap in the constructor
/// only. Trees store the keys, so that a table need not.
///
/// In find() and find_or_insert() key_of(node) is the key of a node in the table.
///
///   find(key, key_of)                  the node, or kNoNode
///   find_or_insert(key, node, key_of)  the node of the key, or `node`, which is added
///   clear()                            removes all entries
template <class T>
concept NodeTable = std::constructible_from<T, std::uint32_t, Heap&> &&
    requires(T t, const T& c, std::uint64_t key, NodeId node, std::uint64_t (*key_of)(NodeId)) {
  { c.find(key, key_of) } -> std::same_as<NodeId>;
  { t.find_or_insert(key, node, key_of) } -> std::same_as<NodeId>;
  { t.clear() } -> std::same_as<void>;
  { T::bytes(std::uint32_t{}) } -> std::same_as<std::size_t>;
};

/// Open addressing with linear probing, at most half full. Clearing increments the epoch.
///
///   0       4       6       8
///   +-------+-------+-------+
///   | node  | epoch |  tag  |    tag: the top 16 bits of the key, which do not affect the slot,
///   +-------+-------+-------+    so that comparisons rarely touch a wrong node
class EpochTable {
 public:
  explicit EpochTable(std::uint32_t nodes, Heap& heap = default_heap())
      : count_(slots(nodes)), slots_(count_, heap) {
    std::fill_n(slots_.get(), count_, Slot{});
  }

  template <class KeyOf>
  NodeId find(std::uint64_t key, KeyOf&& key_of) const {
    const Slot& slot = slots_[slot_of(key, key_of)];
    return slot.epoch == epoch_ ? slot.node : kNoNode;
  }
  template <class KeyOf>
  NodeId find_or_insert(std::uint64_t key, NodeId node, KeyOf&& key_of) {
    Slot& slot = slots_[slot_of(key, key_of)];
    if (slot.epoch != epoch_) slot = {node, epoch_, tag(key)};
    return slot.node;
  }
  void clear() {
    if (++epoch_ != 0) return;
    // After 2^16 clears, old epochs would become valid again.
    std::fill_n(slots_.get(), count_, Slot{});
    epoch_ = 1;
  }
  /// Memory of a table for this many nodes.
  static std::size_t bytes(std::uint32_t nodes) { return slots(nodes) * sizeof(Slot); }

 private:
  struct Slot {
    NodeId node = 0;
    std::uint16_t epoch = 0;
    std::uint16_t tag = 0;
  };
  static_assert(sizeof(Slot) == 8);
  static std::uint32_t slots(std::uint32_t nodes) { return 2 * std::max<std::uint32_t>(nodes, 8); }
  static std::uint16_t tag(std::uint64_t key) { return static_cast<std::uint16_t>(key >> 48); }
  // Maps the low half of the key, as a fraction, to a slot: works for any table size.
  std::uint32_t home(std::uint64_t key) const {
    return static_cast<std::uint32_t>((key & 0xffffffffu) * count_ >> 32);
  }
  // The slot of a key, or the free one where it belongs.
  template <class KeyOf>
  std::uint32_t slot_of(std::uint64_t key, KeyOf&& key_of) const {
    for (std::uint32_t i = home(key);; i = after(i)) {
      const Slot& slot = slots_[i];
      if (slot.epoch != epoch_ || (slot.tag == tag(key) && key_of(slot.node) == key)) return i;
    }
  }
  std::uint32_t after(std::uint32_t slot) const { return slot + 1 == count_ ? 0 : slot + 1; }

  std::uint32_t count_;
  std::uint16_t epoch_ = 1;
  Block<Slot> slots_;
};
static_assert(NodeTable<EpochTable>);

}  // namespace senet
