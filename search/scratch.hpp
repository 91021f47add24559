// The memory that a search needs for each leaf in flight, including the list of wanted logits.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "nn/heap.hpp"
#include "search/backup.hpp"
#include "search/decision.hpp"
#include "search/rule.hpp"
#include "senet/game.hpp"

namespace senet {

/// A leaf's list of wanted logits, without padding and mostly without repeats, and the positions of
/// each action's logits in it. Never allocates; must not move while a batch points into it.
///
///   wanted()  [n] u16                      the logits to compute
///   answers() [n] f32                      their values, written by the network
///   places_   [actions, kLogitsPerAction]  indices below n, or kMost, where a zero is stored
///
/// Of a dueling network, a logit's advantages, one for each outcome, take its place.
template <Game G>
class WantedLogits {
 public:
  static constexpr std::size_t kMost =
      G::kMaxLegal * G::kLogitsPerAction * (kHasFewMoves<G> ? kOutcomes<G> : 1);

  /// Lists these actions of `state`. The logits of single-logit actions are listed without a check
  /// for repeats, because they are rarely shared (never in backgammon). The halves of backgammon's
  /// doubles, in contrast, often repeat.
  void list(const G& state, std::span<const Action> actions) {
    size_ = 0;
    if constexpr (kIsPlain) {
      for (const Action action : actions) wanted_[size_++] = state.logits_of(action)[0];
      return;
    }
    std::uint16_t* place = places_.data();
    for (const Action action : actions) {
      const std::array<std::uint16_t, G::kLogitsPerAction> logits = state.logits_of(action);
      if (is_single(logits)) {
        wanted_[size_] = logits[0];
        place[0] = static_cast<std::uint16_t>(size_++);
        for (std::size_t k = 1; k < G::kLogitsPerAction; ++k) place[k] = kNowhere;
      } else {
        for (std::size_t k = 0; k < G::kLogitsPerAction; ++k) {
          place[k] = logits[k] == kNoLogit ? kNowhere : find_or_add(logits[k]);
        }
      }
      place += G::kLogitsPerAction;
    }
  }

  /// Lists all advantages of these actions.
  void list_advantages(const G& state, std::span<const Action> actions) requires kHasFewMoves<G> {
    const auto outcomes = static_cast<std::uint16_t>(outcome_values(state).size());
    size_ = 0;
    std::uint16_t* place = places_.data();
    for (const Action action : actions) {
      for (const std::uint16_t logit : state.logits_of(action)) {
        *place++ = logit == kNoLogit ? kNowhere : static_cast<std::uint16_t>(size_);
        if (logit == kNoLogit) continue;
        for (std::uint16_t i = 0; i < outcomes; ++i) {
          wanted_[size_++] = static_cast<std::uint16_t>(logit * outcomes + i);
        }
      }
    }
  }

  /// Lists `actions` actions without logits: all sums are 0.
  void list_none(std::size_t actions) {
    if constexpr (kIsPlain) {
      std::fill_n(answers_.begin(), actions, 0.0f);
    } else {
      std::fill_n(places_.begin(), actions * G::kLogitsPerAction, kNowhere);
    }
    size_ = 0;
  }

  /// Valid until the next list(). The memory of the answers does not move.
  std::span<const std::uint16_t> wanted() const { return {wanted_.data(), size_}; }
  float* answers() { return answers_.data(); }

  /// The summed logit of action `number`, after the network has written the answers.
  float sum(std::size_t number) const {
    if constexpr (kIsPlain) return answers_[number];
    const std::uint16_t* place = &places_[number * G::kLogitsPerAction];
    float sum = 0;
    for (std::size_t k = 0; k < G::kLogitsPerAction; ++k) sum += answers_[place[k]];
    return sum;
  }
  /// The same, after list_advantages(): the advantage of action `number` for an outcome.
  float advantage(std::size_t number, std::size_t outcome) const {
    const std::uint16_t* place = &places_[number * G::kLogitsPerAction];
    float sum = 0;
    for (std::size_t k = 0; k < G::kLogitsPerAction; ++k) {
      if (place[k] != kNowhere) sum += answers_[place[k] + outcome];
    }
    return sum;
  }

 private:
  // Each action has one logit: they are in the order of the actions.
  static constexpr bool kIsPlain = G::kLogitsPerAction == 1;
  static constexpr auto kNowhere = static_cast<std::uint16_t>(kMost);
  static_assert(kMost < 0xffff);

