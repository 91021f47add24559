// An evaluator that remembers: rows that were asked before are answered without the network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "nn/evaluates.hpp"
#include "nn/evaluator.hpp"

namespace senet {

/// A table of fixed size in sets of four slots; a new answer takes the place of the oldest of its
/// set. Belongs to one thread. Nothing is allocated after construction.
///
///   a slot    key u64   answer [outcomes + logits] f32
///             0: empty  outcomes first, then the wanted logits; what a row did not want is unused
///
/// Keys are hashes and the only proof that an answer is the right one: two questions of a million
/// entries share one with a probability of about one in ten million.
class EvaluationCache {
 public:
  /// As many slots as `bytes` hold (at least one set), for rows of `outcomes` outcomes and at most
  /// `logits` wanted logits.
  EvaluationCache(std::size_t bytes, std::size_t outcomes, std::size_t logits,
                  Heap& heap = default_heap());
  /// Memory of its slots: `bytes`, or one set where that is more.
  static std::size_t bytes(std::size_t bytes, std::size_t outcomes, std::size_t logits);

  /// Whether such an answer has room in a slot.
  bool holds(const RowAnswer& answer) const { return answer.wanted.size() <= logits_; }

  /// Brings the set of `key` near before find() or store() needs it.
  void prefetch(std::uint64_t key) const;

  /// Writes the remembered answer to where `answer` says; false when there is none. Needs holds().
  bool find(std::uint64_t key, const RowAnswer& answer) const;

  /// Remembers what stands where `answer` says. Needs holds().
  void store(std::uint64_t key, const RowAnswer& answer);

  std::size_t slots() const { return keys_.size(); }

 private:
  static constexpr std::size_t kWays = 4;

  // Of one set: keys, answers and which way is the oldest.
  static std::size_t set_bytes(std::size_t outcomes, std::size_t logits) {
    return kWays * (sizeof(std::uint64_t) + (outcomes + logits) * sizeof(float)) + 1;
  }
  std::size_t first_slot(std::uint64_t key) const;

  std::size_t outcomes_, logits_;
  std::pmr::vector<std::uint64_t> keys_;   // [sets, kWays]
  std::pmr::vector<std::uint8_t> oldest_;  // [sets]: the way that the next answer takes
  std::pmr::vector<float> answers_;        // [sets, kWays, outcomes + logits]
};

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
