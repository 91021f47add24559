// The engine that a host program holds: sessions of any game, searched by a few workers within a
// bound of memory. The C interface (engine/host/include/senet/senet.h) is a thin coat over this.
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

#include "engine/host/ledger.hpp"
#include "engine/host/row_team.hpp"
#include "engine/host/service_worker.hpp"
#include "engine/host/session.hpp"
#include "games/any_game.hpp"
#include "nn/evaluator.hpp"
#include "search/settings.hpp"

namespace senet {

struct GameRoom;
struct GameTable;
struct HostTable;
class OwnGame;

struct ServiceSettings {
  std::uint32_t workers = 1;      // threads of the service; 0: the host polls
  std::uint32_t pollers = 1;      // without workers: threads of the host that may poll at once
  std::uint32_t sessions = 16;    // open at once, at most
  std::uint32_t visits = 800;     // that every session's tree has room for ...
  std::size_t tree = 0;           // ... or bytes of every session's tree, which `visits` bounds not
  std::uint32_t lines = 0;        // that a result has room for: SessionLimits::lines
  std::uint32_t batch_rows = 32;  // of a forward pass, at most
  EvaluatorKind evaluator = EvaluatorKind::kFused;
  std::size_t cache = 0;  // bytes in which each worker remembers answers, for each game; 0: none
  /// How searches weigh what they see; with reuse_tree off each begins with an empty tree. What the
  /// network is asked about is `evaluates`, and if that is unset, what the weights were taught.
  SearchSettings search{.policy_temperature = kPlayersPolicyTemperature};
  std::optional<Evaluates> evaluates = {};
  std::size_t memory = std::size_t{256} << 20;  // bytes for everything; never exceeded
  std::uint64_t seed = 1;                       // draws noise and temperature
  Heap* heap = &default_heap();                 // of large blocks; outlives the service
  // Lines for a person, from any thread; what it throws is lost.
  std::function<void(std::string_view)> log = nullptr;
};

/// Threads that search.
inline std::size_t drivers(const ServiceSettings& settings) {
  return settings.workers > 0 ? settings.workers : settings.pollers;
}

/// Memory of two networks of this shape, as many as there are while they are exchanged, and of
/// reading a file of one.
std::size_t exchanged_bytes(const NetworkSpec& spec);

/// Everything of it may be called from any thread. Sessions and networks that it gave out must not
/// be used after its end.
class Service {
 public:
  /// Starts the workers; reserves nothing else. Fails on settings that make no sense.
  static Result<std::unique_ptr<Service>> open(const ServiceSettings& settings);
  /// Ends all searches, with what they have, then the workers and all sessions.
  ~Service();

  /// The most that `setting`, the visits or the sessions, can be for sessions of this game with a
  /// network of this shape, everything else as in `settings`; 0 when not even 1 fits.
  static Result<std::uint32_t> most_that_fit(const ServiceSettings& settings,
                                             const NetworkSpec& spec,
                                             std::uint32_t ServiceSettings::*setting);

  /// A game of the host's own, if its functions agree with each other.
  Result<void> add_game(GameTable table);

  /// Weights from a file, from the bytes of one (a copy), or those that are linked in (no copy).
  /// They count as long as they are held.
  Result<SharedNetwork> load(const std::filesystem::path& file);
  Result<SharedNetwork> read(std::span<const std::byte> file);
  Result<SharedNetwork> builtin(std::string_view game);
  /// Fresh weights of the reference shape: they know nothing, but a search can be begun with them.
  Result<SharedNetwork> untrained(std::string_view game, std::uint64_t seed);
  /// Searches of that network's game that begin from now on are answered by it. The first network
  /// of a game reserves what the game needs.
  Result<void> use(const SharedNetwork& network);

  /// A session at the start of the game. Fails when no weights are in use for it, when all slots
  /// are taken, or when there is no memory for one more tree.
  Result<Session*> open_session(std::string_view game);
  /// Ends its search, waits for that end and its callback and for threads inside a call of it, and
  /// frees it. In a callback it waits for nothing: the session is freed behind what is under way.
  void close_session(Session* session);

  /// Begins a search and returns at once; see Session::Done.
  Result<void> search(Session& session, SessionLimits limits, Session::Done done);

  /// Waits until no search of the session is under way, nor a callback of one; without workers it
  /// searches meanwhile. SENET_TIMEOUT when that takes longer, SENET_BAD_STATE in a callback.
  Result<void> wait(const Session& session, std::chrono::microseconds time);

  /// Without workers: searches for about that long, at least one round, or until there is nothing
  /// that this thread could do. Returns how many searches are under way. Several threads may poll
  /// at once, up to `pollers`; one more returns at once. SENET_BAD_STATE in a callback.
  Result<std::uint32_t> poll(std::chrono::microseconds budget);

  const Ledger& memory() const { return ledger_; }
  const RowTeam& team() const { return team_; }
  /// A line for the log, if there is one.
  void say(std::string_view line) const noexcept;
  /// Whether the calling thread is inside a Session::Done of this service.
  bool in_callback() const;

  /// For its sessions: frees one that was closed and that nothing is inside of any more.
  void release(const Session* session);

 private:
  explicit Service(const ServiceSettings& settings);
  Result<std::unique_ptr<GameRoom>> make_room_for(const Weights& weights);
  Result<ServiceSettings> settings_for(const Weights& weights);
  Result<const HostTable*> find_host(std::string_view game) const;
  // Needs mutex_.
  GameRoom* find_room(std::string_view game);

  void drive_until(ServiceClock::time_point end);
  bool drive_until_idle(const Session& session, std::chrono::microseconds time);

  const ServiceSettings settings_;
  Ledger ledger_;
  const Ledger::Charge fixed_;
  RowTeam team_;  // of the workers
  std::vector<std::unique_ptr<ServiceWorker>> workers_;
  std::atomic<std::size_t> next_polled_{0};
  std::mutex games_mutex_;    // one use() or add_game() at a time
  mutable std::mutex mutex_;  // guards what follows; nothing large is allocated under it
  std::vector<std::unique_ptr<const OwnGame>> own_games_;  // of the host; none ever goes
  std::vector<std::unique_ptr<GameRoom>> rooms_;           // none ever goes
  std::unordered_map<const Session*, OnHeap<Session>> open_;
  bool closing_ = false;
  std::uint64_t opened_ = 0;
  std::uint32_t opening_ = 0;  // slots of sessions that are being made
  std::vector<std::jthread> threads_;
};

}  // namespace senet
