#include "tools/run_config.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "games/registry.hpp"
#include "nn/replace_file.hpp"

namespace senet {
namespace {

using Json = nlohmann::ordered_json;

// How each game is learnt; what differs from the defaults of the settings' own types. A game
// without a recipe of its own gets those defaults.
template <Game G>
void tune(std::type_identity<G>, RunConfig&) {}

void tune(std::type_identity<TicTacToe>, RunConfig& c) {
  c.network.width = 32;
  c.network.blocks = 1;
  c.selfplay.play.full_visits = c.selfplay.play.fast_visits = 50;
  c.selfplay.play.temperature_plies = 4;
  c.learn.begin_after = 500;
  c.learn.window_minimum = 5'000;
}

void tune(std::type_identity<ConnectFour>, RunConfig& c) {
  c.network.width = 256;
  PlaySettings& play = c.selfplay.play;
  play.full_visits = 160;
  play.fast_visits = 32;
  play.full_share = 0.33f;
  play.temperature_plies = 16;
  play.random_plies = 20;
  c.learn.samples.lambda = 0.8f;
  c.learn.samples.blunder = 0.2f;
}

// Backgammon learns by temporal differences from the best afterstate (one visit: no tree); the dice
// explore.
void tune(std::type_identity<Backgammon>, RunConfig& c) {
  PlaySettings& play = c.selfplay.play;
  play.full_visits = play.fast_visits = 1;
  play.noise = false;
  play.temperature_plies = 0;
  c.selfplay.worker.search.evaluates = Evaluates::kAfterstates;
  c.selfplay.worker.search.reuse_tree = false;
  c.selfplay.worker.batch_rows = 256;
  c.learn.samples.evaluates = Evaluates::kAfterstates;
  c.learn.samples.lambda = 0.7f;
  c.learn.replay_capacity = 1'000'000;
  c.learn.window_minimum = 100'000;
  c.learn.window_share = 0.3f;
  c.learn.begin_after = 20'000;
  c.learn.trainer.policy_weight = 0;
}

// The trees are reserved at the start; more of them than the machine has memory would end the
// program, not the call.
Result<void> check_memory(const RunConfig& config) {
  return visit_game(config.game, [&]<class G>(std::type_identity<G>) -> Result<void> {
    const WorkerSettings& worker = config.selfplay.worker;
    const auto limits = limits_for<G>(config.selfplay.play.full_visits, worker.search.evaluates);
    const std::size_t workers =
        config.selfplay.workers > 0 ? config.selfplay.workers : default_workers();
    const double wanted = static_cast<double>(workers * (worker.lanes + 1)) *
                              static_cast<double>(tree_bytes<G, EpochTable>(limits)) +
                          static_cast<double>(workers * (worker.cache_mib << 20));
    const double memory =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (wanted < 0.8 * memory) return {};
    return fail(
        fmt::format("--visits, --lanes, --cache, --workers: trees and caches would take {:.1f} "
                    "GiB, this machine has {:.1f}",
                    wanted / (1 << 30), memory / (1 << 30)));
  });
}

}  // namespace

Result<RunConfig> default_config(const std::string& game) {
  return visit_game(game, [&]<class G>(std::type_identity<G> which) {
    RunConfig config;
    config.game = game;
    config.network = reference_spec<G>();
    config.selfplay.workers = 0;
    tune(which, config);
    return config;
  });
}

Result<void> check_config(const RunConfig& config) {
  Result<void> checked;
  const auto require = [&](bool good, std::string_view name, std::string_view what) {
    if (!good && checked) checked = fail(fmt::format("--{}: {}", name, what));
  };
  for_each_setting(config, [&](const char* name, const auto& value, const char*) {
    if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(value)>>) {
      require(std::isfinite(value), name, "not a finite number");
    }
  });
  const PlaySettings& play = config.selfplay.play;
  const WorkerSettings& worker = config.selfplay.worker;
  const LearnSettings& learn = config.learn;
  const Result<bool> has_afterstates = visit_game(
      config.game, []<class G>(std::type_identity<G>) { return bool{G::kHasAfterstates}; });
  if (!has_afterstates) return has_afterstates.error();
  require(worker.search.evaluates == Evaluates::kPosition || *has_afterstates, "mode",
          config.game + " has no afterstates");
  require(config.selfplay.workers <= 1024, "workers", "at most 1024");
  require(worker.lanes >= 1 && worker.lanes <= 4096, "lanes", "1 to 4096");
  require(worker.batch_rows >= 1 && worker.batch_rows <= 4096, "batch", "1 to 4096");
  require(worker.cache_mib <= 1'000'000, "cache", "at most 1000000");
  require(play.full_visits >= 1 && play.full_visits <= 1'000'000, "visits", "1 to 1000000");
  require(play.fast_visits >= 1 && play.fast_visits <= play.full_visits, "fast-visits",
          "1 to the number of --visits");
  require(play.full_share >= 0 && play.full_share <= 1, "full-share", "0 to 1");
  require(play.temperature >= 0 && play.temperature <= 100, "temperature", "0 to 100");
  require(play.random_plies <= 1000, "random-plies", "at most 1000");
  require(play.ply_cap >= 1 && play.ply_cap <= 100'000, "ply-cap", "1 to 100000");
  require(play.resign_below >= 0 && play.resign_below <= 1, "resign-below", "0 to 1");
  require(worker.search.noise_share >= 0 && worker.search.noise_share <= 1, "noise-share",
          "0 to 1");
  require(worker.search.noise_total > 0, "noise-total", "above 0");
  require(worker.search.c_puct >= 0, "c-puct", "not negative");
  require(worker.search.policy_temperature >= kLeastTemperature, "policy-temperature",
          "at least 0.0001");
  require(worker.search.afterstate_temperature >= kLeastTemperature, "afterstate-temperature",
          "at least 0.0001");
  require(config.network.width >= 8 && config.network.width <= 4096, "width", "8 to 4096");
  require(config.network.blocks <= 64, "blocks", "at most 64");
  require(config.network.policy_layers <= 8, "policy-layers", "at most 8");
  require(config.network.value_layers <= 8, "value-layers", "at most 8");
  require(learn.samples.blunder >= 0 && learn.samples.blunder <= 2, "blunder", "0 to 2");
  require(learn.samples.lambda >= 0 && learn.samples.lambda <= 1, "lambda", "0 to 1");
  require(learn.replay_capacity >= 1000 && learn.replay_capacity <= 100'000'000, "replay",
          "1000 to 100000000");
  require(learn.batch_rows >= 1 && learn.batch_rows <= 65'536, "train-batch", "1 to 65536");
  require(learn.window_share >= 0 && learn.window_share <= 1, "window-share", "0 to 1");
  require(learn.samples_per_position >= 0, "samples-per-position", "not negative");
  require(learn.learning_rate > 0, "learning-rate", "above 0");
  require(learn.steps_per_iteration >= 1, "steps-per-iteration", "at least 1");
  require(learn.trainer.threads >= 1 && learn.trainer.threads <= 64, "trainer-threads", "1 to 64");
  require(learn.trainer.ema_decay >= 0 && learn.trainer.ema_decay < 1, "ema", "0 to below 1");
  require(learn.checkpoint_seconds >= 0, "checkpoint-seconds", "not negative");
  require(learn.kept_networks == 0 || learn.kept_networks >= 4, "kept-networks",
          "0, or 4 and more");
  require(learn.trainer.weight_decay >= 0, "weight-decay", "not negative");
  require(learn.trainer.gradient_clip > 0, "clip", "above 0");
  require(learn.trainer.policy_weight >= 0, "policy-weight", "not negative");
  require(learn.trainer.value_weight >= 0, "value-weight", "not negative");
  require(config.queue_games >= 1 && config.queue_games <= 1'000'000, "queue", "1 to 1000000");
  if (checked) checked = check_memory(config);
  return checked;
}

std::string config_text(const RunConfig& config) {
  Json json;
  json["game"] = config.game;
  json["evaluates"] = evaluates_name(config.selfplay.worker.search.evaluates);
  json["evaluator"] = kind_name(config.selfplay.worker.evaluator);
  for_each_setting(config,
                   [&](const char* name, const auto& value, const char*) { json[name] = value; });
  return json.dump(2);
}

Result<void> save_config(const RunConfig& config, const std::filesystem::path& file) {
  const std::string text = config_text(config) + "\n";
  return replace_file(file, {std::as_bytes(std::span(text))});
}

Result<RunConfig> load_config(const std::filesystem::path& file) {
  const auto wrong = [&](const std::string& what) { return fail(file.string() + ": " + what); };
  std::ifstream stream(file);
  if (!stream) return wrong("cannot be read: there is no run to go on with");
  Json json = Json::parse(stream, nullptr, false);
  if (!json.is_object()) return wrong("is not a JSON object");
  if (!json.contains("game") || !json["game"].is_string()) return wrong("names no game");
  Result<RunConfig> config = default_config(json["game"].get<std::string>());
  if (!config) return wrong(config.error().reason());
  // Runs from before there was this setting go on as they were.
  if (!json.contains("blunder")) config->learn.samples.blunder = 0;
  std::string bad;
  if (json.contains("evaluates")) {
    if (!json["evaluates"].is_string()) return wrong("the value of \"evaluates\" is no text");
    const auto evaluates = evaluates_from_name(json["evaluates"].get<std::string>());
    if (!evaluates) return wrong(evaluates.error().reason());
    config->selfplay.worker.search.evaluates = config->learn.samples.evaluates = *evaluates;
  }
  if (json.contains("evaluator")) {
    if (!json["evaluator"].is_string()) return wrong("the value of \"evaluator\" is no text");
    const auto kind = evaluator_kind(json["evaluator"].get<std::string>());
    if (!kind) return wrong(kind.error().reason());
    config->selfplay.worker.evaluator = *kind;
  }
  for (const char* read : {"game", "evaluates", "evaluator"}) json.erase(read);
  for_each_setting(*config, [&](const char* name, auto& value, const char*) {
    if (!json.contains(name)) return;
    using Value = std::remove_reference_t<decltype(value)>;
    const Json& given = json[name];
    const bool fits = std::is_same_v<Value, bool>       ? given.is_boolean()
                      : std::is_floating_point_v<Value> ? given.is_number()
                                                        : given.is_number_unsigned();
    if (fits) value = given.get<Value>();
    // A whole number may have been too large for its setting.
    if (!fits || (std::is_unsigned_v<Value> && value != given)) bad = name;
    json.erase(name);
  });
  if (!bad.empty()) return wrong("the value of \"" + bad + "\" has the wrong type or size");
  if (!json.empty()) return wrong("unknown setting \"" + json.begin().key() + "\"");
  if (const auto checked = check_config(*config); !checked) return wrong(checked.error().reason());
  return config;
}

}  // namespace senet
