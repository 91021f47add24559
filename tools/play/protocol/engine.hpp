// The engine behind a conversation: what setoption sets, and how much of it changes; and what is
// built of it, a service that is polled on the calling thread, and its one session.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/host/service.hpp"
#include "games/any_game.hpp"
#include "games/settings.hpp"
#include "tools/play/search_setup.hpp"

namespace senet::protocol {

inline constexpr std::uint32_t kMostHashMib = 1u << 20;
inline constexpr std::uint32_t kMostMultiPv = 500;

/// The game of a session that names none: the first that all of its protocols can speak about.
std::string first_game();

/// Every setting of a session, by the name of its option.
struct Options {
  std::string game = first_game();              // Game
  std::string weights;                          // WeightsFile; empty: default_source(game)
  std::uint32_t visits = 100;                   // Visits
  std::uint32_t hash_mib = 128;                 // Hash
  std::uint32_t multi_pv = 1;                   // MultiPV
  std::uint32_t hash_limit_mib = kMostHashMib;  // the most that Hash takes
  SearchOptions search;                         // Evaluator, Mode, CPuct to AfterstateTemperature
};

/// The numbers among them; their keys are the options' names.
constexpr auto settings_of(std::type_identity<Options>) {
  using O = Options;
  return std::tuple{setting("visits", &O::visits,
                            "visits of a go without limits, 0: the network alone; option Visits",
                            {.least = 0, .most = kMostVisits}, {.key = "Visits"}),
                    setting("hash", &O::hash_mib, "memory of the tree in MiB; option Hash",
                            {.least = 1, .most = kMostHashMib}, {.key = "Hash"}),
                    setting("multi-pv", &O::multi_pv, "moves told in info; option MultiPV",
                            {.least = 1, .most = kMostMultiPv}, {.key = "MultiPV"})};
}

/// Where the session's network comes from, as open_network() reads it.
inline std::string_view network_source(const Options& options) {
  return options.weights.empty() ? default_source(options.game) : options.weights;
}

/// How much has to be built anew after a change; each includes those before it.
enum class Change : std::uint8_t { kNothing, kSearch, kNetwork, kGame };

/// The lines "option name <Name> type <type> default <value> ...", with the current values as the
/// defaults.
std::vector<std::string> option_lines(const Options& options);

/// Sets the option of this name, in any case of letters. `value` may be empty only where that means
/// something. Throws a refusal, which leaves `options` as they were.
Change set_option(Options& options, std::string_view name, std::string_view value);

/// Belongs to one thread at a time. Every search begins with an empty tree, so that an answer
/// depends on nothing but the position, the settings and the limits. Its functions throw the Error
/// where something fails, those of the session as Code::kInternal.
class Engine {
 public:
  /// Of the game that the options name, with a session whose memory is reserved: no search has to.
  explicit Engine(const Options& options) { configure(options, Change::kGame); }

  /// Builds anew what `change` says. On failure all is as it was. Throws std::bad_alloc where there
  /// is not so much memory.
  void configure(const Options& options, Change change);

  const AnyGame& game() const { return *game_; }
  /// Searches a position, which is of the game, until a limit is reached or goes_on(), which is
  /// asked at least once a millisecond, says no.
  SessionResult search(const AnyState& position, SessionLimits limits,
                       const std::function<bool()>& goes_on);

 private:
  const AnyGame* game_ = nullptr;
  SharedNetwork network_;
  std::unique_ptr<Service> service_;
  senet::Session* session_ = nullptr;  // null when there was no memory for it
};

}  // namespace senet::protocol
