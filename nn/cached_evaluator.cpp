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

}  // namespace

CachedEvaluator::CachedEvaluator(std::unique_ptr<Evaluator> inner, const Weights& weights,
                                 std::size_t max_rows, const CacheSettings& settings, Heap& heap)
    : inner_(std::move(inner)),
      model_(weights.id()),
      outcomes_(weights.spec().outcomes),
      logits_(settings.max_logits),
      slots_(&heap),
      oldest_(&heap),
      answers_(&heap),
      misses_(max_rows, {.max_active = settings.max_active}, heap),
      keys_(max_rows, &heap),
      miss_keys_(max_rows, &heap) {
  const std::size_t sets =
      std::max<std::size_t>(1, settings.bytes / set_bytes(weights.spec(), settings));
  slots_.assign(sets * kWays, 0);
  oldest_.assign(sets, 0);
  answers_.resize(slots_.size() * (outcomes_ + logits_));
}

std::size_t CachedEvaluator::bytes(const NetworkSpec& spec, std::size_t max_rows,
                                   const CacheSettings& settings) {
  return sizeof(CachedEvaluator) + std::max(settings.bytes, set_bytes(spec, settings)) +
         Batch::bytes(max_rows, {.max_active = settings.max_active}) +
         2 * max_rows * sizeof(std::uint64_t);
}

void CachedEvaluator::load(const Weights& weights) {
  inner_->load(weights);
  model_ = weights.id();
}

std::uint64_t CachedEvaluator::key_of(const SparseRows& features, std::size_t row,
                                      std::span<const std::uint16_t> wanted) const {
  const std::uint64_t key =
      hash(wanted, hash(features.value(row), hash(features.index(row), model_)));
  return key == 0 ? 1 : key;  // 0 marks an empty slot
}

bool CachedEvaluator::find(std::uint64_t key, const RowResult& answer) const {
  assert(answer.outcomes.size() == outcomes_);
  const std::size_t first = first_slot(key);
  for (std::size_t slot = first; slot < first + kWays; ++slot) {
    if (slots_[slot] != key) continue;
    const float* const stored = &answers_[slot * (outcomes_ + logits_)];
    std::copy_n(stored, outcomes_, answer.outcomes.data());
    std::copy_n(stored + outcomes_, answer.wanted.size(), answer.logits);
    return true;
  }
  return false;
}

void CachedEvaluator::store(std::uint64_t key, const RowResult& answer) {
  const std::size_t first = first_slot(key);
  std::uint8_t& oldest = oldest_[first / kWays];
  const std::size_t slot = first + oldest;
  oldest = static_cast<std::uint8_t>((oldest + 1) % kWays);
  slots_[slot] = key;
  float* const stored = &answers_[slot * (outcomes_ + logits_)];
  std::copy_n(answer.outcomes.data(), outcomes_, stored);
  std::copy_n(answer.logits, answer.wanted.size(), stored + outcomes_);
}

void CachedEvaluator::forward(Batch& batch, std::size_t first, std::size_t last) {
  const SparseRows& features = batch.encode(first, last);
  for (std::size_t row = first; row < last; ++row) {
    const std::uint64_t key = keys_[row - first] = key_of(features, row, batch.answer(row).wanted);
    __builtin_prefetch(&slots_[first_slot(key)]);
    __builtin_prefetch(&answers_[first_slot(key) * (outcomes_ + logits_)]);
  }
  misses_.clear();
  for (std::size_t row = first; row < last; ++row) {
    const RowResult& answer = batch.answer(row);
    const std::uint64_t key = keys_[row - first];
    if (has_room(answer) && find(key, answer)) {
      ++hits_;
      continue;
    }
    miss_keys_[misses_.size()] = key;
    misses_.add(answer, [&](FeatureRow& copy) {
      const auto index = features.index(row);
      const auto value = features.value(row);
      for (std::size_t i = 0; i < index.size(); ++i) copy.add(index[i], value[i]);
    });
  }
  if (misses_.size() == 0) return;
  inner_->forward(misses_);
  for (std::size_t row = 0; row < misses_.size(); ++row) {
    const RowResult& answer = misses_.answer(row);
    if (has_room(answer)) store(miss_keys_[row], answer);
  }
}

}  // namespace senet
