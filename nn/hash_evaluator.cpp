#include "nn/hash_evaluator.hpp"

#include <array>
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
/// `scattered` is mix(number).
std::uint32_t bits_of(std::uint64_t hash, std::uint64_t scattered) {
  return static_cast<std::uint32_t>(mix(hash ^ scattered) >> 48);
}

/// mix(first + i): what does not depend on the row.
template <std::size_t kCount>
constexpr std::array<std::uint64_t, kCount> scattered_numbers(std::uint64_t first) {
  std::array<std::uint64_t, kCount> scattered;
  for (std::size_t i = 0; i < kCount; ++i) scattered[i] = mix(first + i);
  return scattered;
}
constexpr auto kScatteredLogits = scattered_numbers<1024>(0);
constexpr auto kScatteredOutcomes = scattered_numbers<256>(std::uint64_t{1} << 32);

}  // namespace

void HashEvaluator::forward(const Batch& batch, std::size_t first, std::size_t last) {
  for (std::size_t row = first; row < last; ++row) {
    const std::uint64_t hash = hash_row(batch.index(row), batch.value(row));
    const RowAnswer& answer = batch.answer(row);
    for (std::size_t i = 0; i < answer.wanted.size(); ++i) {
      const std::uint16_t wanted = answer.wanted[i];
      if (wanted == kNoLogit) {
        answer.logits[i] = 0;
        continue;
      }
      const std::uint64_t scattered =
          wanted < kScatteredLogits.size() ? kScatteredLogits[wanted] : mix(wanted);
      answer.logits[i] = (static_cast<float>(bits_of(hash, scattered)) - 32768.0f) * 0x1p-13f;
    }
    // At most 255 outcomes of at most 2^16 each: the sum is exact in a float's 24 bits.
    float sum = 0;
    for (std::size_t i = 0; i < answer.outcomes.size(); ++i) {
      answer.outcomes[i] = static_cast<float>(1 + bits_of(hash, kScatteredOutcomes[i]));
      sum += answer.outcomes[i];
    }
    for (float& outcome : answer.outcomes) outcome /= sum;
  }
}

}  // namespace senet
