// Converts a game record to training samples: positions with value and policy targets.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "games/settings.hpp"
#include "nn/evaluates.hpp"
#include "search/outcomes.hpp"
#include "selfplay/game_record.hpp"
#include "selfplay/record_replay.hpp"

namespace senet {

/// Which positions of a game become samples, and their targets.
struct SampleSettings {
  Evaluates evaluates = Evaluates::kPosition;
  /// Weight of later results against the search's own estimate, per decision: the value target of a
  /// decision is (1 - lambda) * root + lambda * target of the next decision, the last being the
  /// result (TD(lambda), Sutton 1988, with the search's root value as estimate). 1: the game's
  /// result alone.
  Schedule lambda = 1.0f;
  /// In place of lambda and blunder: the value target is the search's estimate of the n-th decision
  /// from the position on, its own counted, or the result if the game ends before (n-step returns;
  /// Watkins 1989). Decisions without an estimate, such as forced ones, do not count. 1 is lambda
  /// 0; 0: none.
  std::uint32_t n_step = 0;
  /// Moves are drawn for variety, not to win, and the result after a blunder says little about the
  /// position before it. A move that loses this share of the value range against the search's
  /// estimate blocks later results completely, smaller losses block them in proportion (similar to
  /// Leela Chess Zero, which removes blunders from its games). 0: never.
  float blunder = 0.0f;
  double progress = 0;  // the share of the run that is done: where the schedules are read
};

/// The evaluation mode follows the search of the run.
constexpr auto settings_of(std::type_identity<SampleSettings>) {
  using S = SampleSettings;
  return std::tuple{
      setting(
          "lambda", &S::lambda,
          "TD(lambda): weight of later results relative to the search's estimate, or a schedule "
          "such as 1@0.01,0.7@0.02: linear between these shares of the planned run",
          {.least = 0, .most = 1}),
      setting(
          "n-step", &S::n_step,
          "in place of lambda and blunder: the value target is the search's estimate of the Nth "
          "decision from the position on, or the result if the game ends before; 0: lambda",
          {.most = 1000, .unit = "decisions"}),
      setting("blunder", &S::blunder,
              "reduces the weight of a game's result for the positions before a bad move, to 0 if "
              "the move lost this share of the value range; 0: full weight always",
              {.least = 0, .most = 2}),
  };
}

constexpr std::string_view settings_heading(std::type_identity<SampleSettings>) {
  return "Training";
}

/// One training position.
template <Game G>
struct Sample {
  G state;
  Outcomes<G> outcomes;  // value target from the perspective of state.viewer()
  /// Policy target by ascending action; empty: none. Valid during the call of `use`.
  std::span<const VisitCount> visits;
  std::size_t turn = 0;  // index of the turn before or after which the state is
  /// How far the value target of that turn's decision, without its own estimate, is from this
  /// estimate, as a share of the value range: |search value - target| of MuZero's prioritised
  /// replay (Schrittwieser et al. 2020). 0 without an estimate.
  float surprise = 0;
};

/// A recorded distribution over the game's outcomes.
template <Game G>
Outcomes<G> from_record(std::span<const std::uint16_t> fixed) {
  Outcomes<G> outcomes{};
  to_distribution(fixed, std::span(outcomes).first(fixed.size()));
  return outcomes;
}

/// The weight of results after a move: see SampleSettings::blunder. `root` is from the perspective
/// of the turn's player; `game` is any state of the game.
template <Game G>
float passed_on(const G& game, const GameRecord& record, const RecordedTurn& turn,
                const Outcomes<G>& root, float blunder) {
  if (blunder <= 0 || !turn.has_chosen) return 1;
  const auto chosen = from_record<G>(record.chosen_outcomes(turn));
  const float lost = (mean_value(game, root) - mean_value(game, chosen)) / value_range(game);
  return std::clamp(1 - lost / blunder, 0.0f, 1.0f);
}

/// The value targets of a game, found from its end backwards, from player 0's perspective. In a
/// game of one player they grow by a move with each move.
template <Game G>
class BackwardTargets {
 public:
  /// Without a result, the estimate of the last decision takes its place.
  BackwardTargets(const std::optional<Outcomes<G>>& result, const SampleSettings& settings)
      : result_(result), lambda_(settings.lambda.at(settings.progress)), n_step_(settings.n_step) {}

  /// Of the position that has been reached; none if nothing is known of it.
  std::optional<Outcomes<G>> target(const G& game) const {
    if (n_step_ == 0 || estimates_.empty()) return result_;
    if (estimates_.size() < n_step_ && result_) return result_;
    const auto& [estimate, at] =
        estimates_[estimates_.size() - std::min(n_step_, estimates_.size())];
    return moves_before(game, estimate, moves_ - at);
  }
  /// Back over a move, which led to `after`.
  void undo_move(const G& after) {
    ++moves_;
    if (result_) result_ = moves_before(after, *result_);
  }
  /// At a decision, with the search's estimate and the share of later results that it lets through.
  void meet(const Outcomes<G>& estimate, float passed_on) {
    if (n_step_ > 0) {
      estimates_.push_back({estimate, moves_});
      return;
    }
    if (!result_) result_ = estimate;
    const float later = lambda_ * passed_on;
    for (std::size_t k = 0; k < estimate.size(); ++k) {
      (*result_)[k] = (1 - later) * estimate[k] + later * (*result_)[k];
    }
  }

