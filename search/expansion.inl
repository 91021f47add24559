// A leaf's turn: rows for the network, then edges with priors from the answers.
#pragma once

#include <numeric>

#include "search/search.hpp"

namespace senet {

template <Game G, NodeTable Table>
void Search<G, Table>::begin_leaf() {
  phase_ = Phase::kRows;
  next_row_ = 0;
  moves_->clear();
  tree_->state(leaf_).legal(*moves_);
  if (settings_.evaluates == Evaluates::kAfterstates) return;
  wanted_.list({moves_->data(), moves_->size()});
}

/// Writes rows while there is room; true when all of the leaf's rows have been written.
template <Game G, NodeTable Table>
bool Search<G, Table>::add_rows(Batch& batch) {
  const G& state = tree_->state(leaf_);
  for (; next_row_ < rows_wanted(); ++next_row_) {
    if (settings_.evaluates == Evaluates::kPosition) {
      if (batch.room() == 0) return false;
      batch.add({outcomes_, wanted_.wanted(), wanted_.answers()},
                [&](FeatureRow& row) { state.encode(row); });
      ++evaluations_;
      continue;
    }
    G after = state;
    after.play((*moves_)[next_row_]);
    if (after.turn() == Turn::kOver) continue;  // known without asking
    if (batch.room() == 0) return false;
    batch.add({family_[next_row_], {}, nullptr}, [&](FeatureRow& row) { after.encode(row); });
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
  const std::size_t count = moves_->size();
  float top = -1e30f, sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values_[i] = wanted_.sum(i);
    top = std::max(top, values_[i]);
  }
  for (std::size_t i = 0; i < count; ++i) sum += values_[i] = std::exp(values_[i] - top);
  for (std::size_t i = 0; i < count; ++i) scores_[i] = values_[i] / sum;
  node.own = pack_value(mean_value<G>(outcomes_), G::kValueRange);
  write_edges(node);
  if (leaf_ == root_) statistics_.clear(count);
  count_leaf(teller(turn_of(node)) == 0 ? outcomes_ : mirrored<G>(outcomes_));
}

template <Game G, NodeTable Table>
void Search<G, Table>::expand_family(Node& node) {
  const std::size_t count = moves_->size();
  const G& state = tree_->state(leaf_);
  const Player mover = teller(turn_of(node));
  if (leaf_ == root_) statistics_.clear(count);
  // family_[i] becomes the end as the mover sees it, values_[i] its mean.
  std::size_t best = 0;
  for (std::size_t i = 0; i < count; ++i) {
    G after = state;
    after.play((*moves_)[i]);
    Player viewer;
    if (after.turn() == Turn::kOver) {
      family_[i] = {};
      family_[i][after.outcome()] = 1;
      viewer = 0;
    } else {
      viewer = after.viewer();
    }
    if (viewer != mover) family_[i] = mirrored<G>(family_[i]);
    values_[i] = mean_value<G>(family_[i]);
    if (values_[i] > values_[best]) best = i;
  }
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    scores_[i] = std::exp((values_[i] - values_[best]) / settings_.afterstate_temperature);
    sum += scores_[i];
  }
  for (std::size_t i = 0; i < count; ++i) scores_[i] /= sum;
  node.own = pack_value(values_[best], G::kValueRange);
  write_valued_edges(node);
  if (leaf_ == root_) {
    for (std::size_t i = 0; i < count; ++i) statistics_.note(i, family_[order_[i]]);
  }
  count_leaf(mover == 0 ? family_[best] : mirrored<G>(family_[best]));
}

// Edges from moves_ with the priors in scores_.
template <Game G, NodeTable Table>
void Search<G, Table>::write_edges(Node& node) {
  const std::size_t count = moves_->size();
  tree_->add_cold(node, static_cast<std::uint16_t>(count), false);
  ColdEdge* const edges = tree_->cold(node);
  const Action* const moves = moves_->data();
  for (std::size_t i = 0; i < count; ++i) edges[i] = {moves[i], pack_share(scores_[i])};
  tree_->find_next(node);
}

// The same with the values in values_, sorted by falling value.
template <Game G, NodeTable Table>
void Search<G, Table>::write_valued_edges(Node& node) {
  const std::size_t count = moves_->size();
  const std::span<std::uint16_t> order(order_.get(), count);
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  std::sort(order.begin(), order.end(), [this](std::uint16_t a, std::uint16_t b) {
    return values_[a] != values_[b] ? values_[a] > values_[b] : a < b;
  });
  tree_->add_cold(node, static_cast<std::uint16_t>(count), true);
  ColdEdge* const edges = tree_->cold(node);
  for (std::size_t i = 0; i < count; ++i) {
    edges[i] = {(*moves_)[order[i]], pack_share(scores_[order[i]])};
  }
  std::int16_t* const packed = tree_->edge_values(node);
  for (std::size_t i = 0; i < count; ++i) packed[i] = pack_value(values_[order[i]], G::kValueRange);
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
