// An evaluator that remembers: rows that were asked before are answered without the network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "nn/evaluates.hpp"
#include "nn/evaluator.hpp"

namespace senet {

/// Sizes of a cache; see CachedEvaluator.
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

/// Asks `inner` only for rows it does not remember. Where the inner evaluator gives a row the same
/// bits in every batch, results are the same with and without the cache.
///
/// Answers lie in a table of fixed size in sets of four slots; a new one takes the place of the
/// oldest of its set:
///
///   a slot    key u64   answer [outcomes + logits] f32
///             0: empty  outcomes first, then the wanted logits; what a row did not want is unused
///
/// A key is a hash of what the network sees, the row's features and the logits it wants, and of the
/// network's id, so that answers of other weights are never found. It is the only proof that an
/// answer is the right one: two questions of a million entries share one with a probability of
/// about one in ten million.
class CachedEvaluator final : public Evaluator {
 public:
  /// `inner` has `weights` loaded and was built for `max_rows` rows, and so is this. As many slots
  /// as settings.bytes hold, at least one set. All memory comes from `heap`, which outlives it.
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
  std::size_t slots() const { return slots_.size(); }

 private:
  static constexpr std::size_t kWays = 4;

  // Of one set: keys, answers and which way is the oldest.
  static std::size_t set_bytes(const NetworkSpec& spec, const CacheSettings& settings) {
    const std::size_t answer = (spec.outcomes + settings.max_logits) * sizeof(float);
    return kWays * (sizeof(std::uint64_t) + answer) + 1;
  }
  std::size_t first_slot(std::uint64_t key) const { return key % oldest_.size() * kWays; }
  std::uint64_t key_of(const Batch& batch, std::size_t row) const;
  bool has_room(const RowAnswer& answer) const { return answer.wanted.size() <= logits_; }
  // Writes the remembered answer to where `answer` says; false when there is none.
  bool find(std::uint64_t key, const RowAnswer& answer) const;
  // Remembers what stands where `answer` says.
  void store(std::uint64_t key, const RowAnswer& answer);

  std::unique_ptr<Evaluator> inner_;
  std::uint64_t model_;
  std::size_t outcomes_, logits_;
  std::pmr::vector<std::uint64_t> slots_;   // [sets, kWays]: keys
  std::pmr::vector<std::uint8_t> oldest_;   // [sets]: the way that the next answer takes
  std::pmr::vector<float> answers_;         // [sets, kWays, outcomes + logits]
  Batch unknown_;                           // the rows to ask
  std::pmr::vector<std::uint64_t> keys_;    // [rows of the range]
  std::pmr::vector<std::uint64_t> learnt_;  // [rows of unknown_]: their keys
  std::uint64_t hits_ = 0;
};

}  // namespace senet
