// Self-play on several threads, whatever the game: its settings, and the threads while they play.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <tuple>
#include <type_traits>

#include "engine/lanes/any_worker.hpp"
#include "engine/lanes/worker_settings.hpp"
#include "selfplay/play_settings.hpp"

namespace senet {

/// What carries the lanes of a worker on.
enum class Driver : std::uint8_t { kFibers, kPlainLoop };

/// Boost's fibers do not tell sanitizers which stack they are on.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr Driver kStandardDriver = Driver::kPlainLoop;
#else
inline constexpr Driver kStandardDriver = Driver::kFibers;
#endif

struct SelfPlaySettings {
  std::size_t workers = 1;
  WorkerSettings worker;
  PlaySettings play;
  Driver driver = kStandardDriver;
};

/// The worker's and the game's settings have lists of their own.
constexpr auto settings_of(std::type_identity<SelfPlaySettings>) {
  return std::tuple{setting("workers", &SelfPlaySettings::workers,
                            "self-play threads; 0: hardware threads less two, at least one",
                            {.least = 0, .most = 1024})};
}

/// The engine's own choice: all hardware threads but two, which are left to the trainer and the
/// rest of the machine.
inline std::size_t default_workers() {
  const std::size_t threads = std::thread::hardware_concurrency();
  return threads > 3 ? threads - 2 : 1;
}

/// Functions called with a worker, which is a Worker<G> of the game that is played, and its number,
/// on the worker's thread: before it plays, and when it has played all its games or left them. Not
/// with one that could not start. What they refer to outlives the threads.
struct SelfPlayHooks {
  std::function<void(std::size_t, AnyWorker&)> begins = {}, ended = {};
};

/// Worker threads that play games until their numbers run out. Owned and joined by one thread.
class AnySelfPlayThreads {
 public:
  virtual ~AnySelfPlayThreads() = default;

  /// Every worker stops where it is, within a forward pass or two; the games under way are dropped.
  virtual void abandon() = 0;
  /// Searches that begin from now on make no more visits than this.
  virtual void limit_visits(std::uint32_t most) = 0;
  /// Waits until every worker has run out of games; the first reason why one could not start.
  virtual Result<void> join() = 0;
  /// Workers still running.
  virtual std::size_t running() const = 0;
  virtual const std::deque<WorkerReport>& reports() const = 0;
};

}  // namespace senet
