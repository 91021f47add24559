// Trains a game of your own, with everything that `senet selfplay` does: the door of the installed
// training tree, find_package(senet COMPONENTS train), target senet::train.
//
//   #include <senet/train.hpp>
//
//   struct MyGame { ... };                              // the concept senet::Game, senet/game.hpp
//
//   int main() {
//     senet::check_game<MyGame>().value();   // throws a sentence if the game breaks a promise
//     auto config = senet::default_config<MyGame>().value();
//     senet::apply_setting(config, "visits", "50").value();
//     auto ended = senet::run<MyGame>(config, {.folder = "run", .minutes = 10}).value();
//     auto player = senet::load_player<MyGame>(ended.weights, 50).value();
//     auto result = senet::match_result<MyGame>(*player, {.pairs = 100}).value();
//     // result.score: 1 when it won every game against a player that moves at random
//   }
//
// Errors are values: a function that can fail returns a Result (senet/result.hpp), whose reason is
// a sentence for people. No function here prints, exits, or installs a handler. run() starts
// threads; apart from its hooks all else happens on the calling thread. Functions may be called
// from several threads at once, each with a folder and objects of its own.
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

// What surrounds the rules, above all the settings that learn the game well, is a Kit
// (games/any_game.hpp). A game that has none gets the defaults; one that has it specialises
// kit_of<G>() before the first of these functions is used.
//
// The settings are those of senet selfplay --help: for_each_setting(config, visit) shows each
// with its name, range, unit and help, apply_setting(config, "learning-rate", "0.001") sets one by
// name and refuses what it does not take, config_text(config) tells all of them as JSON.

/// The settings with which G is learnt when nothing else is said: those of its kit, else the
/// defaults: a network of `width` 128 and 3 `blocks`, positions as what is asked (afterstates where
/// G::kHasAfterstates), all hardware threads but two. A reason when the kit has a setting that
/// there is not.
template <FixedOutcomesGame G>
Result<RunConfig> default_config() {
  return default_config(game_table<RunGame, G>());
}

/// The settings of the run in this folder, from its config.json: what run() with `resume` wants.
/// Settings may be changed after that, but for those of the network's shape. The reason names the
/// file, and what is wrong in it.
template <FixedOutcomesGame G>
Result<RunConfig> load_config(const std::filesystem::path& folder) {
  return load_config(game_table<RunGame, G>(), folder / "config.json");
}

/// Plays G against itself, learns from the games and keeps everything in options.folder, in the
/// files and formats of `senet selfplay` (train_bridge/run.hpp draws the folder), until a limit of
/// the options is reached or hooks.order() says so. Returns when all is saved. Threads:
/// config.selfplay.workers that play, one that learns (with config.learn.trainer.threads); all have
/// ended on return. `hooks` is called meanwhile; see RunHooks. The reason when a setting makes no
/// sense, the folder or its files cannot be used or written, or a worker cannot start.
template <FixedOutcomesGame G>
Result<RunSummary> run(const RunConfig& config, const RunOptions& options,
                       const RunHooks& hooks = {}) {
  return run(game_table<RunGame, G>(), config, options, hooks);
}

/// A player that searches with the weights in this file, as run() and `senet selfplay` write them:
/// `visits` visits a move (1: the network alone), without noise. `options`: what is asked, searches
/// side by side, c_puct ...; the defaults are those of a player that plays to win. A reason when
/// the file cannot be read or holds weights of another game. The player owns all that it needs and
/// belongs to one thread.
template <FixedOutcomesGame G>
Result<std::unique_ptr<MatchPlayer>> load_player(const std::filesystem::path& weights,
                                                 std::uint32_t visits,
                                                 const SearchOptions& options = {}) {
  Result<Network> network = load_network(weights);
  if (!network) return network.error();
  if (const auto fits = check_contract(network->spec(), reference_spec<G>()); !fits) {
    return fail(weights.string() + ": " + fits.error().reason());
  }
  Result<SearchSetup> setup =
      set_up_search<G>(std::make_shared<const Weights>(std::move(*network)), options, visits);
  if (!setup) return setup.error();
  return std::make_unique<SearchPlayer<G>>(std::move(*setup));
}

/// Plays a match of G between two players and sums it up as the first one sees it: settings.pairs
/// openings (drawn blindly in games without dice) and dice, each played twice with sides swapped.
/// The same settings and players give the same games. MatchResult has wins, draws, losses, mean
/// points and mean score with their standard errors. The reason when a player fails.
template <FixedOutcomesGame G>
Result<MatchResult> match_result(MatchPlayer& first, MatchPlayer& second,
                                 const MatchSettings& settings = {}) {
  return match_result(game_table<AnyGame, G>(), first, second, settings);
}
/// The same against a player that plays any legal move, each as likely.
template <FixedOutcomesGame G>
Result<MatchResult> match_result(MatchPlayer& first, const MatchSettings& settings = {}) {
  SimpleMatchPlayer random(game_table<AnyGame, G>().players.front());
  return match_result<G>(first, random, settings);
}

}  // namespace senet
