// What a network expects of positions, without a search.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "games/sound_moves.hpp"
#include "nn/evaluates.hpp"
#include "nn/evaluator.hpp"
#include "nn/heap.hpp"
#include "search/expansion.hpp"
#include "search/outcomes.hpp"
#include "search/playout.hpp"
#include "search/scratch.hpp"
#include "search/tablebase.hpp"

namespace senet {

/// The expected outcomes of positions, from the perspective of each one's viewer(). All positions
/// share one batch. Most take one row. A network was not trained on some positions; their answer
/// combines those to positions that it was trained on:
///
///   network of positions     before a roll: the mean over all rolls, one row for each;
///                            with a forced move: the position after it
///   network of afterstates   with a move to make: the best of its afterstates, one row for each
///   dueling network          as of positions; the answer is what the best move leads to
///
/// A finished game has its actual outcome. Positions that the tablebase knows need no row. In
/// kPlayouts, the mean of random games. The answers do not depend on the batch's capacity.
template <Game G>
class NetworkAlone {
 public:
  /// The batch is empty and has room for at least one row, and the evaluator takes that many.
  /// `game` is any state of the game. All arguments outlive the object.
  NetworkAlone(const G& game, Evaluates evaluates, Evaluator& evaluator, Batch& batch,
               const Tablebase<G>& tablebase = {}, Heap& heap = default_heap())
      : game_(game),
        evaluates_(evaluates),
        evaluator_(evaluator),
        batch_(batch),
        tablebase_(tablebase),
        parts_(&heap),
        asked_(&heap) {
    parts_.reserve(batch.capacity());
    if (evaluates == Evaluates::kMoves) asked_.reserve(batch.capacity());
  }
  /// Bytes that an object with this batch allocates.
  static std::size_t bytes(std::size_t batch_rows, Evaluates evaluates) {
    return batch_rows * (sizeof(Part) + (evaluates == Evaluates::kMoves ? sizeof(Asked) : 0));
  }

  /// `expected` gets the answer by the end of finish(), and does not move until then.
  void add(const G& state, Outcomes<G>& expected) {
    const Turn turn = state.turn();
    const Player viewer = state.viewer();
    if (turn != Turn::kOver) {
      if (tablebase_.find(state, expected)) return;
      if (evaluates_ == Evaluates::kPlayouts) {
        expected = mean_playout(state);
        return;
      }
    }
    if (evaluates_ == Evaluates::kAfterstates && is_decision(turn)) {
      ActionList<G::kMaxLegal> moves;
      moves_to_consider(state, moves);
      Join join = Join::kFirst;
      for (const Action move : moves) {
        G after = state;
        after.play(move);
        add_part(after, viewer, {&expected, std::exchange(join, Join::kBest), 0, 1});
      }
      return;
    }
    expected = {};
    add_mean(state, viewer, expected, 1);
  }

  /// Answers what is left in the batch.
  void finish() {
    if (batch_.size() > 0) evaluator_.forward(batch_);
    batch_.clear();
    for (Part& part : parts_) join(part);
    parts_.clear();
    asked_.clear();
  }

 private:
  /// How a part changes the answer: adds to the mean, replaces it, or replaces a worse one.
  enum class Join : std::uint8_t { kMean, kFirst, kBest };
  /// kMoves: a position whose moves a dueling network values.
  struct Asked {
    G state;
    AskedMoves<G> moves = {};
    WantedLogits<G> wanted = {};
  };
  struct Part {
    Outcomes<G>* expected;
    Join join;
    float weight = 0;       // in the mean
    std::size_t moves = 0;  // from the position that was asked for to this one
    bool mirrored = false;  // `outcomes` are from the other player's perspective
    const Asked* asked = nullptr;
    Outcomes<G> outcomes{};
  };

  /// Adds positions that the network was trained on, whose mean is the answer to `position`.
  void add_mean(G position, Player viewer, Outcomes<G>& expected, float weight) {
    if (wants_logits(evaluates_)) {
      play_forced(position);
      if constexpr (StochasticGame<G>) {
        Outcomes<G> known;
        if (position.turn() == Turn::kChance && !tablebase_.find(position, known)) {
          std::array<float, kMaxChance<G>> probabilities;
          const std::size_t rolls = position.chance(probabilities);
          for (std::size_t i = 0; i < rolls; ++i) {
            G rolled = position;
            rolled.play(static_cast<Action>(i));
            add_mean(rolled, viewer, expected, weight * probabilities[i]);
          }
          return;
        }
      }
    }
    add_part(position, viewer, {&expected, Join::kMean, weight});
  }

  void add_part(const G& position, Player viewer, Part part) {
    if (parts_.size() == batch_.capacity()) finish();
    parts_.push_back(part);
    Outcomes<G>& outcomes = parts_.back().outcomes;
    const bool is_over = position.turn() == Turn::kOver;
    if (is_over) {
      outcomes = certain_end(position);
    } else if (!tablebase_.find(position, outcomes)) {
      RowResult answer{std::span(outcomes).first(outcome_values(game_).size()), {}, nullptr};
      if constexpr (kHasFewMoves<G>) {
        if (evaluates_ == Evaluates::kMoves) {
          Asked& asked = asked_.emplace_back(Asked{position});
          ask_for_moves(position, {}, asked.moves, asked.wanted);
          answer.wanted = asked.wanted.wanted();
          answer.logits = asked.wanted.answers();
          parts_.back().asked = &asked;
        }
      }
      batch_.add(answer, position);
    }
    parts_.back().mirrored = viewer != (is_over ? Player{0} : position.viewer());
  }

  /// Replaces the answer to a position by that of its best move.
  void take_best_move(Part& part) const {
    if constexpr (kHasFewMoves<G>) {
      const auto& [state, moves, wanted] = *part.asked;
      std::array<Outcomes<G>, G::kMaxLegal> memory;
      const std::span<Outcomes<G>> answers = std::span(memory).first(moves.size);
      settle_moves(state, moves.all(), part.outcomes, moves, wanted, answers, tablebase_);
      part.outcomes = *std::ranges::max_element(
          answers, {}, [&](const Outcomes<G>& answer) { return mean_value(game_, answer); });
    }
  }

  void join(Part& part) const {
    if (part.asked != nullptr) take_best_move(part);
    const Outcomes<G> seen =
        moves_before(game_, mirrored_if(part.mirrored, game_, part.outcomes), part.moves);
    Outcomes<G>& expected = *part.expected;
    if (part.join == Join::kMean) {
      for (std::size_t k = 0; k < seen.size(); ++k) expected[k] += part.weight * seen[k];
    } else if (part.join == Join::kFirst || mean_value(game_, seen) > mean_value(game_, expected)) {
      expected = seen;
    }
  }

  const G& game_;
  const Evaluates evaluates_;
  Evaluator& evaluator_;
  Batch& batch_;
  const Tablebase<G> tablebase_;
  std::pmr::vector<Part>
      parts_;  // never reallocated: rows of the batch are answered in their outcomes
  std::pmr::vector<Asked> asked_;  // nor is this: in their lists
};

}  // namespace senet
