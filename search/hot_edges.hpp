// The opened edges of a node: memory layout, sums and the highest score, four edges at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "search/node.hpp"
#include "senet/game.hpp"

namespace senet {

/// Four edges in one vector, as a vector type of the compiler: every processor has registers of
/// this size.
inline constexpr std::uint32_t kLanes = 4;
using FloatLanes = float __attribute__((vector_size(4 * kLanes)));
using IntLanes = std::int32_t __attribute__((vector_size(4 * kLanes)));
inline constexpr IntLanes kLaneNumbers{0, 1, 2, 3};

inline FloatLanes as_floats(IntLanes lanes) { return __builtin_convertvector(lanes, FloatLanes); }
inline float sum_of(FloatLanes lanes) {
  lanes += __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1);
  return lanes[0] + lanes[1];
}

/// q of a missing edge: below every score, and without effect when multiplied by zero visits.
inline constexpr float kNoEdgeValue = -1e30f;

/// Four opened edges in one cache line, the only memory that selection reads of them:
///
///   0        16       32       48          64
///   +--------+--------+--------+-----------+
///   | q f32x4| p f32x4| n i32x4| child u32 |    q: value for the player of the edge's parent
///   +--------+--------+--------+-----------+
///
/// A node's blocks are contiguous. Lanes after its last edge are missing edges (kNoEdgeValue, p =
/// 0, n = 0), which are safe to read.
struct alignas(64) EdgeBlock {
  FloatLanes q = FloatLanes{} + kNoEdgeValue;
  FloatLanes p{};
  IntLanes n{};
  std::array<NodeId, kLanes> child{kNoNode, kNoNode, kNoNode, kNoNode};
};
static_assert(sizeof(EdgeBlock) == 64);
inline constexpr std::uint32_t kBlockWords = sizeof(EdgeBlock) / 4;

/// Number of blocks of a node with this many opened edges: 1, 2, 4, 8 ...
constexpr std::uint32_t hot_blocks(std::uint32_t opened) {
  return opened == 0 ? 0 : std::bit_ceil((opened + kLanes - 1) / kLanes);
}
constexpr std::uint32_t hot_words(std::uint32_t opened) { return kBlockWords * hot_blocks(opened); }

/// The opened edges of one node, by index.
class HotEdges {
 public:
  explicit HotEdges(EdgeBlock* blocks) : blocks_(blocks) {}

  /// The block that starts with this edge, a multiple of kLanes.
  EdgeBlock& block(std::uint32_t edge) const { return blocks_[edge / kLanes]; }

  float& q(std::uint32_t edge) const { return lane<float>(block(edge).q, edge); }
  float& p(std::uint32_t edge) const { return lane<float>(block(edge).p, edge); }
  std::int32_t& n(std::uint32_t edge) const { return lane<std::int32_t>(block(edge).n, edge); }
  NodeId& child(std::uint32_t edge) const { return blocks_[edge / kLanes].child[edge % kLanes]; }

 private:
  /// One element of a vector. clang allows no reference to one, but a pointer to the element type
  /// may point to it.
  template <class Number, class Lanes>
  static Number& lane(Lanes& lanes, std::uint32_t edge) {
    return reinterpret_cast<Number*>(&lanes)[edge % kLanes];
  }

  EdgeBlock* blocks_;
};

/// Sums over a node's edges, except one.
struct EdgeSums {
  float value;   // decisions: q n; chance: q p
  float weight;  // decisions: n; chance: p of the visited outcomes
};

/// Sums of q n and n over the edges of a decision except `left_out`.
///
///   lost     the worst value of the game: edges proven to have it do not count
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

/// Sums of q p and p over the visited outcomes of chance except `left_out`.
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

/// The highest of a node's scores, processed four edges at a time. The processor cannot predict
/// which edge wins, so nothing branches on it.
class HighestScore {
 public:
  /// Starts with the scores of the first edges.
  explicit HighestScore(FloatLanes scores) : best_(scores) {}

  /// Adds the scores of edges first .. first + kLanes - 1.
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
    // Combines each element into one integer: the score in the high half and ~index in the low
    // half, so that the lower index wins ties.
    const auto bits = std::bit_cast<IntLanes>(best_);
    const IntLanes ordered = bits ^ ((bits >> 31) & 0x7fffffff);  // same order as the floats
    using Pair = std::int64_t __attribute__((vector_size(16)));
    const auto low = std::bit_cast<Pair>(__builtin_shufflevector(~at_, ordered, 0, 4, 1, 5));
    const auto high = std::bit_cast<Pair>(__builtin_shufflevector(~at_, ordered, 2, 6, 3, 7));
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
