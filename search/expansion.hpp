// Expansion of a leaf: rows for the network, then edges with priors from the answers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "games/sound_moves.hpp"
#include "nn/batch.hpp"
#include "search/outcomes.hpp"
#include "search/playout.hpp"
#include "search/scratch.hpp"
#include "search/settings.hpp"
#include "search/tablebase.hpp"
#include "search/tree.hpp"

namespace senet {

/// Whether each of the listed moves ends the game or leads to a position that the tablebase knows.
/// Fills scratch.afterstates up to the first one that does not.
template <Game G>
bool finds_all_moves(const G& leaf, const Tablebase<G>& tablebase, SearchScratch<G>& scratch) {
  if (!tablebase) return false;
  for (std::size_t i = 0; i < scratch.moves.size(); ++i) {
    G after = leaf;
    after.play(scratch.moves[i]);
    const bool is_over = after.turn() == Turn::kOver;
    if (!is_over && !tablebase.find(after, scratch.afterstates[i])) return false;
  }
  return true;
}

/// Fills `out` with `only`, or with the moves to consider if that is empty.
template <Game G>
void moves_to_search(const G& state, std::span<const Action> only, ActionList<G::kMaxLegal>& out) {
  out.clear();
  if (only.empty()) return moves_to_consider(state, out);
  for (const Action action : only) out.push_back(action);
}

/// Lists the advantages of the moves to consider, and of those of `moves` that are not among them.
template <Game G>
void ask_for_moves(const G& state, std::span<const Action> moves, AskedMoves<G>& asked,
                   WantedLogits<G>& wanted) {
  if constexpr (kHasFewMoves<G>) {
    ActionList<G::kMaxLegal> considered;
    moves_to_consider(state, considered);
    std::ranges::copy(considered, asked.moves.begin());
    asked.size = asked.in_mean = considered.size();
    for (const Action move : moves) {
      if (std::ranges::count(considered, move) == 0) asked.moves[asked.size++] = move;
    }
    wanted.list_advantages(state, asked.all());
  }
}

/// Lists what the leaf's moves, scratch.moves, need: in kPosition their logits, in kMoves their
/// advantages, in kAfterstates their rows; in kPlayouts, plays out. A leaf whose moves' results are
/// all known needs no rows and is expanded as in kAfterstates. The scratch belongs to the leaf from
/// here to its expansion.
template <Game G>
void list_rows(const G& leaf, Evaluates evaluates, SearchScratch<G>& scratch,
               const Tablebase<G>& tablebase = {}) {
  scratch.is_known = finds_all_moves(leaf, tablebase, scratch);
  if (scratch.is_known) {
    scratch.rows = 0;
    return;
  }
  switch (evaluates) {
    case Evaluates::kPosition:
      scratch.rows = 1;
      return scratch.wanted.list(leaf, {scratch.moves.data(), scratch.moves.size()});
    case Evaluates::kMoves:
      scratch.rows = 1;
      return ask_for_moves(leaf, {scratch.moves.data(), scratch.moves.size()}, scratch.asked,
                           scratch.wanted);
    case Evaluates::kAfterstates:
      scratch.rows = scratch.moves.size();
      return;
    case Evaluates::kPlayouts:
      scratch.rows = 0;
      scratch.wanted.list_none(scratch.moves.size());
      scratch.outcomes = play_out(leaf);
  }
}

/// Writes the row of an afterstate, unless the game is over there or the tablebase knows it, and
/// sets `row` to 1; does neither if row is 1 or the batch is full. Returns the number of rows
/// written.
template <Game G>
std::uint32_t write_afterstate(const G& after, Outcomes<G>& answer, std::size_t& row, Batch& batch,
                               const Tablebase<G>& tablebase) {
  if (row == 1) return 0;
  const bool is_known = after.turn() == Turn::kOver || tablebase.find(after, answer);
  if (!is_known && batch.room() == 0) return 0;
  row = 1;
  if (is_known) return 0;
  batch.add({std::span(answer).first(outcome_values(after).size()), {}, nullptr}, after);
  return 1;
}

/// The same for the afterstates of `moves`, [moves] answers, from row `next` on: sets `next` to the
/// first unwritten row.
template <Game G>
std::uint32_t write_afterstates(const G& state, std::span<const Action> moves,
                                std::span<Outcomes<G>> answers, std::size_t& next, Batch& batch,
                                const Tablebase<G>& tablebase) {
  std::uint32_t written = 0;
  for (std::size_t row = 1; next < moves.size() && row == 1; next += row) {
    G after = state;
    after.play(moves[next]);
    row = 0;
    written += write_afterstate(after, answers[next], row, batch, tablebase);
  }
  return written;
}

/// Completes the answer to a position: the certain outcome if the game is over, from the
/// perspective of `player`.
template <Game G>
void settle(const G& state, Outcomes<G>& answer, Player player) {
  Player viewer = 0;
  if (state.turn() == Turn::kOver) {
    answer = certain_end(state);
  } else {
    viewer = state.viewer();
  }
  if (viewer != player) answer = mirrored(state, answer);
}

/// The same for the afterstates of `moves`, for the player who makes them: what each move leads to,
/// the move included.
template <Game G>
void settle_afterstates(const G& state, std::span<const Action> moves,
                        std::span<Outcomes<G>> answers, Player mover) {
  for (std::size_t i = 0; i < moves.size(); ++i) {
    G after = state;
    after.play(moves[i]);
    settle(after, answers[i], mover);
    answers[i] = moves_before(after, answers[i]);
  }
}

/// What a dueling network expects after each of `moves`, for the player who makes them, the move
/// included: see NetworkSpec. `value` is the answer of its value head, `wanted` those to what
/// ask_for_moves() listed, which includes `moves`. Moves that end the game or lead into the
/// tablebase get their result.
template <Game G>
void settle_moves(const G& state, std::span<const Action> moves, const Outcomes<G>& value,
                  const AskedMoves<G>& asked, const WantedLogits<G>& wanted,
                  std::span<Outcomes<G>> answers, const Tablebase<G>& tablebase) {
  const std::size_t ways = outcome_values(state).size();
  Outcomes<G> base{};  // what all moves have in common, before the softmax
  for (std::size_t i = 0; i < ways; ++i) {
    float sum = 0;
    for (std::size_t move = 0; move < asked.in_mean; ++move) sum += wanted.advantage(move, i);
    constexpr float kLeast = 1e-30f;  // a probability of 0 has no logarithm
    base[i] = std::log(std::max(value[i], kLeast)) - sum / static_cast<float>(asked.in_mean);
  }
  const Player mover = state.viewer();
  for (std::size_t move = 0; move < moves.size(); ++move) {
    Outcomes<G>& answer = answers[move];
    G after = state;
    after.play(moves[move]);
    if (after.turn() == Turn::kOver || tablebase.find(after, answer)) {
      settle(after, answer, mover);
      answer = moves_before(after, answer);
      continue;
    }
    const auto number =
        static_cast<std::size_t>(std::ranges::find(asked.all(), moves[move]) - asked.all().begin());
    float top = -1e30f, sum = 0;
    for (std::size_t i = 0; i < ways; ++i) {
      answer[i] = base[i] + wanted.advantage(number, i);
      top = std::max(top, answer[i]);
    }
    for (std::size_t i = 0; i < ways; ++i) sum += answer[i] = std::exp(answer[i] - top);
    for (std::size_t i = 0; i < ways; ++i) answer[i] /= sum;
  }
}

/// Writes the leaf's rows into the batch, starting with row `next`, until all are written or the
/// batch is full; sets `next` to the first unwritten row. Returns the number of rows written: moves
/// that end the game or lead into the tablebase need none.
template <Game G>
std::uint32_t write_rows(const G& leaf, Evaluates evaluates, SearchScratch<G>& scratch,
                         std::size_t& next, Batch& batch, const Tablebase<G>& tablebase = {}) {
  if (evaluates == Evaluates::kAfterstates) {
    return write_afterstates(leaf, std::span<const Action>(scratch.moves.data(), scratch.rows),
                             std::span(scratch.afterstates).first(scratch.rows), next, batch,
                             tablebase);
  }
  if (next == scratch.rows || batch.room() == 0) return 0;
  const std::size_t ways = outcome_values(leaf).size();
  batch.add(
      {std::span(scratch.outcomes).first(ways), scratch.wanted.wanted(), scratch.wanted.answers()},
      leaf);
  ++next;
  return 1;
}

/// Creates the leaf's edges and its own value from the answer to its position, which the network or
/// a playout gave. Returns the expected outcome for the player to move there, stored in the
/// scratch.
template <class AnyTree, Game G>
const Outcomes<G>& expand_position(AnyTree& tree, Node& leaf, float temperature,
                                   SearchScratch<G>& scratch) {
  auto& moves = scratch.moves;
  auto& values = scratch.values;
  const std::size_t count = moves.size();
  float top = -1e30f, sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = scratch.wanted.sum(i);
    top = std::max(top, values[i]);
  }
  const float sharpness = 1 / temperature;
  for (std::size_t i = 0; i < count; ++i) {
    sum += values[i] = std::exp((values[i] - top) * sharpness);
  }
  leaf.own = rounded_value(mean_value(tree.game(), scratch.outcomes), value_range(tree.game()));
  tree.add_cold(leaf, static_cast<std::uint16_t>(count), false);
  ColdEdge* const edges = tree.cold(leaf);
  for (std::size_t i = 0; i < count; ++i) edges[i] = {moves[i], pack_share(values[i] / sum)};
  tree.find_next(leaf);
  return scratch.outcomes;
}

