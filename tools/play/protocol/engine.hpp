// The engine behind a protocol session: the options that setoption changes, and the service with a
// single session that is built from them and polled on the calling thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/host/service.hpp"
#include "games/any_game.hpp"
#include "games/games.hpp"
#include "games/settings.hpp"
#include "nn/levels.hpp"
#include "nn/tablebase_file.hpp"
#include "tools/play/search_setup.hpp"

namespace senet::protocol {

inline constexpr std::uint32_t kMaxHashMib = 1u << 20;
inline constexpr std::uint32_t kMaxMultiPv = 500;
inline constexpr std::uint32_t kMaxThreads = 256;

/// Values of Level and UCI_Elo that stand for the top level of any network: full strength.
inline constexpr std::uint32_t kTopLevel = kMaxLevels, kTopElo = UINT32_MAX;

/// The default game: the first game that UBGI supports, so that all protocols work.
std::string first_game();

/// All settings of a session, with the names of the protocol's options.
struct Options {
  std::string game = first_game();             // Game
  std::string weights;                         // WeightsFile; empty: default_source(game)
  std::uint32_t visits = 100;                  // Visits
  std::uint32_t hash_mib = 128;                // Hash
  std::uint32_t threads = 1;                   // Threads
  bool reuse_tree = true;                      // ReuseTree
  bool ponder = false;                         // Ponder
  std::uint32_t multi_pv = 1;                  // MultiPV
  std::uint32_t hash_limit_mib = kMaxHashMib;  // maximum value of Hash
  // Of networks with levels of strength:
  std::uint32_t level = kTopLevel;  // Level
  bool limits_strength = false;     // UCI_LimitStrength
  std::uint32_t elo = kTopElo;      // UCI_Elo
  std::uint32_t seed = 0;           // Seed: of the moves that levels draw
  // Evaluator, Mode, CPuct to TablebaseFolder
  SearchOptions search = SearchOptions::for_play();
};

/// The numeric settings. With the names of the options.
constexpr auto settings_of(std::type_identity<Options>) {
  using O = Options;
  return std::tuple{
      setting("visits", &O::visits,
              "visits of a go without limits; 0 or 1: the network alone (option Visits)",
              {.least = 0, .most = kMaxVisits}, {.option_name = "Visits"}),
      setting("hash", &O::hash_mib, "memory of the tree (option Hash)",
              {.least = 1, .most = kMaxHashMib, .unit = "MiB"}, {.option_name = "Hash"}),
      setting(
          "threads", &O::threads,
          "threads of a search (option Threads); additional threads help with forward passes of "
          "8 or more rows",
          {.least = 1, .most = kMaxThreads}, {.option_name = "Threads"}),
      setting("reuse-tree", &O::reuse_tree,
              "reuse the tree of earlier searches of the game; takes half of the tree's memory "
              "(option ReuseTree)",
              {}, {.option_name = "ReuseTree"}),
      setting("ponder", &O::ponder,
              "add the expected reply to bestmove, so that a program can let the engine ponder "
              "(option Ponder)",
              {}, {.option_name = "Ponder"}),
      setting("multi-pv", &O::multi_pv, "moves reported in info (option MultiPV)",
              {.least = 1, .most = kMaxMultiPv}, {.option_name = "MultiPV"})};
}

/// The source of the session's network, for open_network().
inline std::string_view network_source(const Options& options) {
  return options.weights.empty() ? default_source(options.game) : options.weights;
}

/// The level at which the options ask a network with these levels to play; none: full strength.
/// UCI_Elo selects the strongest level that is not rated above it, or the weakest.
std::optional<Level> level_of(const Options& options, std::span<const Level> levels);

/// What must be rebuilt after a change. Each value includes those before it.
enum class Change : std::uint8_t { kNothing, kSearch, kNetwork, kGame };

/// The lines "option name <Name> type <type> default <value> ...", with the current values as the
/// defaults. `levels` are those of the network in use.
std::vector<std::string> option_lines(const Games& games, const Options& options,
                                      std::span<const Level> levels);

/// Sets an option by its case-insensitive name. On an unknown name or a refused value, throws an
/// Error and leaves `options` unchanged.
Change set_option(const Games& games, Options& options, std::span<const Level> levels,
                  std::string_view name, std::string_view value);

/// Use from one thread at a time. With reuse_tree off, and with reuse_tree of the limits off, a
/// search begins with an empty tree, so that the answer depends only on the position, the settings
/// and the limits. The functions throw an Error on failure; those from the libsenet session have
/// Code::kInternal.
class Engine {
 public:
  /// Opens the service and session for the options' game. Reserves the memory of the tree, so that
  /// searches do not have to. `games` outlives the engine.
  Engine(const Games& games, const Options& options) : games_(&games) {
    configure(options, Change::kGame);
  }

  /// Rebuilds what `change` requires. On failure the engine is unchanged. Throws an Error when the
  /// tree is too large for the machine or a limit of the process, and std::bad_alloc when there is
  /// not enough memory.
  void configure(const Options& options, Change change);

  const Games& games() const { return *games_; }
  const AnyGame& game() const { return *game_; }
  /// The levels of strength of the network; may be empty.
  std::span<const Level> levels() const { return network_->levels(); }
  /// The tablebase that searches ask; may be empty.
  const TablebaseFile& tablebase() const { return *service_->tablebase(game_->name); }
  /// Searches a position of the game until a limit is reached or keep_going() returns false;
  /// keep_going() is called at least once per millisecond.
  SessionResult search(const AnyState& position, SessionLimits limits,
                       const std::function<bool()>& keep_going);
  /// Makes the next search begin with an empty tree.
  void forget() { reuses_tree_ = false; }
  /// What the network expects of positions, without a search: Service::evaluate().
  void evaluate(std::span<const AnyState> positions,
                const std::function<void(std::size_t i, const Expectation&)>& expected);

 private:
  const Games* games_;
  const AnyGame* game_ = nullptr;
  SharedNetwork network_;
  std::unique_ptr<Service> service_;
  bool reuses_tree_ = true;
  senet::Session* session_ = nullptr;  // null when its memory could not be reserved
  double tree_bytes_ = 0;              // that it has
};

}  // namespace senet::protocol
