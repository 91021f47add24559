// Everything that decides how a self-play run plays and learns: each setting once, for the command
// line, for the run folder's config.json and for the program.
#pragma once

#include <concepts>
#include <filesystem>
#include <string>
#include <type_traits>

#include "games/settings.hpp"
#include "nn/network_spec.hpp"
#include "selfplay/selfplay_threads.hpp"
#include "train_bridge/learn_settings.hpp"

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
template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, RunConfig>
void for_each_setting(Config& config, Visit&& visit) {
  auto& play = config.selfplay.play;
  auto& worker = config.selfplay.worker;
  auto& search = worker.search;
  auto& learn = config.learn;
  for_each_setting_between(search, {}, "noise-share", visit);
  // Samples are of what the search asks about.
  if constexpr (!std::is_const_v<Config>) learn.samples.evaluates = search.evaluates;
  for_each_setting_between(worker, {}, "lanes", visit);
  for_each_setting_between(play, {}, "visits", visit);
  for_each_setting(config.selfplay, visit);
  for_each_setting_between(worker, "lanes", {}, visit);
  for_each_setting_between(play, "visits", "temperature", visit);
  for_each_setting_between(search, "noise-share", {}, visit);
  for_each_setting_between(play, "temperature", {}, visit);
  for_each_setting(config.network, visit);
  for_each_setting(learn.samples, visit);
  for_each_setting_between(learn, {}, "begin-after", visit);
  for_each_setting_between(learn.trainer, {}, "weight-decay", visit);
  for_each_setting_between(learn, "begin-after", {}, visit);
  for_each_setting_between(learn.trainer, "weight-decay", {}, visit);
  visit(setting("queue", &RunConfig::queue_games, "finished games that may wait for the trainer",
                {.least = 1, .most = 1'000'000}),
        config.queue_games);
}

/// What is learnt when no game is named.
std::string default_game();

/// The recipe that learns the named game well; a reason when there is no such game.
Result<RunConfig> default_config(const std::string& game);

/// A reason that names the setting when a value, or two together, make no sense.
Result<void> check_config(const RunConfig& config);

/// The settings as JSON text.
std::string config_text(const RunConfig& config);
/// config.json: all settings and the evaluator, the evaluation mode and the game by name. Replaced
/// whole.
Result<void> save_config(const RunConfig& config, const std::filesystem::path& file);
/// Reads it back over the game's defaults. Unknown keys and wrong types are errors that name the
/// key.
Result<RunConfig> load_config(const std::filesystem::path& file);

}  // namespace senet
