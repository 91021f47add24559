// Which edge a descent takes: PUCT for players, a quota for chance.
#pragma once

#include <cmath>
#include <cstdint>

#include "search/node.hpp"

namespace senet {

/// The edge with the highest score, where edge `opened` stands for the first one not yet opened.
struct Selection {
  std::uint32_t edge;
  bool opens;  // the edge is the first unopened one
};

/// PUCT (Rosin 2011, as in AlphaZero): argmax q + c sqrt(N) p / (1 + n) over the opened edges and
/// one candidate, the first unopened edge; priors are sorted, so no other unopened edge can win.
///   c           exploration constant times the root of the node's visits
///   scores      scratch, room for `opened` values
///   candidate_q, candidate_p    assumed value and prior of the first unopened edge, if there is
///   one
inline Selection select_action(const HotEdges& edges, std::uint32_t opened, float c, float* scores,
                               bool has_candidate, float candidate_q, float candidate_p) {
  // Two passes, so that the first one has no branch and vectorises.
  for (std::uint32_t i = 0; i < opened; ++i) {
    scores[i] = edges.q[i] + c * edges.p[i] / static_cast<float>(1 + static_cast<int>(edges.n[i]));
  }
  float best = -1e30f;
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < opened; ++i) {
    if (scores[i] > best) {
      best = scores[i];
      at = i;
    }
  }
  if (has_candidate && candidate_q + c * candidate_p > best) return {opened, true};
  return {at, false};
}

/// The chance outcome that lags most behind its probability: argmax p / (1 + n). A quota instead of
/// a sample (D'Hondt's rule): no outcome ever falls a whole visit short of its share.
inline Selection select_outcome(const HotEdges& edges, std::uint32_t opened, bool has_candidate,
                                float candidate_p) {
  float best = has_candidate ? candidate_p : -1.0f;
  Selection selection{opened, has_candidate};
  for (std::uint32_t i = 0; i < opened; ++i) {
    const float score = edges.p[i] / static_cast<float>(1 + edges.n[i]);
    if (score > best) {
      best = score;
      selection = {i, false};
    }
  }
  return selection;
}

}  // namespace senet
