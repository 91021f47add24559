// Trains your own game, with everything that `senet selfplay` does: the public header of the
// installed training tree, find_package(senet COMPONENTS train), target senet::train.
//
//   #include <senet/train.hpp>
//
//   struct MyGame { ... };                              // the concept senet::Game, senet/game.hpp
//
//   int main() {
//     senet::check_game<MyGame>().value();   // throws when the game violates the concept's rules
//     auto config = senet::default_config<MyGame>().value();
//     senet::apply_setting(config, "visits", "50").value();
//     auto ended = senet::run<MyGame>(config, {.folder = "run", .minutes = 10}).value();
//     auto player = senet::load_player<MyGame>(ended.weights, 50).value();
//     auto result = senet::match_result<MyGame>(*player, {.pairs = 100}).value();
//     // result.score: 1 when it won every game against a random player
//   }
//
// Errors are values: a function that can fail returns a Result (senet/result.hpp) whose reason is a
// readable sentence. No function here prints, exits, or installs a handler. run() starts threads;
// except for its hooks, everything else happens on the calling thread. Functions may be called from
// several threads at the same time, each with its own folder and objects.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "games/kit.hpp"
#include "games/settings.hpp"
#include "nn/network.hpp"
#include "selfplay/match.hpp"
#include "selfplay/search_player.hpp"
#include "senet/check_game.hpp"
#include "senet/game.hpp"
#include "train_bridge/run.hpp"
#include "train_bridge/run_config.hpp"
#include "train_bridge/run_game_of.hpp"

namespace senet {

// A Kit (games/any_game.hpp) adds to the rules of a game, above all its recommended training
// settings. A game without a kit gets the defaults; a game with one specialises kit_of<G>() before
// the first of these functions is used.
//
// The settings are those of senet selfplay --help: for_each_setting(config, visit) visits each with
// its name, range, unit and help, apply_setting(config, "learning-rate", "0.001") sets one by name
// and rejects invalid values, config_text(config) returns all of them as JSON.

/// The default settings for training G: the defaults below, overridden by those of its kit. The
/// defaults are a network of `width` 128 with 3 `blocks`, evaluation of positions (of afterstates
/// where G::kHasAfterstates), and all hardware threads but two. Fails when the kit names an unknown
/// setting.
template <FixedOutcomesGame G>
Result<RunConfig> default_config() {
  return default_config(game_table<RunGame, G>());
}

/// The settings of the run in this folder, from its config.json, for run() with `resume`. Settings
/// may be changed afterwards, except those of the network's shape. On failure the reason names the
/// file and the error.
template <FixedOutcomesGame G>
Result<RunConfig> load_config(const std::filesystem::path& folder) {
  return load_config(game_table<RunGame, G>(), folder / "config.json");
}

/// Plays G against itself, trains on the games and stores everything in options.folder, in the
/// files and formats of `senet selfplay` (see train_bridge/run.hpp), until a limit of the options
/// is reached or hooks.order() ends the run. Returns when everything is saved. Threads:
/// config.selfplay.workers for self-play, one for training (with config.learn.trainer.threads) and
/// one for matches; all have ended on return. Calls `hooks` meanwhile; see RunHooks. Fails when a
/// setting is invalid, when the folder or its files cannot be used or written, or when a worker
/// cannot start.
template <FixedOutcomesGame G>
Result<RunSummary> run(const RunConfig& config, const RunOptions& options,
                       const RunHooks& hooks = {}) {
  return run(game_table<RunGame, G>(), config, options, hooks);
}

/// A player that searches with the weights in this file, as written by run() and `senet selfplay`:
/// `visits` visits per move (1: the network alone), without noise. `options`: evaluator,
/// evaluation mode, threads, cache, c_puct ...; the defaults are for playing to win, on all cores.
/// Fails when the file cannot be read or contains weights of another game. The player owns
/// everything it needs and is used by one thread at a time.
template <FixedOutcomesGame G>
Result<std::unique_ptr<MatchPlayer>> load_player(const std::filesystem::path& weights,
                                                 std::uint32_t visits,
                                                 const SearchOptions& options = {}) {
  Result<Network> network = load_network(weights);
  if (!network) return network.error();
  if (const auto fits = check_contract(network->spec(), reference_spec<G>()); !fits) {
    return fail(weights.string() + ": " + fits.error().reason());
  }
  auto player =
      SearchPlayer<G>::make(std::make_shared<const Weights>(std::move(*network)), options, visits);
  if (!player) return player.error();
  return std::move(*player);
}

/// Plays a match of G between two players and sums it up from the perspective of the first. The
/// match has settings.pairs pairs of games; the two games of a pair share the opening (random in
/// games without dice) and the dice, with sides swapped. The same settings and players give the
/// same games. MatchResult contains wins, draws, losses, mean points and mean score with their
/// standard errors. Fails when a player fails.
template <FixedOutcomesGame G>
Result<MatchResult> match_result(MatchPlayer& first, MatchPlayer& second,
                                 const MatchSettings& settings = {}) {
  return match_result(game_table<AnyGame, G>(), first, second, settings);
}
/// The same against a player that chooses uniformly among the legal moves.
template <FixedOutcomesGame G>
Result<MatchResult> match_result(MatchPlayer& first, const MatchSettings& settings = {}) {
  SimpleMatchPlayer random(game_table<AnyGame, G>().players.front());
  return match_result<G>(first, random, settings);
}

}  // namespace senet
