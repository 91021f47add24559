#include "train_bridge/device/batch_view.hpp"

#include <cassert>
#include <cstring>

#include "nn/round_up.hpp"

namespace senet {
namespace {

std::size_t rows_end(const TrainBatch::Shape& shape) {
  return round_up(sizeof(BatchHeader) + shape.rows * sizeof(BatchRow), kSampleAlignment);
}

std::uint32_t in_block(std::size_t offset) {
  return static_cast<std::uint32_t>(offset / kSampleAlignment) | kInBlock;
}

}  // namespace

BatchWriter::BatchWriter(const TrainBatch::Shape& shape, std::span<std::byte> memory)
    : memory_(memory), capacity_(shape.rows), end_(rows_end(shape)), empty_(in_block(end_)) {
  assert(block_bytes(shape) <= memory.size());
  end_ += write_empty_sample(shape, memory.data() + end_);
}

void BatchWriter::add_row(std::uint32_t sample, std::size_t actions) {
  assert(header_.rows < capacity_);
  const BatchRow row{sample, actions_};
  std::memcpy(memory_.data() + sizeof(BatchHeader) + header_.rows * sizeof row, &row, sizeof row);
  ++header_.rows;
  header_.policy_rows += actions > 0 ? 1 : 0;
  actions_ += static_cast<std::uint32_t>(actions);
}

void BatchWriter::add_kept(std::size_t offset, std::size_t actions) {
  add_row(static_cast<std::uint32_t>(offset / kSampleAlignment), actions);
}

void BatchWriter::add(const TrainBatch& batch, std::size_t row) {
  assert(end_ + sample_bytes(batch, row) <= memory_.size());
  add_row(in_block(end_), batch.first_action(row + 1) - batch.first_action(row));
  end_ += write_sample(batch, row, memory_.data() + end_);
}

std::size_t BatchWriter::finish(float learning_rate) {
  BatchHeader header = header_;
  header.learning_rate = learning_rate;
  while (header_.rows < capacity_) add_row(empty_, 0);
  std::memcpy(memory_.data(), &header, sizeof header);
  return end_;
}

std::size_t block_bytes(const TrainBatch::Shape& shape) {
  return rows_end(shape) + sample_bytes(shape, 0, 0);
}

std::size_t packed_bytes(const TrainBatch::Shape& shape) {
  // What the actions take, they take in some row; each row is rounded up once.
  const std::size_t actions =
      shape.action_room * (sizeof(float) + shape.logits_per_action * sizeof(std::uint16_t));
  return block_bytes(shape) +
         shape.rows * (sample_bytes(shape, shape.max_active, 0) + kSampleAlignment) + actions;
}

std::size_t pack(const TrainBatch& batch, float learning_rate, std::span<std::byte> memory) {
  BatchWriter writer(batch.shape(), memory);
  for (std::size_t row = 0; row < batch.size(); ++row) writer.add(batch, row);
  return writer.finish(learning_rate);
}

}  // namespace senet
