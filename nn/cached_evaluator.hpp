// An evaluator that remembers: rows that were asked before are answered without the network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "nn/evaluates.hpp"
#include "nn/evaluation_cache.hpp"
#include "nn/evaluator.hpp"

namespace senet {

/// Sizes of a cache; see EvaluationCache.
struct CacheSettings {
  std::size_t bytes = 0;       // of the remembered answers; 0: no cache
  std::size_t max_active = 0;  // features of a row at most
  std::size_t max_logits = 0;  // rows that want more logits are not remembered
};

/// A cache for what searches of G ask. Afterstates want no logits; very wide positions are rare and
/// are not remembered.
template <Game G>
CacheSettings cache_settings(std::size_t bytes, Evaluates evaluates,
                             std::size_t max_active = G::kMaxActive) {
  constexpr std::size_t kMostLogits = std::min<std::size_t>(G::kMaxLegal * G::kLogitsPerAction, 96);
  return {bytes, max_active, evaluates == Evaluates::kPosition ? kMostLogits : 0};
}

/// Asks `inner` only for rows it does not remember. The key is what the network sees: the row's
/// features, the logits it wants and the network's id, so that answers of other weights are never
/// found. Where the inner evaluator gives a row the same bits in every batch, results are the same
/// with and without the cache.
class CachedEvaluator final : public Evaluator {
 public:
  /// `inner` has `weights` loaded and was built for `max_rows` rows, and so is this. All memory
  /// comes from `heap`, which outlives it.
  CachedEvaluator(std::unique_ptr<Evaluator> inner, const Weights& weights, std::size_t max_rows,
                  const CacheSettings& settings, Heap& heap = default_heap());
  /// Memory of one, beside `inner`.
  static std::size_t bytes(const NetworkSpec& spec, std::size_t max_rows,
                           const CacheSettings& settings);

  using Evaluator::forward;
  /// The inner one's, which computed the answers.
  std::string_view name() const override { return inner_->name(); }
  void load(const Weights& weights) override;
  void forward(const Batch& batch, std::size_t first, std::size_t last) override;

  /// Rows answered from memory so far.
  std::uint64_t hits() const { return hits_; }

 private:
  std::uint64_t key_of(const Batch& batch, std::size_t row) const;

  std::unique_ptr<Evaluator> inner_;
  std::uint64_t model_;
  EvaluationCache cache_;
  Batch unknown_;                           // the rows to ask
  std::pmr::vector<std::uint64_t> keys_;    // [rows of the range]
  std::pmr::vector<std::uint64_t> learnt_;  // [rows of unknown_]: their keys
  std::uint64_t hits_ = 0;
};

}  // namespace senet
