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
/// In every lane the highest, or the lowest, of all.
inline FloatLanes highest_of(FloatLanes lanes) {
  const auto higher = [](FloatLanes a, FloatLanes b) { return a > b ? a : b; };
  lanes = higher(lanes, __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1));
  return higher(lanes, __builtin_shufflevector(lanes, lanes, 1, 0, 3, 2));
}
inline FloatLanes lowest_of(FloatLanes lanes) {
  const auto lower = [](FloatLanes a, FloatLanes b) { return a < b ? a : b; };
  lanes = lower(lanes, __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1));
  return lower(lanes, __builtin_shufflevector(lanes, lanes, 1, 0, 3, 2));
}

/// The index of the first true lane. Requires one.
inline std::uint32_t first_true(IntLanes lanes) {
#ifdef __SSE2__
  const int bits = __builtin_ia32_movmskps(std::bit_cast<FloatLanes>(lanes));
#else
  const IntLanes powers = lanes & IntLanes{1, 2, 4, 8};
  const int bits = powers[0] | powers[1] | powers[2] | powers[3];
#endif
  return static_cast<std::uint32_t>(__builtin_ctz(static_cast<unsigned>(bits)));
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

  /// Writes the whole vector: a processor that has just stored one element waits before it can load
  /// the four.
  void set_q(std::uint32_t edge, float q) const {
    FloatLanes& lanes = block(edge).q;
    const IntLanes is_set = kLaneNumbers == static_cast<std::int32_t>(edge % kLanes);
    lanes = is_set ? FloatLanes{q, q, q, q} : lanes;
  }
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

/// Both sums at once, each in sum_of()'s order of additions.
inline EdgeSums sums_of(FloatLanes value, FloatLanes weight) {
  FloatLanes sums = __builtin_shufflevector(value, weight, 0, 4, 1, 5) +
                    __builtin_shufflevector(value, weight, 2, 6, 3, 7);
  sums += __builtin_shufflevector(sums, sums, 2, 3, 0, 1);
  return {sums[0], sums[1]};
}

/// Sums of q n and n over the opened edges of a decision, at least one, except `left_out`.
///
///   lost     the worst value of the game: edges proven to have it do not count
inline EdgeSums sum_of_actions(HotEdges edges, std::uint32_t opened, std::uint32_t left_out,
                               float lost) {
  FloatLanes value{}, weight{};
  const auto add = [&](std::uint32_t i) {
    const EdgeBlock& block = edges.block(i);
    const IntLanes left = kLaneNumbers == static_cast<std::int32_t>(left_out - i);
    const IntLanes ignored = left | ((block.p == 0.0f) & (block.q == lost));
    const FloatLanes n = as_floats(block.n & ~ignored);
    weight += n;
    value += block.q * n;
  };
  add(0);  // most nodes have no more opened edges than this
  for (std::uint32_t i = kLanes; i < opened; i += kLanes) add(i);
  return sums_of(value, weight);
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
  return sums_of(value, weight);
}

/// The highest of a node's scores, none of them NaN, processed four edges at a time. The processor
/// cannot predict which edge wins, so nothing branches on it.
class HighestScore {
 public:
  /// Starts with the scores of the first edges.
  explicit HighestScore(FloatLanes scores) : best_(scores) {}

  /// Adds the scores of edges first .. first + kLanes - 1.
  void see(FloatLanes scores, std::uint32_t first) {
    seen_more_ = true;
    const IntLanes higher = scores > best_;
    best_ = higher ? scores : best_;
    at_ = higher ? kNumbers + static_cast<float>(first) : at_;
  }

  /// The first edge with the highest score.
  struct Edge {
    std::uint32_t index;
    float score;
  };
  Edge edge() const {
    const FloatLanes highest = highest_of(best_);
    const IntLanes wins = best_ == highest;
    if (!seen_more_) return {first_true(wins), highest[0]};
    const FloatLanes at = wins ? at_ : FloatLanes{} + 1e9f;
    return {static_cast<std::uint32_t>(static_cast<std::int32_t>(lowest_of(at)[0])), highest[0]};
  }

 private:
  static constexpr FloatLanes kNumbers{0, 1, 2, 3};

  FloatLanes best_;
  bool seen_more_ = false;    // than the first edges
  FloatLanes at_ = kNumbers;  // indices, all below 2^24: numbers of this type compare faster
};

}  // namespace senet