/// The same from scratch.afterstates: the expected outcome of each move for the player who makes
/// it. Afterwards scratch.order holds the moves in the order of the edges, by descending value.
template <class AnyTree, Game G>
const Outcomes<G>& expand_by_values(AnyTree& tree, Node& leaf, const G& state, float temperature,
                                    SearchScratch<G>& scratch) {
  auto& moves = scratch.moves;
  auto& afterstates = scratch.afterstates;
  auto& values = scratch.values;
  auto& scores = scratch.scores;
  const std::size_t count = moves.size();
  std::size_t best = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = mean_value(state, afterstates[i]);
    if (values[i] > values[best]) best = i;
  }
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] = std::exp((values[i] - values[best]) / temperature);
    sum += scores[i];
  }
  for (std::size_t i = 0; i < count; ++i) scores[i] /= sum;
  const std::span<std::uint16_t> order(scratch.order.data(), count);
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  std::sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  const float range = value_range(state);
  leaf.own = rounded_value(values[best], range);
  tree.add_cold(leaf, static_cast<std::uint16_t>(count), true);
  ColdEdge* const edges = tree.cold(leaf);
  for (std::size_t i = 0; i < count; ++i) {
    edges[i] = {moves[order[i]], pack_share(scores[order[i]])};
  }
  std::int16_t* const packed = tree.edge_values(leaf);
  for (std::size_t i = 0; i < count; ++i) packed[i] = pack_value(values[order[i]], range);
  return afterstates[best];
}

/// Expands a chance turn, which needs no network: its edges are its outcomes. `own` is the value of
/// unvisited outcomes for player 0.
template <class AnyTree>
void expand_chance(AnyTree& tree, NodeId id, float own) {
  using G = typename AnyTree::State;
  if constexpr (StochasticGame<G>) {
    Node& node = tree[id];
    std::array<float, kMaxChance<G>> probability;
    const std::size_t count = tree.state(id).chance(probability);
    tree.add_cold(node, static_cast<std::uint16_t>(count), false);
    ColdEdge* const edges = tree.cold(node);
    for (std::size_t i = 0; i < count; ++i) {
      edges[i] = {static_cast<Action>(i), pack_share(probability[i])};
    }
    tree.find_next(node);
    node.own = rounded_value(own, value_range(tree.game()));
    node.q = own;
    node.flags |= kEvaluated;
  }
}

}  // namespace senet
