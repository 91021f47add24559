#include "train_bridge/device/batch_view.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace senet {
namespace {

/// Hands out the parts of a block of memory, one after the other.
class Parts {
 public:
  explicit Parts(std::byte* memory) : memory_(memory) {}

  /// Room for `count` values; where it begins is noted. Null memory: only counts.
  template <class Value>
  Value* take(std::size_t count, std::uint32_t& offset) {
    end_ = (end_ + kAlignment - 1) / kAlignment * kAlignment;
    offset = static_cast<std::uint32_t>(end_);
    end_ += count * sizeof(Value);
    return memory_ == nullptr ? nullptr : reinterpret_cast<Value*>(memory_ + offset);
  }
  std::size_t end() const { return end_; }

 private:
  static constexpr std::size_t kAlignment = 16;
  std::byte* memory_;
  std::size_t end_ = sizeof(BatchHeader);
};

/// Pointers to the parts, in their order.
struct Placed {
  std::uint32_t *first_entry, *first_action;
  float *outcomes, *value, *target;
  std::uint16_t *index, *logit;
};

Placed place(Parts& parts, const TrainBatch::Shape& shape, std::size_t entries, std::size_t actions,
             BatchHeader& header) {
  Placed placed;
  placed.first_entry = parts.take<std::uint32_t>(shape.rows + 1, header.first_entry);
  placed.first_action = parts.take<std::uint32_t>(shape.rows + 1, header.first_action);
  placed.outcomes = parts.take<float>(shape.rows * shape.outcomes, header.outcomes);
  placed.value = parts.take<float>(entries, header.value);
  placed.target = parts.take<float>(actions, header.target);
  placed.index = parts.take<std::uint16_t>(entries, header.index);
  placed.logit = parts.take<std::uint16_t>(actions * shape.logits_per_action, header.logit);
  return placed;
}

}  // namespace

std::size_t packed_bytes(const TrainBatch::Shape& shape) {
  Parts parts(nullptr);
  BatchHeader ignored{};
  place(parts, shape, shape.rows * shape.max_active, shape.action_room, ignored);
  return parts.end();
}

std::size_t pack(const TrainBatch& batch, float learning_rate, std::span<std::byte> memory) {
  const TrainBatch::Shape& shape = batch.shape();
  std::size_t entries = 0;
  for (std::size_t row = 0; row < batch.size(); ++row) entries += batch.index(row).size();
  BatchHeader header{};
  header.rows = static_cast<std::uint32_t>(batch.size());
  header.learning_rate = learning_rate;
  Parts parts(memory.data());
  const Placed to = place(parts, shape, entries, batch.actions(), header);
  assert(parts.end() <= memory.size());

  std::uint32_t entry = 0, action = 0;
  for (std::size_t row = 0; row < shape.rows; ++row) {
    to.first_entry[row] = entry;
    to.first_action[row] = action;
    float* const outcomes = to.outcomes + row * shape.outcomes;
    if (row >= batch.size()) {
      std::fill_n(outcomes, shape.outcomes, 0.0f);
      continue;
    }
    std::ranges::copy(batch.outcomes(row), outcomes);
    std::ranges::copy(batch.value(row), to.value + entry);
    std::ranges::copy(batch.index(row), to.index + entry);
    entry += static_cast<std::uint32_t>(batch.index(row).size());
    const std::size_t end = batch.first_action(row + 1);
    header.policy_rows += end > action ? 1 : 0;
    for (; action < end; ++action) {
      to.target[action] = batch.target(action);
      std::ranges::copy(batch.logits(action), to.logit + action * shape.logits_per_action);
    }
  }
  to.first_entry[shape.rows] = entry;
  to.first_action[shape.rows] = action;
  std::memcpy(memory.data(), &header, sizeof header);
  return parts.end();
}

}  // namespace senet
