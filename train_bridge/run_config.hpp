// All settings that determine how a run plays and trains: defined once for the command line, the
// run folder's config.json and the program.
#pragma once

#include <absl/functional/function_ref.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "games/settings.hpp"
#include "nn/network_spec.hpp"
#include "selfplay/selfplay.hpp"
#include "train_bridge/learn_settings.hpp"
#include "train_bridge/run_game.hpp"
#include "train_bridge/strength_settings.hpp"

namespace senet {

struct RunConfig {
  std::string game;
  NetworkSpec network;
  SelfPlaySettings selfplay;
  LearnSettings learn;
  StrengthSettings strength;
  std::size_t queue_games = 256;  // finished games that may wait for training
};

/// Calls visit(entry, value) for every setting that users may change: the lists of all parts, in
/// the order of --help and config.json. New entries of these lists are included automatically.
/// apply_setting(config, name, text) of games/settings.hpp sets one of them.
template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, RunConfig>
void for_each_setting(Config& config, Visit&& visit) {
  auto& search = config.selfplay.worker.search;
  auto& learn = config.learn;
  for_each_setting(search, visit);
  // Samples follow the evaluation mode of the search.
  if constexpr (!std::is_const_v<Config>) learn.samples.evaluates = search.evaluates;
  for_each_setting(config.selfplay.play, visit);
  for_each_setting(config.selfplay, visit);
  for_each_setting(config.selfplay.worker, visit);
  for_each_setting(config.network, visit);
  for_each_setting(learn.samples, visit);
  for_each_setting(learn, visit);
  for_each_setting(learn.trainer, visit);
  visit(setting("queue", &RunConfig::queue_games,
                "maximum number of finished games waiting for training",
                {.least = 1, .most = 1'000'000}),
        config.queue_games);
  for_each_setting(config.strength, visit);
}

constexpr std::string_view settings_heading(std::type_identity<RunConfig>) { return "Training"; }

// Functions that take a table work for any game, functions that take a name for registered games.

/// The default settings of a game: the recipe of its kit applied to the common defaults. Fails when
/// the recipe has an unknown setting or an invalid value.
Result<RunConfig> default_config(const RunGame& game);
inline Result<RunConfig> default_config(const std::string& name) {
  const Result<const RunGame*> game = find_game<RunGame>(name);
  return game ? default_config(**game) : game.error();
}

/// Fails when a value or a combination of values is invalid, or when the run needs more memory than
/// the machine has or the process may take. The reason begins with the name of the setting
/// ("visits: ...").
Result<void> check_config(const RunGame& game, const RunConfig& config);
inline Result<void> check_config(const RunConfig& config) {
  const Result<const RunGame*> game = find_game<RunGame>(config.game);
  return game ? check_config(**game, config) : game.error();
}

/// A setting with two values, as config.json has them.
struct SettingChange {
  std::string setting, before, after;
};
/// "setting visits: 160 -> 200"
std::string change_text(const SettingChange& change);
/// The settings that differ, in the order of config.json.
std::vector<SettingChange> changed_settings(const RunConfig& before, const RunConfig& after);
/// Fails when a run cannot change so: its network keeps its shape and what it evaluates.
Result<void> check_changes(const RunConfig& before, const RunConfig& after);

/// The settings as JSON text.
std::string config_text(const RunConfig& config);
/// Writes config.json: all settings, with evaluator, evaluation mode and game by name, and the id
/// of the run unless it is 0. Replaces the file atomically.
Result<void> save_config(const RunConfig& config, const std::filesystem::path& file,
                         std::uint64_t run_id = 0);
/// The id of the run in config.json; 0 if there is none: runs older than ids have none.
Result<std::uint64_t> run_id_in(const std::filesystem::path& file);
/// Reads config.json; missing settings get the game's defaults. Fails for unknown keys, keys that
/// occur twice, wrong types and what check_config() refuses, with a reason that names the key, and
/// for a file of another game. Whether this machine has the memory is not checked: the run may have
/// begun on another. `game` finds the table of the game named in the file.
using RunGameFinder = absl::FunctionRef<Result<const RunGame*>(std::string_view name)>;
Result<RunConfig> load_config(const std::filesystem::path& file, RunGameFinder game);
inline Result<RunConfig> load_config(const std::filesystem::path& file) {
  return load_config(file, &find_game<RunGame>);
}
Result<RunConfig> load_config(const RunGame& game, const std::filesystem::path& file);

}  // namespace senet
