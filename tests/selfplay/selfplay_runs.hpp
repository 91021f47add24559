// Small self-play runs for tests.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "selfplay/selfplay_threads.hpp"

namespace senet {

/// The drivers available in this build: no fibers under sanitizers.
inline std::vector<Driver> drivers() {
  if (kStandardDriver == Driver::kPlainLoop) return {Driver::kPlainLoop};
  return {Driver::kFibers, Driver::kPlainLoop};
}

/// Keeps all games by number.
class KeepingSink final : public GameSink {
 public:
  bool offer(GameRecord& record) override {
    const std::lock_guard lock(mutex_);
    games_[record.game_number] = std::move(record);
    return true;
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return games_.size();
  }
  std::map<std::uint64_t, GameRecord>& games() { return games_; }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, GameRecord> games_;
};

template <Game G>
NetworkSpec small_spec() {
  NetworkSpec spec = reference_spec<G>();
  spec.width = 16;
  spec.blocks = 1;
  spec.policy_layers = 1;
  return spec;
}

inline SelfPlaySettings small_run(EvaluatorKind evaluator, std::uint32_t visits) {
  SelfPlaySettings settings;
  settings.worker.lanes = 4;
  settings.worker.evaluation.batch_rows = 32;
  settings.worker.evaluation.kind = evaluator;
  settings.worker.visits = visits;
  settings.play.full_visits = visits;
  settings.play.fast_visits = (visits + 3) / 4;
  settings.play.full_share = 0.5f;
  settings.play.random_plies = 3;
  settings.play.ply_cap = 120;
  return settings;
}

/// Plays games [0, count), which begin with `start`, and returns them by number.
template <Game G>
std::map<std::uint64_t, GameRecord> play_run(const SelfPlaySettings& settings, std::uint64_t count,
                                             const NetworkSpec& spec = small_spec<G>(),
                                             const G& start = only_start<G>()) {
  ModelStore models(initial_network(spec, 5));
  GameNumbers numbers(0, count);
  KeepingSink sink;
  SelfPlayThreads<G> threads(settings, models, numbers, sink, {}, start);
  EXPECT_TRUE(threads.join());
  return std::move(sink.games());
}

}  // namespace senet
