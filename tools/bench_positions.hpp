// Positions to measure on: those that self-play searched.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "games/random.hpp"
#include "selfplay/runners.hpp"
#include "senet/game.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// Plays a random legal action, or rolls; `state` is not over. Returns the state it leads to.
template <Game G>
G random_successor(const G& state, Random& random) {
  G next = state;
  if constexpr (StochasticGame<G>) {
    if (state.turn() == Turn::kChance) {
      std::array<float, kMaxChance<G>> probability;
      const std::size_t count = state.chance(probability);
      next.play(static_cast<Action>(random.pick({probability.data(), count})));
      return next;
    }
  }
  ActionList<G::kMaxLegal> actions;
  state.legal(actions);
  next.play(actions[random.below(static_cast<std::uint32_t>(actions.size()))]);
  return next;
}

/// Keeps whole games.
class KeepingSink final : public GameSink {
 public:
  bool offer(GameRecord& record) override {
    games.push_back(record);
    return true;
  }

  std::vector<GameRecord> games;
};

/// `count` positions that were searched in settings.recorded_games games of self-play, spread
/// evenly over all of them and in the order of the games; the same one several times when there are
/// fewer. The games are played as the self-play benchmark plays: `network` asked about positions,
/// 100 visits, noise, moves drawn by their visits in the opening. The same seed and network give
/// the same positions.
template <Game G>
Result<std::vector<G>> recorded_decisions(const BenchSettings& settings, const Network& network,
                                          std::size_t count) {
  constexpr std::uint32_t kVisits = 100;
  ModelStore models(copy_of(network));
  WorkerReport report;
  WorkerSettings of_worker;
  of_worker.lanes = std::min<std::size_t>(settings.recorded_games, 64);
  of_worker.visits = kVisits;
  auto worker = Worker<G>::make(of_worker, models, report);
  if (!worker) return worker.error();
  PlaySettings play;
  play.seed = settings.seed;
  play.full_visits = play.fast_visits = kVisits;
  GameNumbers numbers(0, settings.recorded_games);
  KeepingSink sink;
  play_all_games(**worker, SelfPlay{play, numbers, sink, (*worker)->evaluator_name()},
                 Driver::kPlainLoop);

  std::ranges::sort(sink.games, {}, &GameRecord::game_number);
  std::vector<G> searched;
  for (const GameRecord& game : sink.games) {
    G state;
    for (const RecordedTurn& turn : game.turns()) {
      if (turn.kind == TurnKind::kFullSearch) searched.push_back(state);
      state.play(turn.action);
    }
  }
  if (searched.empty()) return fail("self-play came to no decision");
  std::vector<G> decisions;
  for (std::size_t i = 0; i < count; ++i) {
    decisions.push_back(searched[i * searched.size() / count]);
  }
  return decisions;
}

}  // namespace senet
