// The two ways to drive a lane through game after game: as a story on a fiber, or as a plain state
// machine.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/lanes/worker.hpp"
#include "selfplay/game_exchange.hpp"
#include "selfplay/play.hpp"

namespace senet {

/// What all lanes of a self-play run share. Referenced things outlive the run.
struct SelfPlay {
  const PlaySettings& settings;
  GameNumbers& numbers;
  GameSink& sink;
  std::string_view evaluator;           // its name, for the records
  std::string_view settings_text = {};  // how the games are played in short, for the records
  const std::atomic<bool>* abandoned = nullptr;  // true: leave the games under way where they are
};

/// A lane's whole life on a fiber: game after game.
template <Game G>
void play_games(Lane<G>& lane, const SelfPlay& run) {
  const auto game = std::make_unique<GameInPlay<G>>(run.settings);
  while (const auto number = run.numbers.take()) {
    GameRecord& record = play(lane, *game, *number, run.evaluator, run.settings_text);
    while (!run.sink.offer(record)) lane.wait();
  }
}

/// The same life without a fiber, where fibers do not fit: a host that lends its own threads,
/// ThreadSanitizer.
template <Game G>
class PlainRunner {
 public:
  PlainRunner(Lane<G>& lane, const SelfPlay& run) : lane_(lane), run_(run), game_(run.settings) {}

  LaneState resume() {
    for (;;) {
      switch (stage_) {
        case Stage::kNextGame: {
          const auto number = run_.numbers.take();
          if (!number) return LaneState::kFinished;
          lane_.begin_game();
          game_.begin(*number, run_.evaluator, run_.settings_text);
          stage_ = Stage::kNextMove;
          break;
        }
        case Stage::kNextMove:
          stage_ = game_.next_decision() ? Stage::kBeginSearch : Stage::kHandOver;
          break;
        case Stage::kBeginSearch:
          if (!lane_.begin(game_.state(), game_.budget(), game_.noise())) {
            return LaneState::kBlocked;
          }
          stage_ = Stage::kSearch;
          break;
        case Stage::kSearch: {
          const LaneState wants = lane_.advance();
          if (wants != LaneState::kReady) return wants;
          game_.take(lane_.search().decision(), lane_.model(),
                     [&](Action action) { return lane_.search().outcomes_after(action); });
          stage_ = Stage::kNextMove;
          break;
        }
        case Stage::kHandOver:
          if (!run_.sink.offer(game_.record())) {
            WorkerReport::add(lane_.report().waits, 1);
            return LaneState::kBlocked;
          }
          stage_ = Stage::kNextGame;
          break;
      }
    }
  }

 private:
  enum class Stage : std::uint8_t { kNextGame, kNextMove, kBeginSearch, kSearch, kHandOver };

  Lane<G>& lane_;
  SelfPlay run_;
  GameInPlay<G> game_;
  Stage stage_ = Stage::kNextGame;
};

/// Who drives the lanes of a worker.
enum class Driver : std::uint8_t { kFibers, kPlainLoop };

/// Plays until the numbers run out or the run is abandoned, on the calling thread.
template <Game G>
void play_all_games(Worker<G>& worker, const SelfPlay& run, Driver driver) {
  if (driver == Driver::kFibers) {
    std::vector<std::unique_ptr<FiberRunner<G>>> runners;
    for (const auto& lane : worker.lanes()) {
      runners.push_back(
          std::make_unique<FiberRunner<G>>(*lane, [&run](Lane<G>& own) { play_games(own, run); }));
    }
    worker.template drive<FiberRunner<G>>(runners, run.abandoned);
  } else {
    std::vector<std::unique_ptr<PlainRunner<G>>> runners;
    for (const auto& lane : worker.lanes()) {
      runners.push_back(std::make_unique<PlainRunner<G>>(*lane, run));
    }
    worker.template drive<PlainRunner<G>>(runners, run.abandoned);
  }
}

}  // namespace senet
