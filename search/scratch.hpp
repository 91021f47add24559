// The memory that a search needs while a leaf is on its way to the network and back, the logits
// that it asks for among it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "search/backup.hpp"
#include "search/decision.hpp"
#include "search/rule.hpp"
#include "senet/game.hpp"

namespace senet {

/// One list of logits for the network, without padding and mostly without repeats, and where in it
/// each action finds its own. Never allocates; never moves while a batch points into it.
///
///   wanted()  [n] u16                    what to ask for
///   answers() [n] f32                    where the network writes them
///   places_   [actions, kLogitsPerAction]  numbers below n, or kMost, where a zero stands
template <Game G>
class WantedLogits {
 public:
  static constexpr std::size_t kMost = G::kMaxLegal * G::kLogitsPerAction;

  /// Starts over with these actions of `state`. Those of one logit are asked for as they stand:
  /// they rarely share it, as backgammon's do not, but the halves of its doubles repeat all the
  /// time.
  void list(const G& state, std::span<const Action> actions) {
    std::uint16_t* place = places_.data();
    size_ = 0;
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

  /// Valid until the next list(); the answers' memory stays where it is.
  std::span<const std::uint16_t> wanted() const { return {wanted_.data(), size_}; }
  float* answers() { return answers_.data(); }

  /// The logit of the `number`-th action, once the answers are there.
  float sum(std::size_t number) const {
    const std::uint16_t* place = &places_[number * G::kLogitsPerAction];
    float sum = 0;
    for (std::size_t k = 0; k < G::kLogitsPerAction; ++k) sum += answers_[place[k]];
    return sum;
  }

 private:
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
  // Where a logit was put last. Never cleared: an entry counts if that place holds its logit.
  std::array<std::uint16_t, G::kLogitsPerAction == 1 ? 1 : G::kPolicyLogits> known_{};
};

/// A search writes here from the gather() that finds a leaf to the absorb() that expands it, and
/// while it makes its decision(). In between nothing of it is kept, so many searches can take turns
/// with a few of these. Batches point into it: it never moves. Large for games with many moves
/// (backgammon: about 250 KiB), hence allocated whole by its owner.
template <Game G>
struct SearchScratch {
  static constexpr std::uint32_t kMaxDepth = 512;

  SearchScratch() = default;
  SearchScratch(const SearchScratch&) = delete;
  SearchScratch& operator=(const SearchScratch&) = delete;

  // The descent under way and its leaf.
  std::array<Hop, kMaxDepth> path;
  ActionList<G::kMaxLegal> moves;  // to consider at the leaf
  std::size_t rows;                // that it may ask for: of kAfterstates, one for each move
  Outcomes<G> outcomes{};          // kPosition: the leaf's own
  WantedLogits<G> wanted;          // kPosition: of its moves
  std::array<Outcomes<G>, G::kMaxLegal>
      afterstates{};  // kAfterstates: what its moves lead to, [moves]

  // Of edges, one after the other, while a node is written or read.
  std::array<float, kMaxEdges<G>> values, scores;
  std::array<std::uint16_t, kMaxEdges<G>> order;
  std::array<Proof, kMaxEdges<G>> proofs;
  std::array<std::uint32_t, kMaxEdges<G>> targets;
  std::array<Choice, kMaxEdges<G>> choices;  // what decision() returned last
};

}  // namespace senet
