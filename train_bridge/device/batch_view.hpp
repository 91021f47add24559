// A training batch as the device sees it: one block of memory without gaps, filled by the host and
// copied in one piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "train_bridge/device/group.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// The front of a packed batch: what is the same for all rows, and where the parts begin, in bytes
/// from the header. They are aligned to 16.
///
///   first_entry   [capacity + 1] u32: row r's features are entries [first_entry[r], [r + 1])
///   first_action  [capacity + 1] u32: the same of its actions
///   outcomes      [capacity, outcomes] f32
///   value         [entries] f32
///   target        [actions] f32
///   index         [entries] u16
///   logit         [actions, logits_per_action] u16, kNoLogit pads
struct BatchHeader {
  std::uint32_t rows;
  std::uint32_t policy_rows;  // rows with a policy target
  float learning_rate;
  std::uint32_t first_entry, first_action, outcomes, value, target, index, logit;
};

/// Reads a packed batch. Rows from `rows` up to the capacity are empty: no features, no actions,
/// outcome targets of zero, so that they add nothing to any gradient.
struct BatchView {
  const std::byte* memory;

  SENET_DEVICE const BatchHeader& header() const {
    return *reinterpret_cast<const BatchHeader*>(memory);
  }
  SENET_DEVICE const std::uint32_t* first_entry() const {
    return part<std::uint32_t>(header().first_entry);
  }
  SENET_DEVICE const std::uint32_t* first_action() const {
    return part<std::uint32_t>(header().first_action);
  }
  SENET_DEVICE const float* outcomes() const { return part<float>(header().outcomes); }
  SENET_DEVICE const float* value() const { return part<float>(header().value); }
  SENET_DEVICE const float* target() const { return part<float>(header().target); }
  SENET_DEVICE const std::uint16_t* index() const { return part<std::uint16_t>(header().index); }
  SENET_DEVICE const std::uint16_t* logit() const { return part<std::uint16_t>(header().logit); }

 private:
  template <class Value>
  SENET_DEVICE const Value* part(std::uint32_t offset) const {
    return reinterpret_cast<const Value*>(memory + offset);
  }
};

/// Bytes that the fullest batch of this shape takes.
std::size_t packed_bytes(const TrainBatch::Shape& shape);

/// Writes `batch` into memory of at least packed_bytes(batch.shape()), aligned to 16, and returns
/// how many bytes it took.
std::size_t pack(const TrainBatch& batch, float learning_rate, std::span<std::byte> memory);

}  // namespace senet
