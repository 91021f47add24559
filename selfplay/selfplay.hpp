// Self-play on several threads, for any game: its settings, and the running threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <thread>
#include <tuple>
#include <type_traits>

#include "engine/lanes/any_worker.hpp"
#include "engine/lanes/worker_settings.hpp"
#include "selfplay/game_exchange.hpp"
#include "selfplay/hard_positions.hpp"
#include "selfplay/play_settings.hpp"

namespace senet {

/// How a worker runs its lanes.
enum class Driver : std::uint8_t { kFibers, kPlainLoop };

/// Boost's fibers do not report stack switches to sanitizers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr Driver kStandardDriver = Driver::kPlainLoop;
#else
inline constexpr Driver kStandardDriver = Driver::kFibers;
#endif

struct SelfPlaySettings {
  std::size_t workers = 1;
  WorkerSettings worker{.evaluation = {.kind = EvaluatorKind::kInt8}};  // see docs/decisions.md
  PlaySettings play;
  Driver driver = kStandardDriver;
};

/// The settings of the worker and of the games have their own lists.
constexpr auto settings_of(std::type_identity<SelfPlaySettings>) {
  return std::tuple{
      setting("workers", &SelfPlaySettings::workers,
              "self-play threads; 0: all hardware threads but two, and at least two of them if "
              "there are two",
              {.least = 0, .most = 1024})};
}

constexpr std::string_view settings_heading(std::type_identity<SelfPlaySettings>) {
  return "Workers";
}

/// The default: all hardware threads but two, which are left to the trainer and the rest of the
/// machine. Where few are left, at most two that share the processor with the trainer: it needs
/// about a third of one, and by default keeps up with two.
inline std::size_t default_workers() {
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  return std::max(threads - std::min<std::size_t>(threads, 2), std::min<std::size_t>(threads, 2));
}

/// Called on a worker's thread with its number and the worker (a Worker<G> of the game): before it
/// plays, and after it has played or left all its games. Not called for a worker that failed to
/// start. Objects referenced by the functions outlive the threads, and so do `hard` and `parked`,
/// which gets the games in play; null: they are lost when the threads are abandoned.
struct SelfPlayHooks {
  std::function<void(std::size_t, AnyWorker&)> begins = {}, ended = {};
  ParkedGames* parked = nullptr;
  HardPositions* hard = nullptr;  // for games that start from such positions; null: there are none
  /// limit_scrambles() and limit_visits() from the first game on.
  std::uint32_t scramble_moves = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t visits = std::numeric_limits<std::uint32_t>::max();
};

/// Worker threads that play games until the game numbers run out. Owned and joined by one thread.
class AnySelfPlayThreads {
 public:
  virtual ~AnySelfPlayThreads() = default;

  /// Stops every worker within about two forward passes, in the middle of games.
  virtual void abandon() = 0;
  /// Limits searches that begin from now on to this many visits.
  virtual void limit_visits(std::uint32_t most) = 0;
  /// Limits the scrambles of games that begin from now on to this many moves.
  virtual void limit_scrambles(std::uint32_t most) = 0;
  /// Waits until every worker has run out of games. Fails when a worker could not start, with the
  /// first such reason.
  virtual Result<void> join() = 0;
  /// Workers still running.
  virtual std::size_t running() const = 0;
  virtual const std::deque<WorkerReport>& reports() const = 0;
};

}  // namespace senet
