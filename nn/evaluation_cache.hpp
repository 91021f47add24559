// Answers that a network has given before, by what it was asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nn/batch.hpp"

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

}  // namespace senet
