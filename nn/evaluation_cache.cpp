#include "nn/evaluation_cache.hpp"

#include <algorithm>
#include <cassert>

namespace senet {
namespace {

// No question hashes to what marks an empty slot.
std::uint64_t slot_key(std::uint64_t key) { return key == 0 ? 1 : key; }

}  // namespace

EvaluationCache::EvaluationCache(std::size_t bytes, std::size_t outcomes, std::size_t logits,
                                 Heap& heap)
    : outcomes_(outcomes), logits_(logits), keys_(&heap), oldest_(&heap), answers_(&heap) {
  const std::size_t sets = std::max<std::size_t>(1, bytes / set_bytes(outcomes, logits));
  keys_.assign(sets * kWays, 0);
  oldest_.assign(sets, 0);
  answers_.resize(sets * kWays * (outcomes + logits));
}

std::size_t EvaluationCache::bytes(std::size_t bytes, std::size_t outcomes, std::size_t logits) {
  return std::max(bytes, set_bytes(outcomes, logits));
}

std::size_t EvaluationCache::first_slot(std::uint64_t key) const {
  return static_cast<std::size_t>(key % oldest_.size()) * kWays;
}

void EvaluationCache::prefetch(std::uint64_t key) const {
  const std::size_t first = first_slot(key);
  __builtin_prefetch(&keys_[first]);
  __builtin_prefetch(&answers_[first * (outcomes_ + logits_)]);
}

bool EvaluationCache::find(std::uint64_t key, const RowAnswer& answer) const {
  assert(holds(answer) && answer.outcomes.size() == outcomes_);
  const std::size_t first = first_slot(key);
  for (std::size_t slot = first; slot < first + kWays; ++slot) {
    if (keys_[slot] != slot_key(key)) continue;
    const float* const stored = &answers_[slot * (outcomes_ + logits_)];
    std::copy_n(stored, outcomes_, answer.outcomes.data());
    std::copy_n(stored + outcomes_, answer.wanted.size(), answer.logits);
    return true;
  }
  return false;
}

void EvaluationCache::store(std::uint64_t key, const RowAnswer& answer) {
  assert(holds(answer) && answer.outcomes.size() == outcomes_);
  const std::size_t first = first_slot(key);
  std::uint8_t& oldest = oldest_[first / kWays];
  const std::size_t slot = first + oldest;
  oldest = static_cast<std::uint8_t>((oldest + 1) % kWays);
  keys_[slot] = slot_key(key);
  float* const stored = &answers_[slot * (outcomes_ + logits_)];
  std::copy_n(answer.outcomes.data(), outcomes_, stored);
  std::copy_n(answer.logits, answer.wanted.size(), stored + outcomes_);
}

}  // namespace senet
