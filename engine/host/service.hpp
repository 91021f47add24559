// The engine inside a host program: sessions of any game, searched by a few workers within a memory
// bound. The C interface (engine/host/include/senet/senet.h) is a thin layer over this.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine/host/memory_budget.hpp"
#include "engine/host/row_team.hpp"
#include "engine/host/service_worker.hpp"
#include "engine/host/session.hpp"
#include "games/any_game.hpp"
#include "nn/evaluation.hpp"
#include "search/settings.hpp"

namespace senet {

struct ServedGame;
struct GameTable;
struct HostTable;
class OwnGame;
class TablebaseFile;

/// Maximum of ServiceSettings::lines.
inline constexpr std::uint32_t kMaxLines = 500;

struct ServiceSettings {
  std::uint32_t workers = 1;    // threads of the service; 0: the host polls
  std::uint32_t pollers = 1;    // without workers: maximum host threads that poll at once
  std::uint32_t helpers = 0;    // threads of the service that only share forward passes
  std::uint32_t sessions = 16;  // maximum open at once
  std::uint32_t visits = 800;   // that each session's tree has room for
  std::size_t tree = 0;         // if not 0: bytes of each session's tree; `visits` is ignored
  std::uint32_t lines = 0;      // maximum of SessionLimits::lines
  /// Each worker has an evaluator. One of the host's own may be made on any thread, is used by one
  /// thread at a time, and its memory is counted as if it were of `kind`.
  Evaluation evaluation{.batch_rows = 32};
  std::size_t cache = 0;  // bytes of each worker's evaluation cache, per game; 0: none
  /// If set, searches ask the tablebases of games that have one, whose files are in this folder
  /// (TablebaseFile; an empty path: they are kept in memory).
  std::optional<std::filesystem::path> tablebases = {};
  /// With reuse_tree off, each search begins with an empty tree. `evaluates` replaces
  /// search.evaluates; if unset, the mode is the one that the weights were trained for.
  SearchSettings search{.policy_temperature = kPlayersPolicyTemperature};
  std::optional<Evaluates> evaluates = {};
  std::size_t memory = std::size_t{256} << 20;  // bytes for everything; never exceeded
  std::uint64_t seed = 1;                       // for noise and temperature
  Heap* heap = &default_heap();                 // for large blocks; outlives the service
  // Receives lines for people, on any thread. Exceptions from it are dropped.
  std::function<void(std::string_view)> log = nullptr;
};

/// The maximum number of threads that search at once, which is the number of ServiceWorkers.
inline std::size_t drivers(const ServiceSettings& settings) {
  return settings.workers > 0 ? settings.workers : settings.pollers;
}

/// The maximum number of threads that evaluate rows at once: those that search, then the helpers.
inline std::size_t evaluating_threads(const ServiceSettings& settings) {
  return drivers(settings) + settings.helpers;
}

/// Bytes of two networks of this shape (the old and the new one, while one replaces the other), and
/// of reading a network's file.
std::size_t exchanged_bytes(const NetworkSpec& spec);

/// What a network expects of a position, without a search.
struct Expectation {
  Player viewer;                    // from whose perspective: AnyState::viewer()
  float value;                      // in the game's points
  std::span<const float> outcomes;  // probability of each way to end, in the game's order
};

/// Every function may be called from any thread. The service outlives its sessions and networks.
class Service {
 public:
  /// Starts the workers; reserves nothing else. Fails on invalid settings.
  static Result<std::unique_ptr<Service>> open(const ServiceSettings& settings);
  /// Ends all searches, with their results so far, then the workers and all sessions.
  ~Service();

  /// The largest value of `setting` (visits or sessions) with which sessions of this game fit into
  /// memory together with one evaluate() at a time, given a network of this shape and the other
  /// settings; 0 if not even 1 does. `own` is the game's table if it is a game of the host.
  static Result<std::uint32_t> most_that_fit(const ServiceSettings& settings,
                                             const NetworkSpec& spec,
                                             std::uint32_t ServiceSettings::*setting,
                                             const GameTable* own = nullptr);

  /// The names of all games, those of the host last. Valid as long as the service.
  std::vector<std::string_view> games() const;

  /// Adds a game of the host, after check_table().
  Result<void> add_game(GameTable table);

