// The match player that searches: a network, a team of threads, and many searches on each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/lanes/analyse.hpp"
#include "engine/lanes/machine.hpp"
#include "engine/lanes/thread_team.hpp"
#include "games/any_game.hpp"
#include "games/settings.hpp"
#include "nn/cached_evaluator.hpp"
#include "nn/evaluation.hpp"
#include "nn/tablebase_file.hpp"
#include "search/search.hpp"
#include "search/settings.hpp"
#include "search/tree.hpp"
#include "selfplay/match_player.hpp"

namespace senet {

/// How a player searches; the defaults are for playing to win.
struct SearchOptions {
  Evaluation evaluation{.batch_rows = 0};  // batch_rows 0: see rows_in_flight
  std::optional<Evaluates> mode = {};  // what the network evaluates; none: see resolve_evaluates
  std::size_t workers = 0;             // threads; 0: one per hardware thread, within kTreeMemory
  std::size_t lanes = 0;               // searches of each worker; 0: up to 64, within kTreeMemory
  std::size_t cache_mib = 0;           // evaluation cache of each worker in MiB; 0: none
  SearchSettings settings{.policy_temperature = kPlayersPolicyTemperature};
  Level level{.visits = 1};  // its visits are not used: make() takes them
  /// Asks the game's tablebase, if it has one, instead of the network. Not a setting of self-play,
  /// whose networks learn the endgame from nothing.
  bool tablebase = false;
  std::filesystem::path tablebase_folder = {};  // of TablebaseFile; empty: user_cache_folder()

