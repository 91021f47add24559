// Self-play of one lane, game after game: as one function on a fiber, and without fibers.
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

/// What a run's owner may change while it goes on. Any thread.
struct PlayOrders {
  /// Searches that begin from now on make no more visits, whatever the settings say.
  std::atomic<std::uint32_t> most_visits{std::numeric_limits<std::uint32_t>::max()};
  std::atomic<bool> abandoned{false};  // true: the games under way are left where they are
};

/// What all lanes of a self-play run share. Referenced things outlive the run.
struct SelfPlay {
  const PlaySettings& settings;
  GameNumbers& numbers;
  GameSink& sink;
  const PlayOrders& orders;
  std::string_view evaluator;           // its name, for the records
  std::string_view settings_text = {};  // how the games are played in short, for the records
};

/// A lane's whole life: games, decisions, searches. A runner by itself, or what a fiber plays.
template <Game G>
class LaneGames final : public Runner {
 public:
  LaneGames(Lane<G>& lane, const SelfPlay& run) : lane_(lane), run_(run), game_(run.settings) {}

  /// As one function, for a fiber. The other lanes of the worker go on while it waits.
  void play(LaneFiber& fiber) {
    while (begin_game()) {
      while (next_decision()) {
        if (!fiber.wait(LaneState::kThinks)) return;
        take_decision();
      }
      while (!hand_over()) {
        if (!fiber.wait(LaneState::kBlocked)) return;
      }
    }
  }

  /// The same, a step at a time, where fibers do not fit: a host that lends its own threads,
  /// sanitizers.
  LaneState resume() override {
    if (std::exchange(thinks_, false)) take_decision();
    for (;;) {
      if (plays_ && (thinks_ = next_decision())) return LaneState::kThinks;
      if (plays_ && !hand_over()) return LaneState::kBlocked;
      if (!(plays_ = begin_game())) return LaneState::kFinished;
    }
  }

 private:
  // The next game of the run; false when there is none.
  bool begin_game() {
    const auto number = run_.numbers.take();
    if (!number) return false;
    lane_.begin_game();
    game_.begin(*number, run_.evaluator, run_.settings_text);
    return true;
  }
  // Plays on to the next decision and asks the lane for its search; false when the game has ended.
  bool next_decision() {
    if (!game_.next_decision()) return false;
    const std::uint32_t most = run_.orders.most_visits.load(std::memory_order_relaxed);
    lane_.ask(game_.state(), game_.budget(most), game_.noise());
    return true;
  }
  // Plays what the lane's search has found, which is over.
  void take_decision() { game_.take(lane_.search(), lane_.model()); }
  // Hands the record of the ended game over; false when there is no room for it now.
  bool hand_over() { return run_.sink.offer(game_.record()); }

  Lane<G>& lane_;
  const SelfPlay& run_;
  GameInPlay<G> game_;
  bool plays_ = false, thinks_ = false;  // where resume() goes on
};

/// Carries a lane's games on as a fiber.
template <Game G>
class FiberRunner final : public Runner {
 public:
  FiberRunner(Lane<G>& lane, const SelfPlay& run)
      : games_(lane, run), fiber_([this](LaneFiber& fiber) { games_.play(fiber); }) {}
  LaneState resume() override { return fiber_.resume(); }

 private:
  LaneGames<G> games_;
  LaneFiber fiber_;
};

}  // namespace senet