  /// Weights from a file, from a file's bytes (copied), or linked in (not copied). Their memory is
  /// reserved while a reference to them exists.
  Result<SharedNetwork> load(const std::filesystem::path& file);
  Result<SharedNetwork> read(std::span<const std::byte> file);
  Result<SharedNetwork> builtin(std::string_view game);
  /// Untrained weights of the reference shape.
  Result<SharedNetwork> untrained(std::string_view game, std::uint64_t seed);
  /// Random games in place of a network.
  Result<SharedNetwork> playouts(std::string_view game);
  /// Publishes the network: searches of its game that begin from now on use it. The first network
  /// of a game reserves the memory that the game needs.
  Result<void> use(const SharedNetwork& network);

  /// The tablebase that searches of the game ask; empty if they ask none, null before the game's
  /// first use(). Lives as long as the service.
  const TablebaseFile* tablebase(std::string_view game);

  /// A session at the start of the game. A game without weights in use and without a built-in
  /// network gets playouts(). Fails if no weights are in use for another game, all slots are taken,
  /// or there is no memory for another tree.
  Result<Session*> open_session(std::string_view game);
  /// Ends the session's search, waits for its callback and for threads inside calls on the session,
  /// and frees it. In a callback it does not wait: the last of these to end frees the session.
  void close_session(Session* session);

  /// Begins a search and returns immediately; see Session::Done.
  Result<void> search(Session& session, SessionLimits limits, Session::Done done);

  /// Evaluates `count` positions of the game without a search, as NetworkAlone does, with the
  /// weights in use (see open_session). Works on the calling thread, with a new evaluator.
  /// Calls position(rules, i) for each, then expected(i, ...) in the same order, a batch at a time;
  /// ends with the first error that position() returns.
  Result<void> evaluate(
      std::string_view game, std::size_t count,
      const std::function<Result<AnyState>(const AnyGame& rules, std::size_t i)>& position,
      const std::function<void(std::size_t i, const Expectation&)>& expected);

  /// Waits until no search of the session and no callback of one is running; without workers it
  /// searches meanwhile. SENET_TIMEOUT if that takes longer, SENET_BAD_STATE in a callback.
  Result<void> wait(const Session& session, std::chrono::microseconds time);

  /// Without workers: searches for about `budget`, at least one round, or until there is nothing
  /// left for this thread to do. Returns the number of running searches. Up to `pollers` threads
  /// poll at once; further ones return immediately. SENET_BAD_STATE in a callback.
  Result<std::uint32_t> poll(std::chrono::microseconds budget);

  const MemoryBudget& memory() const { return memory_budget_; }
  const RowTeam& team() const { return team_; }
  /// Writes a line to the log, if there is one.
  void say(std::string_view line) const noexcept;
  /// Whether the calling thread is inside a callback of this service.
  bool in_callback() const;

  /// Called by sessions: frees a closed session that is no longer used.
  void release(const Session* session);

 private:
  explicit Service(const ServiceSettings& settings);
  Result<std::unique_ptr<ServedGame>> make_served(const Weights& weights);
  Result<void> open_tablebase(const AnyGame& game, TablebaseFile& tablebase);
  Result<ServiceSettings> settings_for(const Weights& weights);
  Result<const HostTable*> find_host(std::string_view game) const;
  Result<SharedNetwork> initial(const NetworkSpec& spec, std::uint64_t seed);
  Error no_weights(std::string_view game) const;
  Result<ServedGame*> served_game(std::string_view game);
  // The caller holds mutex_.
  ServedGame* find_served(std::string_view game);

  void drive_until(ServiceClock::time_point end);
  bool drive_until_idle(const Session& session, std::chrono::microseconds time);

  const ServiceSettings settings_;
  MemoryBudget memory_budget_;
  const MemoryBudget::Reservation fixed_;
  RowTeam team_;  // of the workers, then the helpers
  std::vector<std::unique_ptr<ServiceWorker>> workers_;
  std::atomic<std::size_t> next_polled_{0};
  std::mutex games_mutex_;    // one use() or add_game() at a time
  mutable std::mutex mutex_;  // guards the members below; no large allocations under it
  std::vector<std::unique_ptr<const OwnGame>> own_games_;  // of the host; never removed
  std::vector<std::unique_ptr<ServedGame>> served_;        // never removed
  std::unordered_map<const Session*, OnHeap<Session>> open_;
  bool closing_ = false;
  std::uint64_t opened_ = 0;
  std::uint32_t opening_ = 0;  // slots of sessions that are being allocated
  std::vector<std::jthread> threads_;
};

}  // namespace senet
