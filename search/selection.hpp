// Finding the edge with the highest score, and the edge that a descent takes at a turn of chance.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "search/hot_edges.hpp"
#include "search/rule.hpp"

namespace senet {

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

/// The chance outcome that lags most behind its probability: argmax p / (1 + n). A quota instead of
/// a sample (D'Hondt's rule): no outcome ever falls a whole visit short of its share.
inline Selection select_outcome(HotEdges edges, std::uint32_t opened, bool has_candidate,
                                float candidate_p) {
  if (opened == 0) return {0, true};
  const auto lags = [](const EdgeBlock& block) { return block.p / as_floats(block.n + 1); };
  HighestScore highest(lags(edges.block(0)));
  for (std::uint32_t i = kLanes; i < opened; i += kLanes) highest.see(lags(edges.block(i)), i);
  const HighestScore::Edge best = highest.edge();
  if (has_candidate && candidate_p >= best.score) return {opened, true};
  return {best.index, false};
}
template <class AnyTree>
Selection select_outcome(const AnyTree& tree, const Node& node) {
  const bool has_candidate = node.opened < node.edges;
  const float p = has_candidate ? unpack_share(tree.cold(node)[node.opened].prior) : 0.0f;
  return select_outcome(tree.hot(node), node.opened, has_candidate, p);
}

}  // namespace senet
