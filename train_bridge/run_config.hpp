// Everything that decides how a self-play run plays and learns: each setting once, for the command
// line, for the run folder's config.json and for the program.
#pragma once

#include <absl/functional/function_ref.h>

#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>

#include "games/settings.hpp"
#include "nn/network_spec.hpp"
#include "selfplay/selfplay.hpp"
#include "train_bridge/learn_settings.hpp"
#include "train_bridge/run_game.hpp"

namespace senet {

struct RunConfig {
  std::string game;
  NetworkSpec network;
  SelfPlaySettings selfplay;
  LearnSettings learn;
  std::size_t queue_games = 256;  // finished games that may wait for the trainer
};

/// Calls visit(entry, value) for every setting that a person may change: the lists of all parts, in
/// the order of --help and config.json. A new entry of a list is among them without another word.
/// apply_setting(config, name, text) of games/settings.hpp sets one of them.
template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, RunConfig>
void for_each_setting(Config& config, Visit&& visit) {
  auto& search = config.selfplay.worker.search;
  auto& learn = config.learn;
  for_each_setting(search, visit);
  // Samples are of what the search asks about.
  if constexpr (!std::is_const_v<Config>) learn.samples.evaluates = search.evaluates;
  for_each_setting(config.selfplay.play, visit);
  for_each_setting(config.selfplay, visit);
  for_each_setting(config.selfplay.worker, visit);
  for_each_setting(config.network, visit);
  for_each_setting(learn.samples, visit);
  for_each_setting(learn, visit);
  for_each_setting(learn.trainer, visit);
  visit(setting("queue", &RunConfig::queue_games, "finished games that may wait for the trainer",
                {.least = 1, .most = 1'000'000}),
        config.queue_games);
}

// Functions that take a table are for any game, those that take a name for the games of the list.

/// The recipe that learns the game well: the settings of its kit over those of every game. A reason
/// when the recipe has a setting that there is not, or a value that it does not take.
Result<RunConfig> default_config(const RunGame& game);
inline Result<RunConfig> default_config(const std::string& name) {
  const Result<const RunGame*> game = find_game<RunGame>(name);
  return game ? default_config(**game) : game.error();
}

/// A reason that names the setting, as the command line does ("--visits: ..."), when a value, or
/// two together, make no sense, or the trees take more memory than the machine has.
Result<void> check_config(const RunGame& game, const RunConfig& config);
inline Result<void> check_config(const RunConfig& config) {
  const Result<const RunGame*> game = find_game<RunGame>(config.game);
  return game ? check_config(**game, config) : game.error();
}

/// The settings as JSON text.
std::string config_text(const RunConfig& config);
/// config.json: all settings and the evaluator, the evaluation mode and the game by name. Replaced
/// whole.
Result<void> save_config(const RunConfig& config, const std::filesystem::path& file);
/// Reads it back over the game's defaults. Unknown keys and wrong types are errors that name the
/// key; so is a file of another game. `game`: finds the table of the game that the file names.
using RunGameFinder = absl::FunctionRef<Result<const RunGame*>(std::string_view name)>;
Result<RunConfig> load_config(const std::filesystem::path& file, RunGameFinder game);
inline Result<RunConfig> load_config(const std::filesystem::path& file) {
  return load_config(file, &find_game<RunGame>);
}
Result<RunConfig> load_config(const RunGame& game, const std::filesystem::path& file);

}  // namespace senet
