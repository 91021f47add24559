#include "tools/bench/flat_table.hpp"

#include <absl/container/flat_hash_map.h>

#include <bit>
#include <utility>

namespace senet {

struct FlatTable::Map {
  absl::flat_hash_map<std::uint64_t, NodeId> nodes;
};

FlatTable::FlatTable(std::uint32_t nodes, Heap&) : map_(std::make_unique<Map>()) {
  map_->nodes.reserve(nodes);
}
FlatTable::~FlatTable() = default;

NodeId FlatTable::find(std::uint64_t key) const {
  const auto found = map_->nodes.find(key);
  return found == map_->nodes.end() ? kNoNode : found->second;
}
NodeId FlatTable::find_or_insert(std::uint64_t key, NodeId node) {
  return map_->nodes.emplace(key, node).first->second;
}
// clear() would free large tables; erasing the range keeps their memory.
void FlatTable::clear() { map_->nodes.erase(map_->nodes.begin(), map_->nodes.end()); }

std::size_t FlatTable::bytes(std::uint32_t nodes) {
  return std::bit_ceil(nodes + nodes / 7 + 1) * (sizeof(std::pair<std::uint64_t, NodeId>) + 1);
}

}  // namespace senet
