// A leaf's turn: rows for the network, then edges with priors from the answers.
#pragma once

#include <numeric>

#include "search/search.hpp"

namespace senet {

template <Game G, NodeTable Table>
void Search<G, Table>::begin_leaf() {
  phase_ = Phase::kRows;
  next_row_ = 0;
  scratch_->moves.clear();
  moves_to_consider(tree_->state(leaf_), scratch_->moves);
  if (settings_.evaluates == Evaluates::kAfterstates) return;
  scratch_->wanted.list({scratch_->moves.data(), scratch_->moves.size()});
}

/// Writes rows while there is room; true when all of the leaf's rows have been written.
template <Game G, NodeTable Table>
bool Search<G, Table>::add_rows(Batch& batch) {
  const G& state = tree_->state(leaf_);
  for (; next_row_ < rows_wanted(); ++next_row_) {
    if (settings_.evaluates == Evaluates::kPosition) {
      if (batch.room() == 0) return false;
      batch.add({scratch_->outcomes, scratch_->wanted.wanted(), scratch_->wanted.answers()},
                [&](FeatureRow& row) { state.encode(row); });
      ++evaluations_;
      continue;
    }
    G after = state;
    after.play(scratch_->moves[next_row_]);
    if (after.turn() == Turn::kOver) continue;  // known without asking
    if (batch.room() == 0) return false;
    batch.add({scratch_->family[next_row_], {}, nullptr},
              [&](FeatureRow& row) { after.encode(row); });
    ++evaluations_;
  }
  return true;
}

template <Game G, NodeTable Table>
void Search<G, Table>::finish_leaf() {
  Node& node = (*tree_)[leaf_];
  if (settings_.evaluates == Evaluates::kPosition)
    expand_position(node);
  else
    expand_family(node);
  node.flags |= kEvaluated;
  node.q = unpack_value(node.own, G::kValueRange);
  node.n = 1;
  phase_ = Phase::kDescend;
  back_up(leaf_);
}

template <Game G, NodeTable Table>
void Search<G, Table>::expand_position(Node& node) {
  auto& values = scratch_->values;
  auto& scores = scratch_->scores;
  const auto& outcomes = scratch_->outcomes;
  const std::size_t count = scratch_->moves.size();
  float top = -1e30f, sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = scratch_->wanted.sum(i);
    top = std::max(top, values[i]);
  }
  const float sharpness = 1 / settings_.policy_temperature;
  for (std::size_t i = 0; i < count; ++i) {
    sum += values[i] = std::exp((values[i] - top) * sharpness);
  }
  for (std::size_t i = 0; i < count; ++i) scores[i] = values[i] / sum;
  node.own = pack_value(mean_value<G>(outcomes), G::kValueRange);
  write_edges(node);
  if (leaf_ == root_) statistics_.clear(count);
  count_leaf(teller(turn_of(node)) == 0 ? outcomes : mirrored<G>(outcomes));
}

template <Game G, NodeTable Table>
void Search<G, Table>::expand_family(Node& node) {
  auto& moves = scratch_->moves;
  auto& family = scratch_->family;
  auto& values = scratch_->values;
  auto& scores = scratch_->scores;
  const std::size_t count = moves.size();
  const G& state = tree_->state(leaf_);
  const Player mover = teller(turn_of(node));
  if (leaf_ == root_) statistics_.clear(count);
  // family[i] becomes the end as the mover sees it, values[i] its mean.
  std::size_t best = 0;
  for (std::size_t i = 0; i < count; ++i) {
    G after = state;
    after.play(moves[i]);
    Player viewer;
    if (after.turn() == Turn::kOver) {
      family[i] = {};
      family[i][after.outcome()] = 1;
      viewer = 0;
    } else {
      viewer = after.viewer();
    }
    if (viewer != mover) family[i] = mirrored<G>(family[i]);
    values[i] = mean_value<G>(family[i]);
    if (values[i] > values[best]) best = i;
  }
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] = std::exp((values[i] - values[best]) / settings_.afterstate_temperature);
    sum += scores[i];
  }
  for (std::size_t i = 0; i < count; ++i) scores[i] /= sum;
  node.own = pack_value(values[best], G::kValueRange);
  write_valued_edges(node);
  if (leaf_ == root_) {
    for (std::size_t i = 0; i < count; ++i) statistics_.note(i, family[scratch_->order[i]]);
  }
  count_leaf(mover == 0 ? family[best] : mirrored<G>(family[best]));
}

// Edges from the scratch's moves, with the priors in its scores.
template <Game G, NodeTable Table>
void Search<G, Table>::write_edges(Node& node) {
  auto& moves = scratch_->moves;
  const std::size_t count = moves.size();
  tree_->add_cold(node, static_cast<std::uint16_t>(count), false);
  ColdEdge* const edges = tree_->cold(node);
  for (std::size_t i = 0; i < count; ++i) edges[i] = {moves[i], pack_share(scratch_->scores[i])};
  tree_->find_next(node);
}

// The same with its values, sorted by falling value.
template <Game G, NodeTable Table>
void Search<G, Table>::write_valued_edges(Node& node) {
  auto& moves = scratch_->moves;
  auto& values = scratch_->values;
  const std::size_t count = moves.size();
  const std::span<std::uint16_t> order(scratch_->order.data(), count);
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  std::sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  tree_->add_cold(node, static_cast<std::uint16_t>(count), true);
  ColdEdge* const edges = tree_->cold(node);
  for (std::size_t i = 0; i < count; ++i) {
    edges[i] = {moves[order[i]], pack_share(scratch_->scores[order[i]])};
  }
  std::int16_t* const packed = tree_->edge_values(node);
  for (std::size_t i = 0; i < count; ++i) packed[i] = pack_value(values[order[i]], G::kValueRange);
}

// A turn of chance needs no network: its edges are its outcomes. `own` is told for player 0.
template <Game G, NodeTable Table>
void Search<G, Table>::expand_chance(NodeId id, float own) {
  if constexpr (StochasticGame<G>) {
    Node& node = (*tree_)[id];
    const G& state = tree_->state(id);
    std::array<float, kMaxChance<G>> probability;
    const std::size_t count = state.chance(probability);
    tree_->add_cold(node, static_cast<std::uint16_t>(count), false);
    ColdEdge* const edges = tree_->cold(node);
    for (std::size_t i = 0; i < count; ++i) {
      edges[i] = {static_cast<Action>(i), pack_share(probability[i])};
    }
    tree_->find_next(node);
    node.own = pack_value(own, G::kValueRange);
    node.q = own;
    node.flags |= kEvaluated;
  } else {
    static_cast<void>(id);
    static_cast<void>(own);
  }
}

}  // namespace senet