  static bool is_single(const std::array<std::uint16_t, G::kLogitsPerAction>& logits) {
    if constexpr (G::kLogitsPerAction == 1) return true;
    return logits[1] == kNoLogit;
  }

  std::uint16_t find_or_add(std::uint16_t logit) {
    const std::uint16_t place = known_[logit];
    const bool is_there = place < size_ && wanted_[place] == logit;
    wanted_[size_] = logit;
    const auto now = is_there ? place : static_cast<std::uint16_t>(size_);
    known_[logit] = now;
    size_ += is_there ? 0 : 1;
    return now;
  }

  std::size_t size_ = 0;
  std::array<std::uint16_t, kMost> wanted_;
  std::array<float, kMost + 1> answers_{};  // the last stays 0
  std::array<std::uint16_t, kMost> places_;
  // The last position of each logit. Never cleared: an entry is valid if that position holds the
  // logit.
  std::array<std::uint16_t, G::kLogitsPerAction == 1 ? 1 : G::kPolicyLogits> known_{};
};

/// The moves of a position whose advantages a dueling network is asked for: those that a search
/// considers, whose mean is subtracted, then others that it has to answer.
template <Game G>
struct AskedMoves {
  std::array<Action, kHasFewMoves<G> ? G::kMaxLegal : 1> moves;
  std::size_t size = 0, in_mean = 0;

  std::span<const Action> all() const { return {moves.data(), size}; }
};

/// Memory that a search uses for each visit from the gather() that begins it to the absorb() that
/// expands its leaf, and in decision(). It keeps nothing in between, so a few of these can serve
/// many searches (ScratchPool). Batches point into it: it never moves. Large for games with many
/// moves (backgammon: about 250 KiB), hence allocated on the heap by its owner.
template <Game G>
struct SearchScratch {
  static constexpr std::uint32_t kMaxDepth = 512;

  SearchScratch() = default;
  SearchScratch(const SearchScratch&) = delete;
  SearchScratch& operator=(const SearchScratch&) = delete;

  // The visit's descent and its leaf.
  std::array<Hop, kMaxDepth> path;
  std::uint32_t depth;  // hops of the path
  NodeId leaf;
  std::size_t next_row;            // the first row that is in no batch yet
  ActionList<G::kMaxLegal> moves;  // moves to consider at the leaf
  std::size_t rows;                // rows of the leaf; in kAfterstates at most one per move
  bool is_known;                   // the results of all moves are known without the network
  Outcomes<G> outcomes{};          // of the leaf, unless kAfterstates; in kMoves the value stream
  WantedLogits<G> wanted;          // of the leaf's moves, unless kAfterstates
  AskedMoves<G> asked;             // kMoves: what `wanted` lists
  std::array<Outcomes<G>, G::kMaxLegal>
      afterstates{};  // kAfterstates, kMoves: of the leaf's moves, [moves]
  // Plies: moves and afterstates are those of several rolls; [i + 1] is the end of roll i's.
  std::array<std::uint16_t, std::max<std::size_t>(1, kMaxChance<G>) + 1> ends;

  // Per edge of a node, while the node is written or read.
  std::array<float, kMaxEdges<G>> values, scores;
  std::array<std::uint16_t, kMaxEdges<G>> order;
  std::array<Proof, kMaxEdges<G>> proofs;
  std::array<std::uint32_t, kMaxEdges<G>> targets;
  std::array<Choice, kMaxEdges<G>> choices;  // the result of the last decision()
};

/// Scratches that searches on one thread share: one for each leaf in flight, and one for the search
/// that makes a visit or reads its decision.
template <Game G>
class ScratchPool {
 public:
  explicit ScratchPool(std::size_t count, Heap& heap = default_heap())
      : scratches_(&heap), free_(&heap) {
    scratches_.reserve(count);
    free_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      scratches_.push_back(make_on_heap<SearchScratch<G>>(heap));
      free_.push_back(scratches_.back().get());
    }
  }
  static std::size_t bytes(std::size_t count) { return count * (sizeof(SearchScratch<G>) + 64); }

  /// Requires that one is free.
  SearchScratch<G>* take() {
    assert(!free_.empty());
    SearchScratch<G>* const scratch = free_.back();
    free_.pop_back();
    return scratch;
  }
  void give_back(SearchScratch<G>* scratch) { free_.push_back(scratch); }

 private:
  std::pmr::vector<OnHeap<SearchScratch<G>>> scratches_;
  std::pmr::vector<SearchScratch<G>*> free_;
};

}  // namespace senet
