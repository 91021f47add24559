#include "nn/hash_evaluator.hpp"

#include <bit>

namespace senet {
namespace {

/// A sum over the features, so that their order does not matter; zeros count as left out.
std::uint64_t hash_row(std::span<const std::uint16_t> index, std::span<const float> value) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (value[i] == 0.0f) continue;
    sum += mix((std::uint64_t{index[i]} << 32) | std::bit_cast<std::uint32_t>(value[i]));
  }
  return mix(sum);
}

/// 16 bits of the stream that belongs to this hash: logit i is number i, outcome i number 2^32 + i.
std::uint32_t bits_of(std::uint64_t hash, std::uint64_t number) {
  return static_cast<std::uint32_t>(mix(hash ^ mix(number)) >> 48);
}

constexpr std::uint64_t kFirstOutcome = std::uint64_t{1} << 32;

}  // namespace

void HashEvaluator::forward(const Batch& batch) {
  for (std::size_t row = 0; row < batch.size(); ++row) {
    const std::uint64_t hash = hash_row(batch.index(row), batch.value(row));
    const RowAnswer& answer = batch.answer(row);
    for (std::size_t i = 0; i < answer.wanted.size(); ++i) {
      const std::uint16_t wanted = answer.wanted[i];
      const auto bits = static_cast<float>(bits_of(hash, wanted));
      answer.logits[i] = wanted == kNoLogit ? 0.0f : (bits - 32768.0f) * 0x1p-13f;
    }
    // At most 255 outcomes of at most 2^16 each: the sum is exact in a float's 24 bits.
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < answer.outcomes.size(); ++i) {
      sum += 1 + bits_of(hash, kFirstOutcome + i);
    }
    for (std::size_t i = 0; i < answer.outcomes.size(); ++i) {
      answer.outcomes[i] =
          static_cast<float>(1 + bits_of(hash, kFirstOutcome + i)) / static_cast<float>(sum);
    }
  }
}

}  // namespace senet
