// One training sample as it lies in a device's memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "train_bridge/device/group.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// Samples begin at multiples of this many bytes and are as long.
inline constexpr std::size_t kSampleAlignment = 16;

/// The front of a sample; its parts follow without gaps:
///
///   outcomes  [outcomes] f32
///   value     [entries] f32
///   target    [actions] f32
///   index     [entries] u16
///   logit     [actions, logits_per_action] u16, kNoLogit pads
struct SampleHeader {
  std::uint16_t entries;  // features that are not zero
  std::uint16_t actions;  // legal ones; 0: no policy target
  std::uint16_t outcomes;
  std::uint16_t logits_per_action;
};

/// Reads a sample.
struct SampleView {
  const std::byte* memory;

  SENET_DEVICE const SampleHeader& header() const {
    return *reinterpret_cast<const SampleHeader*>(memory);
  }
  SENET_DEVICE const float* outcomes() const {
    return reinterpret_cast<const float*>(memory + sizeof(SampleHeader));
  }
  SENET_DEVICE const float* value() const { return outcomes() + header().outcomes; }
  SENET_DEVICE const float* target() const { return value() + header().entries; }
  SENET_DEVICE const std::uint16_t* index() const {
    return reinterpret_cast<const std::uint16_t*>(target() + header().actions);
  }
  SENET_DEVICE const std::uint16_t* logit() const { return index() + header().entries; }
};

/// Bytes of a sample of this shape with so many features and legal actions.
std::size_t sample_bytes(const TrainBatch::Shape& shape, std::size_t entries, std::size_t actions);

/// Bytes of a row of a batch as a sample.
std::size_t sample_bytes(const TrainBatch& batch, std::size_t row);

/// Writes a row of a batch to memory that begins at a multiple of kSampleAlignment and has room
/// for it; returns how many bytes it took.
std::size_t write_sample(const TrainBatch& batch, std::size_t row, std::byte* memory);

/// Writes a sample without features, actions and outcomes' shares: it adds nothing to a gradient.
std::size_t write_empty_sample(const TrainBatch::Shape& shape, std::byte* memory);

}  // namespace senet
