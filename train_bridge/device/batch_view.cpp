#include "train_bridge/device/batch_view.hpp"

#include <cassert>
#include <cstring>

#include "nn/aligned_vector.hpp"

namespace senet {
namespace {

/// Copies values to memory; returns the address after them.
template <class Value>
std::byte* put(std::byte* memory, std::span<const Value> values) {
  if (!values.empty()) std::memcpy(memory, values.data(), values.size_bytes());
  return memory + values.size_bytes();
}

SampleHeader header_of(const TrainBatch::Shape& shape, std::size_t entries, std::size_t actions) {
  return {.entries = static_cast<std::uint16_t>(entries),
          .actions = static_cast<std::uint16_t>(actions),
          .outcomes = static_cast<std::uint16_t>(shape.outcomes),
          .logits_per_action = static_cast<std::uint16_t>(shape.logits_per_action)};
}

std::size_t rows_end(const TrainBatch::Shape& shape) {
  return round_up(sizeof(BatchHeader) + shape.rows * sizeof(BatchRow), kSampleAlignment);
}

/// Encodes an offset in the block as BatchRow::sample.
std::size_t in_block(std::size_t offset) { return offset / kSampleAlignment | kInBlock; }

}  // namespace

std::size_t sample_bytes(const TrainBatch::Shape& shape, std::size_t entries, std::size_t actions) {
  const std::size_t bytes = sizeof(SampleHeader) +
                            sizeof(float) * (shape.outcomes + entries + actions) +
                            sizeof(std::uint16_t) * (entries + actions * shape.logits_per_action);
  return round_up(bytes, kSampleAlignment);
}

std::size_t sample_bytes(const TrainBatch& batch, std::size_t row) {
  return sample_bytes(batch.shape(), batch.index(row).size(), batch.targets_of(row).size());
}

std::size_t write_sample(const TrainBatch& batch, std::size_t row, std::byte* memory) {
  const SampleHeader header =
      header_of(batch.shape(), batch.index(row).size(), batch.targets_of(row).size());
  std::byte* to = put(memory, std::span(&header, 1));
  to = put(to, batch.outcomes(row));
  to = put(to, batch.value(row));
  to = put(to, batch.targets_of(row));
  to = put(to, batch.index(row));
  put(to, batch.logits_of(row));
  return sample_bytes(batch, row);
}

BatchWriter::BatchWriter(const TrainBatch::Shape& shape, std::span<std::byte> memory)
    : memory_(memory),
      capacity_(shape.rows),
      empty_(in_block(rows_end(shape))),
      end_(block_bytes(shape)) {
  assert(end_ <= memory.size());
  // A sample without features, actions and outcome targets contributes nothing to the gradient.
  const SampleHeader header = header_of(shape, 0, 0);
  std::byte* const sample = memory.data() + rows_end(shape);
  std::memset(sample, 0, sample_bytes(shape, 0, 0));
  put(sample, std::span(&header, 1));
}

void BatchWriter::add_row(std::size_t sample, std::size_t actions, float weight) {
  assert(header_.rows < capacity_);
  const BatchRow row{static_cast<std::uint32_t>(sample), actions_, weight};
  std::memcpy(memory_.data() + sizeof(BatchHeader) + header_.rows * sizeof row, &row, sizeof row);
  ++header_.rows;
  header_.policy_rows += actions > 0 ? 1 : 0;
  actions_ += static_cast<std::uint32_t>(actions);
}

void BatchWriter::add_kept(std::size_t offset, std::size_t actions, float weight) {
  add_row(offset / kSampleAlignment, actions, weight);
}

void BatchWriter::add(const TrainBatch& batch, std::size_t row) {
  assert(end_ + sample_bytes(batch, row) <= memory_.size());
  add_row(in_block(end_), batch.targets_of(row).size(), batch.weight(row));
  end_ += write_sample(batch, row, memory_.data() + end_);
}

std::size_t BatchWriter::finish(float learning_rate) {
  BatchHeader header = header_;
  header.learning_rate = learning_rate;
  while (header_.rows < capacity_) add_row(empty_, 0, 0);
  std::memcpy(memory_.data(), &header, sizeof header);
  return end_;
}

std::size_t block_bytes(const TrainBatch::Shape& shape) {
  return rows_end(shape) + sample_bytes(shape, 0, 0);
}

std::size_t packed_bytes(const TrainBatch::Shape& shape) {
  // The actions' bytes are spread over the rows, each rounded up once.
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