  /// For programs that search few positions at a time: a search fills batches alone and gives
  /// further threads work, and sees more in the same time with products in 8 bits.
  static SearchOptions for_play() {
    SearchOptions options;
    options.settings.leaves = 8;
    options.evaluation.kind = EvaluatorKind::kInt8;
    return options;
  }
};

constexpr auto settings_of(std::type_identity<SearchOptions>) {
  return std::tuple{
      &SearchOptions::settings,
      setting("tablebase", &SearchOptions::tablebase,
              "where the game's endgame tablebase knows the result, use it instead of the network"),
  };
}

/// The user's folder for files that can be built again: $XDG_CACHE_HOME/senet, else ~/.cache/senet
/// (XDG Base Directory Specification). Empty if the environment has neither XDG_CACHE_HOME nor
/// HOME.
inline std::filesystem::path user_cache_folder() {
  const auto folder_in = [](const char* name) -> std::filesystem::path {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  // The specification ignores relative paths.
  if (const auto cache = folder_in("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "senet";
  const auto home = folder_in("HOME");
  return home.empty() ? home : home / ".cache" / "senet";
}

/// The folder of the tablebase's file.
inline std::filesystem::path tablebase_folder(const SearchOptions& options) {
  return options.tablebase_folder.empty() ? user_cache_folder() : options.tablebase_folder;
}

/// Maximum bytes for the trees of one player when the numbers of workers and lanes are not set.
inline constexpr std::size_t kTreeMemory = std::size_t{1} << 30;

/// Plays the best move of a search without noise or, at a level of strength, one near it. The move
/// depends only on the state and the draw, not on the number of workers or lanes, if the evaluator
/// gives a row the same bits in every batch.
template <Game G>
class SearchPlayer final : public MatchPlayer {
 public:
  /// Allocates everything and starts the threads, for searches of `visits` visits; 0 is treated as
  /// 1, the network alone. Searches by plies do not use the number. Fails if the network cannot
  /// evaluate what the options ask for, or the machine lacks the memory or the threads.
  /// `game` is any state of the game.
  static Result<std::unique_ptr<SearchPlayer>> make(SharedWeights weights, SearchOptions options,
                                                    std::uint32_t visits,
                                                    const G& game = only_start<G>()) {
    visits = std::max(visits, 1u);
    if (options.tablebase && !TablebaseGame<G>) {
      return fail("tablebase: there is none for " + std::string(game_name(game)));
    }
    const Result<Evaluates> asked =
        resolve_evaluates(weights->spec(), modes_of(game), options.mode);
    if (!asked) return asked.error();
    options.settings.evaluates = *asked;
    if (const auto checked = check_search(options.settings); !checked) return checked.error();
    if (options.settings.plies.ply > 0) visits = 1;
    const std::size_t tree = Search<G>::bytes(options.settings, limits_for(game, visits, *asked)) +
                             ScratchPool<G>::bytes(options.settings.leaves);
    if (options.workers == 0) {
      const std::size_t all = std::max(1u, std::thread::hardware_concurrency());
      const std::size_t trees = tree * std::max<std::size_t>(options.lanes, 1);
      options.workers = std::clamp<std::size_t>(kTreeMemory / trees, 1, all);
    }
    if (options.lanes == 0) {
      options.lanes = std::clamp<std::size_t>(kTreeMemory / options.workers / tree, 1, 64);
    }
    if (auto fits = check_memory(options.workers, options.lanes, tree, options.cache_mib); !fits) {
      return fits.error();
    }
    Evaluation& evaluation = options.evaluation;
    if (evaluation.batch_rows == 0) {
      evaluation.batch_rows = rows_in_flight(options.lanes * options.settings.leaves, *asked);
    }
    resolve(evaluation, weights->network());
    try {
      std::unique_ptr<SearchPlayer> player(
          new SearchPlayer(std::move(weights), std::move(options), visits, game));
      if (const auto ready = player->make_workers(); !ready) return ready.error();
      return player;
    } catch (const std::system_error& error) {
      return fail(std::string("workers: cannot start the threads: ") + error.what());
    }
  }

  const Weights& weights() const { return *weights_; }
  const SearchOptions& options() const { return options_; }
  /// TablebaseFile::note(); empty if no tablebase is used.
  const std::string& note() const { return tablebase_.note(); }
  std::uint32_t visits() const { return visits_; }
  std::string_view evaluator_name() const { return workers_.front().evaluator->name(); }

  Result<void> choose(std::span<const AnyState> states, std::span<const Random> draws,
                      std::span<Action> actions) override {
    // A single state would only wake the other threads.
    if (states.size() == 1) {
      search(workers_.front(), states, draws, actions);
    } else {
      team_.run([&](std::size_t i) {
        const Share share = team_.share(states.size(), 1, i);
        search(workers_[i], states.subspan(share.begin, share.size()),
               draws.subspan(share.begin, share.size()),
               actions.subspan(share.begin, share.size()));
      });
    }
    for (Worker& worker : workers_) {
      if (worker.thrown) std::rethrow_exception(std::exchange(worker.thrown, nullptr));
    }
    return {};
  }

  PlayerEffort effort() const override {
    PlayerEffort effort;
    for (const Worker& worker : workers_) {
      effort.evaluations += worker.evaluations;
      effort.cached += worker.evaluator->cache_hits();
    }
    return effort;
  }

 private:
  struct Worker {
    std::unique_ptr<Evaluator> evaluator;
    Analysis<G> analysis;
    std::vector<G> states = {};           // reused from call to call
    std::exception_ptr thrown = nullptr;  // by the game's functions
    std::uint64_t evaluations = 0;
  };

  SearchPlayer(SharedWeights weights, SearchOptions options, std::uint32_t visits, const G& game)
      : game_(game),
        weights_(std::move(weights)),
        options_(std::move(options)),
        visits_(visits),
        team_(options_.workers) {
    if (options_.tablebase) {
      tablebase_ = TablebaseFile::open(AnyGame::rules_of<G>(), tablebase_folder(options_));
    }
  }

  Result<void> make_workers() {
    const std::size_t rows = options_.evaluation.batch_rows;
    const CacheSettings cache =
        cache_settings(game_, options_.cache_mib << 20, options_.settings.evaluates);
    for (std::size_t i = 0; i < team_.members(); ++i) {
      auto made = make_evaluator(options_.evaluation, *weights_);
      if (!made) return made.error();
      auto evaluator = with_cache(std::move(*made), *weights_, rows, cache);
      Analysis<G> analysis(*evaluator, options_.settings, visits_, options_.lanes, rows,
                           Tablebase<G>(tablebase_.bytes()), game_);
      workers_.push_back({std::move(evaluator), std::move(analysis)});
    }
    return {};
  }

  void search(Worker& worker, std::span<const AnyState> states, std::span<const Random> draws,
              std::span<Action> actions) const {
    worker.thrown = nullptr;
    try {
      worker.states.clear();
      for (const AnyState& state : states) worker.states.push_back(state.as<G>());
      worker.analysis.run(worker.states, {.visits = visits_}, 0,
                          [&](std::size_t i, const Decision<G>& decision, const Search<G>&) {
                            actions[i] = draw_at_level(decision, options_.level, draws[i]);
                            worker.evaluations += decision.evaluations;
                          });
    } catch (...) {
      worker.thrown = std::current_exception();
    }
  }

  const G game_;
  const SharedWeights weights_;
  const SearchOptions options_;  // nothing is left to resolve
  const std::uint32_t visits_;
  TablebaseFile tablebase_;
  std::vector<Worker> workers_;
  ThreadTeam team_;
};

}  // namespace senet