 private:
  struct Estimate {
    Outcomes<G> outcomes;
    std::size_t moves;  // undone before it
  };
  std::optional<Outcomes<G>> result_;  // with lambda, mixed with the estimates since
  const float lambda_;
  const std::size_t n_step_;
  std::size_t moves_ = 0;            // undone so far
  std::vector<Estimate> estimates_;  // the last decision's first; only with n-step
};

/// Calls use(sample) for the positions after the moves that a search by plies valued in `before`,
/// before the turn with this number.
template <Game G>
void use_valued(const GameRecord& record, std::size_t number, const G& before, auto&& use) {
  const RecordedTurn& turn = record.turns()[number];
  if (!turn.has_visited) return;
  const std::span<const VisitCount> moves = record.visits(turn);
  for (std::size_t k = 0; k < moves.size(); ++k) {
    G after = before;
    after.play(moves[k].action);
    if (after.turn() == Turn::kOver) continue;
    auto outcomes = from_record<G>(record.visited_outcomes(turn, k));
    if (after.viewer() != turn.player) outcomes = mirrored(after, outcomes);
    use(Sample<G>{after, outcomes, {}, number});
  }
}

/// Replays `record` and calls use(sample) for each training position, from the last to the first:
///   kPosition     the position of every searched decision; its visits are the policy target if it
///                 was a full search
///   kAfterstates  the position after every searched or forced decision, unless it ended the game,
///                 and in games of one player that before the first one and those after random
///                 moves. If a search by plies valued moves, instead the positions after all of
///                 these moves: their own values, means over the dice, are the targets, without the
///                 noise of the game's later dice (and without lambda, n-step and blunder)
///   kMoves        the position of every searched decision; the policy target is the move that was
///                 played, and the value target is that of this move
/// The end of a game of one player that was cut is unknown: estimates take its place.
/// Fails, without any sample, when replay() fails. `scratch` keeps its memory between calls;
/// `start` is where games begin.
template <Game G>
Result<void> for_each_sample(const GameRecord& record, const SampleSettings& settings,
                             std::vector<G>& scratch, auto&& use,
                             const G& start = only_start<G>()) {
  if (const Result<void> replayed = replay(record, scratch, start); !replayed) return replayed;
  std::optional<Outcomes<G>> result;
  if (record.end() != EndKind::kCut) {
    result.emplace()[record.final_outcome()] = 1;
  } else if (player_count(start) == 2) {
    result = from_record<G>(record.cut_outcomes());
  }
  BackwardTargets<G> targets(result, settings);
  const bool has_valued = std::ranges::any_of(record.turns(), &RecordedTurn::has_visited);
  for (std::size_t i = record.turns().size(); i-- > 0;) {
    const RecordedTurn& turn = record.turns()[i];
    if (turn.kind == TurnKind::kChance) continue;
    if (settings.evaluates == Evaluates::kAfterstates && has_valued) {
      use_valued(record, i, scratch[i], use);
      continue;
    }
    // For the player whose perspective it is.
    const auto target_for = [&](Player player) {
      auto target = targets.target(scratch[i]);
      if (target && player == 1) target = mirrored(scratch[i], *target);
      return target;
    };
    const G& after = scratch[i + 1];
    const auto after_target = target_for(after.viewer());
    targets.undo_move(after);
    const auto move_target = target_for(turn.player);
    float surprise = 0;
    if (turn.has_root) {
      const auto root = from_record<G>(record.root_outcomes(turn));
      if (const auto target = target_for(turn.player)) {
        surprise =
            std::abs(mean_value(after, root) - mean_value(after, *target)) / value_range(after);
      }
      targets.meet(turn.player == 1 ? mirrored(after, root) : root,
                   passed_on(after, record, turn, root, settings.blunder));
    }
    if (settings.evaluates == Evaluates::kAfterstates && turn.kind != TurnKind::kRandom &&
        after.turn() != Turn::kOver && after_target) {
      use(Sample<G>{after, *after_target, {}, i, surprise});
    }
    const bool searched = turn.kind == TurnKind::kFullSearch || turn.kind == TurnKind::kFastSearch;
    if (settings.evaluates == Evaluates::kMoves) {
      const VisitCount played{turn.action, 1};
      if (searched && move_target) {
        use(Sample<G>{scratch[i], *move_target, std::span(&played, 1), i, surprise});
      }
      continue;
    }
    // Games of one player, in which a move leads to the next decision, begin where no move of
    // theirs led: without these positions the network learns only of those that it likes to play
    // to.
    const bool is_new =
        player_count(after) == 1 && (i == 0 || record.turns()[i - 1].kind == TurnKind::kRandom);
    if (searched && (settings.evaluates == Evaluates::kPosition || is_new)) {
      const bool has_policy = settings.evaluates == Evaluates::kPosition;
      const auto target = target_for(turn.player);
      if (!target) continue;
      use(Sample<G>{scratch[i], *target,
                    has_policy ? record.visits(turn) : std::span<const VisitCount>(), i, surprise});
    }
  }
  return {};
}

}  // namespace senet
