// An evaluator with a cache: rows that were evaluated before need no network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "nn/evaluates.hpp"
#include "nn/evaluator.hpp"

namespace senet {

/// Sizes of a cache; see CachedEvaluator.
struct CacheSettings {
  std::size_t bytes = 0;       // of the stored answers; 0: no cache
  std::size_t max_active = 0;  // maximum number of features of a row
  std::size_t max_logits = 0;  // rows that want more logits are not stored
};

/// The cache settings for searches of the game to which the state `game` belongs. Afterstate rows
/// want no logits. Very wide positions are rare and are not stored.
template <Game G>
CacheSettings cache_settings(const G& game, std::size_t bytes, Evaluates evaluates) {
  constexpr std::size_t kAll = G::kMaxLegal * G::kLogitsPerAction;
  constexpr std::size_t kMaxLogits = std::min<std::size_t>(kAll, 96);
  const std::size_t logits = evaluates == Evaluates::kMoves      ? kAll * kOutcomes<G>
                             : evaluates == Evaluates::kPosition ? kMaxLogits
                                                                 : 0;
  return {bytes, most_active(game), logits};
}

/// Passes only rows that are not in the cache to `inner`. If `inner` gives a row the same bits in
/// every batch, the cache does not change results.
///
/// The table has a fixed size and consists of sets of four slots; a new answer replaces the oldest
/// of its set:
///
///   a slot    key u64   answer [outcomes + logits] f32
///             0: empty  outcomes first, then the wanted logits; unwanted entries are unused
///
/// A key hashes what determines the answer: the row's features, its wanted logits and the network's
/// id. So the answers of other weights are never found. Only the key is compared: among a million
/// entries, two different rows share a key with a probability of about one in ten million.
class CachedEvaluator final : public Evaluator {
 public:
  /// `inner` has `weights` loaded and was built for `max_rows` rows, which is also the maximum
  /// here. The table has as many slots as fit into settings.bytes, at least one set. All memory
  /// comes from `heap`, which outlives the evaluator.
  CachedEvaluator(std::unique_ptr<Evaluator> inner, const Weights& weights, std::size_t max_rows,
                  const CacheSettings& settings, Heap& heap = default_heap());
  /// Memory of a cached evaluator, without `inner`.
  static std::size_t bytes(const NetworkSpec& spec, std::size_t max_rows,
                           const CacheSettings& settings);

  using Evaluator::forward;
  /// The name of `inner`, which computes the answers.
  std::string_view name() const override { return inner_->name(); }
  void load(const Weights& weights) override;
  void forward(Batch& batch, std::size_t first, std::size_t last) override;

  std::uint64_t cache_hits() const override { return hits_; }
  std::size_t slots() const { return slots_.size(); }

 private:
  static constexpr std::size_t kWays = 4;

  // Bytes of one set: keys, answers and the index of the oldest way.
  static std::size_t set_bytes(const NetworkSpec& spec, const CacheSettings& settings) {
    const std::size_t answer = (spec.outcomes + settings.max_logits) * sizeof(float);
    return kWays * (sizeof(std::uint64_t) + answer) + 1;
  }
  std::size_t first_slot(std::uint64_t key) const { return key % oldest_.size() * kWays; }
  std::uint64_t key_of(const SparseRows& features, std::size_t row,
                       std::span<const std::uint16_t> wanted) const;
  bool has_room(const RowResult& answer) const { return answer.wanted.size() <= logits_; }
  // Copies the stored answer to `answer`; false when there is none.
  bool find(std::uint64_t key, const RowResult& answer) const;
  // Stores the values that `answer` points to.
  void store(std::uint64_t key, const RowResult& answer);

  std::unique_ptr<Evaluator> inner_;
  std::uint64_t model_;
  std::size_t outcomes_, logits_;
  std::pmr::vector<std::uint64_t> slots_;      // [sets, kWays]: keys
  std::pmr::vector<std::uint8_t> oldest_;      // [sets]: the way to replace next
  std::pmr::vector<float> answers_;            // [sets, kWays, outcomes + logits]
  Batch misses_;                               // the rows for `inner`
  std::pmr::vector<std::uint64_t> keys_;       // [rows of the range]
  std::pmr::vector<std::uint64_t> miss_keys_;  // [rows of misses_]: their keys
  std::uint64_t hits_ = 0;
};

/// `evaluator` behind a cache; `evaluator` itself if settings.bytes is 0.
inline std::unique_ptr<Evaluator> with_cache(std::unique_ptr<Evaluator> evaluator,
                                             const Weights& weights, std::size_t max_rows,
                                             const CacheSettings& settings,
                                             Heap& heap = default_heap()) {
  if (settings.bytes == 0) return evaluator;
  return std::make_unique<CachedEvaluator>(std::move(evaluator), weights, max_rows, settings, heap);
}

}  // namespace senet
