#include "tools/saved_batch.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "nn/file.hpp"
#include "nn/safetensors.hpp"
#include "senet/game.hpp"

namespace senet {

Result<void> save_batch(const TrainBatch& batch, std::size_t features,
                        const std::filesystem::path& file) {
  const std::size_t rows = batch.size(), outcomes = batch.shape().outcomes,
                    per_action = batch.shape().logits_per_action;
  std::size_t most = 0;
  for (std::size_t row = 0; row < rows; ++row) most = std::max(most, batch.targets_of(row).size());

  SafetensorsHeader header;
  std::uint64_t end = 0;
  const auto room = [&](const char* name, std::vector<std::uint64_t> shape, float filling) {
    std::uint64_t count = 1;
    for (const std::uint64_t size : shape) count *= size;
    header.tensors.push_back({name, std::move(shape), end, end + count * sizeof(float)});
    end += count * sizeof(float);
    return std::vector<float>(count, filling);
  };
  std::vector<float> dense = room("features", {rows, features}, 0);
  std::vector<float> values = room("outcomes", {rows, outcomes}, 0);
  std::vector<float> targets = room("targets", {rows, most}, 0);
  std::vector<float> logits = room("logits", {rows, most, per_action}, -1);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < batch.index(row).size(); ++i) {
      dense[row * features + batch.index(row)[i]] = batch.value(row)[i];
    }
    std::ranges::copy(batch.outcomes(row), &values[row * outcomes]);
    std::ranges::copy(batch.targets_of(row), targets.begin() + static_cast<long>(row * most));
    const auto numbers = batch.logits_of(row);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != kNoLogit) logits[row * most * per_action + i] = numbers[i];
    }
  }
  const std::string front = write_safetensors_header(header);
  return replace_file(file, {std::as_bytes(std::span(front)), std::as_bytes(std::span(dense)),
                             std::as_bytes(std::span(values)), std::as_bytes(std::span(targets)),
                             std::as_bytes(std::span(logits))});
}

}  // namespace senet
