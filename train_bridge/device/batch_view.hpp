// Training samples and batches in device format. A batch is a block of memory that the host fills
// and copies in one piece; its rows point to their samples, in the block itself or in a replay that
// the device keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "train_bridge/device/group.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// Samples start at multiples of this many bytes, and their sizes are multiples of it.
inline constexpr std::size_t kSampleAlignment = 16;

/// The header of a sample; its parts follow without gaps:
///
///   outcomes  [outcomes] f32
///   value     [entries] f32
///   target    [actions] f32
///   index     [entries] u16
///   logit     [actions, logits_per_action] u16, kNoLogit pads
struct SampleHeader {
  std::uint16_t entries;  // non-zero features
  std::uint16_t actions;  // considered actions; 0: no policy target
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

/// Bytes of a sample of this shape with this many features and actions.
std::size_t sample_bytes(const TrainBatch::Shape& shape, std::size_t entries, std::size_t actions);

/// Bytes of a batch row as a sample.
std::size_t sample_bytes(const TrainBatch& batch, std::size_t row);

/// Writes a batch row to memory that is aligned to kSampleAlignment and has room for it; returns
/// the number of bytes written.
std::size_t write_sample(const TrainBatch& batch, std::size_t row, std::byte* memory);

/// The header of a batch's block: fields common to all rows.
struct alignas(kSampleAlignment) BatchHeader {
  std::uint32_t rows;
  std::uint32_t policy_rows;  // rows with a policy target
  float learning_rate;
};

/// A row of a batch; shape.rows of them follow the header.
struct BatchRow {
  /// Address of the sample in units of kSampleAlignment bytes: in the block if kInBlock is set,
  /// else in the replay.
  std::uint32_t sample;
  std::uint32_t first_action;  // number of actions in the rows before
  float weight;                // of the row's losses in the gradient
};
inline constexpr std::uint32_t kInBlock = std::uint32_t{1} << 31;

/// Reads a batch. Rows from `rows` up to the capacity are empty (no features, no actions, zero
/// outcome targets) and contribute nothing to any gradient.
struct BatchView {
  const std::byte* memory;            // the block
  const std::byte* replay = nullptr;  // null: all samples are in the block

  SENET_DEVICE const BatchHeader& header() const {
    return *reinterpret_cast<const BatchHeader*>(memory);
  }
  SENET_DEVICE SampleView sample(std::size_t row) const {
    const std::uint32_t at = rows()[row].sample;
    const std::byte* const base = (at & kInBlock) != 0 ? memory : replay;
    return {base + std::size_t{at & ~kInBlock} * kSampleAlignment};
  }
  SENET_DEVICE std::uint32_t first_action(std::size_t row) const {
    return rows()[row].first_action;
  }
  SENET_DEVICE float weight(std::size_t row) const { return rows()[row].weight; }

 private:
  SENET_DEVICE const BatchRow* rows() const {
    return reinterpret_cast<const BatchRow*>(memory + sizeof(BatchHeader));
  }
};

/// Writes the header and the rows of a block.
class BatchWriter {
 public:
  /// `memory` has packed_bytes(shape), or block_bytes(shape) if no sample is stored in the block.
  /// Aligned to kSampleAlignment.
  BatchWriter(const TrainBatch::Shape& shape, std::span<std::byte> memory);

  /// Adds a row whose sample is in the replay at byte `offset`.
  void add_kept(std::size_t offset, std::size_t actions, float weight);
  /// Adds a row of `batch` with its sample.
  void add(const TrainBatch& batch, std::size_t row);
  /// Finishes the batch and returns the bytes of the block.
  std::size_t finish(float learning_rate);

 private:
  void add_row(std::size_t sample, std::size_t actions, float weight);

  std::span<std::byte> memory_;
  std::size_t capacity_;
  std::size_t empty_;  // the empty sample, for rows beyond the batch's
  std::size_t end_;
  BatchHeader header_{};
  std::uint32_t actions_ = 0;
};

/// Bytes of a block whose samples are all in the replay.
std::size_t block_bytes(const TrainBatch::Shape& shape);

/// Maximum bytes of a batch of this shape.
std::size_t packed_bytes(const TrainBatch::Shape& shape);

/// Writes `batch` with its samples into memory of at least packed_bytes(batch.shape()), aligned to
/// kSampleAlignment, and returns the number of bytes written.
std::size_t pack(const TrainBatch& batch, float learning_rate, std::span<std::byte> memory);

}  // namespace senet
