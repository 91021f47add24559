// The opened edges of a node: how they lie in memory, what they add up to and which has the highest
// score, four at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "search/node.hpp"
#include "senet/game.hpp"

namespace senet {

/// Four edges side by side, as the compiler's own vectors: every processor has registers for them.
inline constexpr std::uint32_t kLanes = 4;
using FloatLanes = float __attribute__((vector_size(4 * kLanes)));
using IntLanes = std::int32_t __attribute__((vector_size(4 * kLanes)));
inline constexpr IntLanes kLaneNumbers{0, 1, 2, 3};

inline FloatLanes as_floats(IntLanes lanes) { return __builtin_convertvector(lanes, FloatLanes); }
inline float sum_of(FloatLanes lanes) {
  lanes += __builtin_shuffle(lanes, IntLanes{2, 3, 0, 1});
  return lanes[0] + lanes[1];
}

/// q of an edge that is not there: below every score, and nothing when multiplied by no visits.
inline constexpr float kNoEdgeValue = -1e30f;

/// Four opened edges in one cache line, which is all that selection reads of them:
///
///   0        16       32       48          64
///   +--------+--------+--------+-----------+
///   | q f32x4| p f32x4| n i32x4| child u32 |    q: value for the player of the edge's parent
///   +--------+--------+--------+-----------+
///
/// A node's blocks follow each other; edges behind its last one are not there (kNoEdgeValue, p = 0,
/// n = 0), and reading them does no harm.
struct alignas(64) EdgeBlock {
  FloatLanes q = FloatLanes{} + kNoEdgeValue;
  FloatLanes p{};
  IntLanes n{};
  std::array<NodeId, kLanes> child{kNoNode, kNoNode, kNoNode, kNoNode};
};
static_assert(sizeof(EdgeBlock) == 64);
inline constexpr std::uint32_t kBlockWords = sizeof(EdgeBlock) / 4;

/// Blocks that a node with so many opened edges has: 1, 2, 4, 8 ...
constexpr std::uint32_t hot_blocks(std::uint32_t opened) {
  return opened == 0 ? 0 : std::bit_ceil((opened + kLanes - 1) / kLanes);
}
constexpr std::uint32_t hot_words(std::uint32_t opened) { return kBlockWords * hot_blocks(opened); }

/// The opened edges of one node, by number.
class HotEdges {
 public:
  explicit HotEdges(EdgeBlock* blocks) : blocks_(blocks) {}

  /// The block that starts with this edge, a multiple of kLanes.
  EdgeBlock& block(std::uint32_t edge) const { return blocks_[edge / kLanes]; }

  auto& q(std::uint32_t edge) const { return blocks_[edge / kLanes].q[edge % kLanes]; }
  auto& p(std::uint32_t edge) const { return blocks_[edge / kLanes].p[edge % kLanes]; }
  auto& n(std::uint32_t edge) const { return blocks_[edge / kLanes].n[edge % kLanes]; }
  NodeId& child(std::uint32_t edge) const { return blocks_[edge / kLanes].child[edge % kLanes]; }

 private:
  EdgeBlock* blocks_;
};

/// What a node's edges add up to, all but one of them.
struct EdgeSums {
  float value;   // of decisions: q n; of chance: q p
  float weight;  // of decisions: n; of chance: the p of what has been seen
};

/// q n and n of the edges of a decision but for `left_out`.
///   lost     the worst value of the game: edges that are proven to be worth it do not count
inline EdgeSums sum_of_actions(HotEdges edges, std::uint32_t opened, std::uint32_t left_out,
                               float lost) {
  FloatLanes value{}, weight{};
  for (std::uint32_t i = 0; i < opened; i += kLanes) {
    const EdgeBlock& block = edges.block(i);
    const IntLanes others = kLaneNumbers != static_cast<std::int32_t>(left_out - i);
    const IntLanes counted = others & ~((block.p == 0.0f) & (block.q == lost));
    const FloatLanes n = as_floats(block.n & counted);
    weight += n;
    value += block.q * n;
  }
  return {sum_of(value), sum_of(weight)};
}

/// q p and p of the outcomes of chance that have been seen, but for `left_out`.
inline EdgeSums sum_of_outcomes(HotEdges edges, std::uint32_t opened, std::uint32_t left_out) {
  FloatLanes value{}, weight{};
  for (std::uint32_t i = 0; i < opened; i += kLanes) {
    const EdgeBlock& block = edges.block(i);
    const IntLanes others = kLaneNumbers != static_cast<std::int32_t>(left_out - i);
    const FloatLanes p = (others & (block.n > 0)) ? block.p : FloatLanes{};
    weight += p;
    value += p * block.q;
  }
  return {sum_of(value), sum_of(weight)};
}

/// The highest of a node's scores, seen four edges at a time. Which edge wins is what no processor
/// can predict, so nothing branches on it.
class HighestScore {
 public:
  /// Scores of the first edges.
  explicit HighestScore(FloatLanes scores) : best_(scores) {}

  /// Scores of the edges first .. first + kLanes - 1.
  void see(FloatLanes scores, std::uint32_t first) {
    const IntLanes higher = scores > best_;
    best_ = higher ? scores : best_;
    at_ = higher ? kLaneNumbers + static_cast<std::int32_t>(first) : at_;
  }

  /// The first edge with the highest score.
  struct Edge {
    std::uint32_t index;
    float score;
  };
  Edge edge() const {
    // Each lane becomes one whole number: its score, and below it the index, lower being better.
    const auto bits = std::bit_cast<IntLanes>(best_);
    const IntLanes ordered = bits ^ ((bits >> 31) & 0x7fffffff);  // ordered as the floats are
    using Pair = std::int64_t __attribute__((vector_size(16)));
    const auto low = std::bit_cast<Pair>(__builtin_shuffle(~at_, ordered, IntLanes{0, 4, 1, 5}));
    const auto high = std::bit_cast<Pair>(__builtin_shuffle(~at_, ordered, IntLanes{2, 6, 3, 7}));
    const std::int64_t best = std::max(std::max(low[0], low[1]), std::max(high[0], high[1]));
    const auto score = static_cast<std::int32_t>(best >> 32);
    return {~static_cast<std::uint32_t>(best),
            std::bit_cast<float>(score ^ ((score >> 31) & 0x7fffffff))};
  }

 private:
  FloatLanes best_;
  IntLanes at_ = kLaneNumbers;
};

}  // namespace senet
