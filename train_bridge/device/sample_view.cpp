#include "train_bridge/device/sample_view.hpp"

#include <cstring>

#include "nn/round_up.hpp"

namespace senet {
namespace {

/// Copies values to memory; returns what is behind them.
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

std::size_t actions_of(const TrainBatch& batch, std::size_t row) {
  return batch.first_action(row + 1) - batch.first_action(row);
}

}  // namespace

std::size_t sample_bytes(const TrainBatch::Shape& shape, std::size_t entries, std::size_t actions) {
  const std::size_t bytes = sizeof(SampleHeader) +
                            sizeof(float) * (shape.outcomes + entries + actions) +
                            sizeof(std::uint16_t) * (entries + actions * shape.logits_per_action);
  return round_up(bytes, kSampleAlignment);
}

std::size_t sample_bytes(const TrainBatch& batch, std::size_t row) {
  return sample_bytes(batch.shape(), batch.index(row).size(), actions_of(batch, row));
}

std::size_t write_sample(const TrainBatch& batch, std::size_t row, std::byte* memory) {
  const SampleHeader header =
      header_of(batch.shape(), batch.index(row).size(), actions_of(batch, row));
  std::byte* to = put(memory, std::span(&header, 1));
  to = put(to, batch.outcomes(row));
  to = put(to, batch.value(row));
  to = put(to, batch.targets_of(row));
  to = put(to, batch.index(row));
  put(to, batch.logits_of(row));
  return sample_bytes(batch, row);
}

std::size_t write_empty_sample(const TrainBatch::Shape& shape, std::byte* memory) {
  const SampleHeader header = header_of(shape, 0, 0);
  std::memset(memory, 0, sample_bytes(shape, 0, 0));
  put(memory, std::span(&header, 1));
  return sample_bytes(shape, 0, 0);
}

}  // namespace senet
