#include "nn/cached_evaluator.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cassert>

namespace senet {
namespace {

template <class Value>
std::uint64_t hash(std::span<const Value> values, std::uint64_t seed) {
  return XXH3_64bits_withSeed(values.data(), values.size_bytes(), seed);
}

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

CachedEvaluator::CachedEvaluator(std::unique_ptr<Evaluator> inner, const Weights& weights,
                                 std::size_t max_rows, const CacheSettings& settings, Heap& heap)
    : inner_(std::move(inner)),
      model_(weights.id()),
      cache_(settings.bytes, weights.spec().outcomes, settings.max_logits, heap),
      unknown_(max_rows, settings.max_active, heap),
      keys_(max_rows, &heap),
      learnt_(max_rows, &heap) {}

std::size_t CachedEvaluator::bytes(const NetworkSpec& spec, std::size_t max_rows,
                                   const CacheSettings& settings) {
  return sizeof(CachedEvaluator) +
         EvaluationCache::bytes(settings.bytes, spec.outcomes, settings.max_logits) +
         Batch::bytes(max_rows, settings.max_active) + 2 * max_rows * sizeof(std::uint64_t);
}

void CachedEvaluator::load(const Weights& weights) {
  inner_->load(weights);
  model_ = weights.id();
}

std::uint64_t CachedEvaluator::key_of(const Batch& batch, std::size_t row) const {
  return hash(batch.answer(row).wanted, hash(batch.value(row), hash(batch.index(row), model_)));
}

void CachedEvaluator::forward(const Batch& batch, std::size_t first, std::size_t last) {
  for (std::size_t row = first; row < last; ++row) {
    keys_[row - first] = key_of(batch, row);
    cache_.prefetch(keys_[row - first]);
  }
  unknown_.clear();
  for (std::size_t row = first; row < last; ++row) {
    const RowAnswer& answer = batch.answer(row);
    const std::uint64_t key = keys_[row - first];
    if (cache_.holds(answer) && cache_.find(key, answer)) {
      ++hits_;
      continue;
    }
    learnt_[unknown_.size()] = key;
    unknown_.add(answer, [&](FeatureRow& features) {
      const auto index = batch.index(row);
      const auto value = batch.value(row);
      for (std::size_t i = 0; i < index.size(); ++i) features.add(index[i], value[i]);
    });
  }
  if (unknown_.size() == 0) return;
  inner_->forward(unknown_);
  for (std::size_t row = 0; row < unknown_.size(); ++row) {
    const RowAnswer& answer = unknown_.answer(row);
    if (cache_.holds(answer)) cache_.store(learnt_[row], answer);
  }
}

}  // namespace senet
