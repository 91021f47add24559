// Training samples and batches as a device sees them: a batch is a block of memory that the host
// fills and copies in one piece. Its rows say where their samples lie, in the block itself or in a
// replay that the device keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

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

/// The front of a batch's block: what is the same for all rows.
struct alignas(kSampleAlignment) BatchHeader {
  std::uint32_t rows;
  std::uint32_t policy_rows;  // rows with a policy target
  float learning_rate;
};

/// A row of a batch; those of all the capacity follow the header.
struct BatchRow {
  /// Where the sample lies: in the replay, or in the block itself when it has kInBlock; in units of
  /// kSampleAlignment bytes.
  std::uint32_t sample;
  std::uint32_t first_action;  // legal actions of the rows before
};
inline constexpr std::uint32_t kInBlock = std::uint32_t{1} << 31;

/// Reads a batch. Rows from `rows` up to the capacity are empty: no features, no actions, outcome
/// targets of zero, so that they add nothing to any gradient.
struct BatchView {
  const std::byte* memory;            // the block
  const std::byte* replay = nullptr;  // null: every row's sample is in the block

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

 private:
  SENET_DEVICE const BatchRow* rows() const {
    return reinterpret_cast<const BatchRow*>(memory + sizeof(BatchHeader));
  }
};

/// Writes the front of a block and where its rows lie.
class BatchWriter {
 public:
  /// `memory` has packed_bytes(shape), or block_bytes(shape) where no sample goes into the block.
  /// Aligned to kSampleAlignment.
  BatchWriter(const TrainBatch::Shape& shape, std::span<std::byte> memory);

  /// Adds a row whose sample lies in the replay, at `offset` bytes.
  void add_kept(std::size_t offset, std::size_t actions);
  /// Adds a row of `batch`, sample and all.
  void add(const TrainBatch& batch, std::size_t row);
  /// Ends the batch and returns the bytes of the block.
  std::size_t finish(float learning_rate);

 private:
  void add_row(std::size_t sample, std::size_t actions);

  std::span<std::byte> memory_;
  std::size_t capacity_;
  std::size_t empty_;  // the sample of the rows behind the batch's
  std::size_t end_;
  BatchHeader header_{};
  std::uint32_t actions_ = 0;
};

/// Bytes of a block whose samples all lie in the replay.
std::size_t block_bytes(const TrainBatch::Shape& shape);

/// Bytes that the fullest batch of this shape takes.
std::size_t packed_bytes(const TrainBatch::Shape& shape);

/// Writes `batch` with its samples into memory of at least packed_bytes(batch.shape()), aligned to
/// kSampleAlignment, and returns how many bytes it took.
std::size_t pack(const TrainBatch& batch, float learning_rate, std::span<std::byte> memory);

}  // namespace senet
