// Self-play of one lane, one game after another: as a function on a fiber, or step by step.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "engine/lanes/lane.hpp"
#include "engine/lanes/lane_fiber.hpp"
#include "engine/lanes/runner.hpp"
#include "selfplay/game_exchange.hpp"
#include "selfplay/game_in_play.hpp"

namespace senet {

/// Controls that the owner of a run may change while it is running. Any thread.
struct PlayControls {
  /// Upper limit for the visits of searches that begin from now on.
  std::atomic<std::uint32_t> max_visits{std::numeric_limits<std::uint32_t>::max()};
  /// The same for the moves of the scrambles that games start from.
  std::atomic<std::uint32_t> max_scramble{std::numeric_limits<std::uint32_t>::max()};
  std::atomic<bool> abandoned{false};  // true: games in play are left where they are
};

/// Everything that the lanes of a self-play run share. Referenced objects outlive the run.
struct SelfPlay {
  const PlaySettings& settings;
  GameNumbers& numbers;
  GameSink& sink;
  const PlayControls& controls;
  std::string_view evaluator;           // its name, for the records
  std::string_view settings_text = {};  // short description of the play settings, for the records
};

/// The loop of a lane: games, decisions, searches. Runs on a fiber, or directly as a Runner.
template <Game G>
class LaneGames final : public Runner {
 public:
  LaneGames(Lane<G>& lane, const SelfPlay& run, const Starts<G>& starts)
      : lane_(lane), run_(run), game_(run.settings, starts) {}

  /// The loop as one function, for a fiber. The worker's other lanes run while it waits.
  void play(LaneFiber& fiber) {
    while (begin_game()) {
      while (next_decision()) {
        if (!fiber.wait(LaneState::kWantsSearch)) return;
        take_decision();
      }
      while (!hand_over()) {
        if (!fiber.wait(LaneState::kBlocked)) return;
      }
    }
  }

  /// The same loop step by step, where fibers cannot be used: under sanitizers, or on a host's own
  /// threads.
  LaneState resume() override {
    if (std::exchange(wants_search_, false)) take_decision();
    for (;;) {
      if (plays_ && (wants_search_ = next_decision())) return LaneState::kWantsSearch;
      if (plays_ && !hand_over()) return LaneState::kBlocked;
      if (!begin_game()) return LaneState::kFinished;
    }
  }

  /// The game in play, as far as its searches have ended; null if there is none. Call while the
  /// lane does not run.
  const GameRecord* in_play() const { return plays_ ? &game_.record() : nullptr; }

 private:
  // Starts the next game of the run; false when there are no more. A parked game that cannot be
  // resumed begins again.
  bool begin_game() {
    auto next = run_.numbers.take();
    if (!next) return false;
    lane_.begin_game();
    if (!next->parked || !game_.resume(std::move(*next->parked))) {
      game_.begin(next->number, run_.evaluator, run_.settings_text,
                  run_.controls.max_scramble.load(std::memory_order_relaxed));
    }
    plays_ = true;
    return true;
  }
  // Plays up to the next decision and starts its search; false when the game has ended.
  bool next_decision() {
    if (!game_.next_decision()) return false;
    const std::uint32_t most = run_.controls.max_visits.load(std::memory_order_relaxed);
    lane_.ask(game_.state(), game_.budget(most), game_.noise());
    return true;
  }
  // Plays the move of the lane's finished search.
  void take_decision() { game_.take(lane_.search(), lane_.model()); }
  // Passes the finished game's record to the sink; false when the sink has no room for it now.
  bool hand_over() {
    plays_ = !run_.sink.offer(game_.record());
    return !plays_;
  }

  Lane<G>& lane_;
  const SelfPlay& run_;
  GameInPlay<G> game_;
  bool plays_ = false;         // from a game's beginning until it is handed over
  bool wants_search_ = false;  // where resume() continues
};

/// Runs a lane's games on a fiber.
template <Game G>
class FiberRunner final : public Runner {
 public:
  FiberRunner(Lane<G>& lane, const SelfPlay& run, const Starts<G>& starts)
      : games_(lane, run, starts), fiber_([this](LaneFiber& fiber) { games_.play(fiber); }) {}
  LaneState resume() override { return fiber_.resume(); }
  const GameRecord* in_play() const { return games_.in_play(); }

 private:
  LaneGames<G> games_;
  LaneFiber fiber_;
};

}  // namespace senet
