// The memory that a search needs while a leaf is on its way to the network and back.
#pragma once

#include <array>
#include <cstdint>

#include "search/backup.hpp"
#include "search/decision.hpp"
#include "search/rule.hpp"
#include "search/wanted_logits.hpp"

namespace senet {

/// A search writes here from the gather() that finds a leaf to the absorb() that expands it, and
/// while it tells its decision(). In between nothing of it is kept, so many searches can take turns
/// with a few of these. Batches point into it: it never moves. Large for games with many moves
/// (backgammon: about 250 KiB), hence allocated whole by whoever owns it.
template <Game G>
struct SearchScratch {
  static constexpr std::uint32_t kMaxDepth = 512;

  SearchScratch() = default;
  SearchScratch(const SearchScratch&) = delete;
  SearchScratch& operator=(const SearchScratch&) = delete;

  // The descent under way and its leaf.
  std::array<Hop, kMaxDepth> path;
  ActionList<G::kMaxLegal> moves;                  // to consider at the leaf
  Outcomes<G> outcomes{};                          // kPosition: the leaf's own
  WantedLogits<G> wanted;                          // kPosition: of its moves
  std::array<Outcomes<G>, G::kMaxLegal> family{};  // kAfterstates: what its moves lead to, [moves]

  // Of edges, one after the other, while a node is written or read.
  std::array<float, kMaxEdges<G>> values, scores;
  std::array<std::uint16_t, kMaxEdges<G>> order;
  std::array<Proof, kMaxEdges<G>> proofs;
  std::array<std::uint32_t, kMaxEdges<G>> targets;
  std::array<Choice, kMaxEdges<G>> choices;  // what decision() returned last
};

}  // namespace senet
