// Positions to measure on, those that self-play searched, and what evaluators are asked about them.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "games/any_game.hpp"
#include "games/registry.hpp"
#include "search/scratch.hpp"
#include "selfplay/selfplay_threads.hpp"
#include "tools/bench_settings.hpp"
#include "tools/recorded_batches.hpp"

namespace senet {

/// Keeps whole games. For one worker.
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
Result<std::vector<AnyState>> recorded_decisions(const BenchSettings& settings,
                                                 const Network& network, std::size_t count) {
  constexpr std::uint32_t kVisits = 100;
  SelfPlaySettings how;
  how.worker.lanes = std::min<std::size_t>(settings.recorded_games, 64);
  how.worker.visits = how.play.full_visits = how.play.fast_visits = kVisits;
  how.play.seed = settings.seed;
  ModelStore models(copy_of(network));
  GameNumbers numbers(0, settings.recorded_games);
  KeepingSink sink;
  SelfPlayThreads<G> player(how, models, numbers, sink);
  if (const auto played = player.join(); !played) return played.error();

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
  std::vector<AnyState> decisions;
  for (std::size_t i = 0; i < count; ++i) {
    decisions.emplace_back(game_table<AnyGame, G>(), searched[i * searched.size() / count]);
  }
  return decisions;
}

/// The same states by their type.
template <Game G>
std::vector<G> typed(std::span<const AnyState> states) {
  std::vector<G> own;
  for (const AnyState& state : states) own.push_back(state.as<G>());
  return own;
}

template <Game G>
std::unique_ptr<RecordedBatches> record_batches(std::span<const AnyState> positions,
                                                std::size_t rows, Evaluates evaluates) {
  auto batches =
      std::make_unique<RecordedBatches>(positions.size(), kOutcomes<G>, rows, G::kMaxActive);
  for (const AnyState& any : positions) {
    const G& position = any.as<G>();
    WantedLogits<G> wanted;
    if (evaluates == Evaluates::kPosition) {
      ActionList<G::kMaxLegal> actions;
      position.legal(actions);
      wanted.list(position, {actions.data(), actions.size()});
    }
    batches->add(wanted.wanted(), [&](FeatureRow& row) { position.encode(row); });
  }
  batches->drop_part_full();
  return batches;
}

}  // namespace senet
