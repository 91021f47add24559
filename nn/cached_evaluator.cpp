#include "nn/cached_evaluator.hpp"

#include <xxhash.h>

#include <algorithm>

namespace senet {
namespace {

template <class Value>
std::uint64_t hash(std::span<const Value> values, std::uint64_t seed) {
  return XXH3_64bits_withSeed(values.data(), values.size_bytes(), seed);
}

}  // namespace

CachedEvaluator::CachedEvaluator(std::unique_ptr<Evaluator> inner, const Network& network,
                                 std::size_t max_rows, const CacheSettings& settings)
    : inner_(std::move(inner)),
      model_(network.id()),
      cache_(settings.bytes, network.spec().outcomes, settings.max_logits),
      unknown_(max_rows, settings.max_active),
      keys_(max_rows),
      learnt_(max_rows) {}

void CachedEvaluator::load(const Network& network) {
  inner_->load(network);
  model_ = network.id();
}

std::uint64_t CachedEvaluator::key_of(const Batch& batch, std::size_t row) const {
  return hash(batch.answer(row).wanted, hash(batch.value(row), hash(batch.index(row), model_)));
}

void CachedEvaluator::forward(const Batch& batch) {
  for (std::size_t row = 0; row < batch.size(); ++row) {
    keys_[row] = key_of(batch, row);
    cache_.prefetch(keys_[row]);
  }
  unknown_.clear();
  for (std::size_t row = 0; row < batch.size(); ++row) {
    const RowAnswer& answer = batch.answer(row);
    if (cache_.holds(answer) && cache_.find(keys_[row], answer)) {
      ++hits_;
      continue;
    }
    learnt_[unknown_.size()] = keys_[row];
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
