#include "tools/run_config.hpp"

#include <fmt/format.h>

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
  c.selfplay.worker.search.reuse_tree = false;
  c.selfplay.worker.batch_rows = 256;
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
                              static_cast<double>(Tree<G>::bytes(limits)) +
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

// A float by the digits that people write: 0.2, not 0.20000000298023224.
double double_of(const std::string& text) { return Json::parse(text).get<double>(); }

}  // namespace

Result<RunConfig> default_config(const std::string& game) {
  return visit_game(game, [&]<class G>(std::type_identity<G> which) {
    RunConfig config;
    config.game = game;
    config.network = reference_spec<G>();
    config.selfplay.workers = 0;
    config.selfplay.worker.search.evaluates = config.learn.samples.evaluates =
        *asked_about<G>(config.network);
    tune(which, config);
    return config;
  });
}

Result<void> check_config(const RunConfig& config) {
  const auto wrong = [](std::string_view reason) { return fail(fmt::format("--{}", reason)); };
  if (const Result<void> checked = check_settings(config); !checked) {
    return wrong(checked.error().reason());
  }
  const Result<bool> has_afterstates = visit_game(
      config.game, []<class G>(std::type_identity<G>) { return bool{G::kHasAfterstates}; });
  if (!has_afterstates) return has_afterstates.error();
  if (config.selfplay.worker.search.evaluates == Evaluates::kAfterstates && !*has_afterstates) {
    return wrong(fmt::format("mode: {} has no afterstates", config.game));
  }
  const PlaySettings& play = config.selfplay.play;
  if (play.fast_visits > play.full_visits) {
    return wrong(fmt::format("fast-visits: {} are more than the {} of --visits", play.fast_visits,
                             play.full_visits));
  }
  return check_memory(config);
}

std::string config_text(const RunConfig& config) {
  Json json;
  json["game"] = config.game;
  for_each_setting(config, [&]<class Value>(const auto& entry, const Value& value) {
    Json& at = json[std::string(entry.key())];
    if constexpr (NamedEnum<Value>) {
      at = name_of(value);
    } else if constexpr (std::is_same_v<Value, float>) {
      at = double_of(setting_text(value));
    } else {
      at = value;
    }
  });
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
  json.erase("game");
  Result<void> read;
  for_each_setting(*config, [&]<class Value>(const auto& entry, Value& value) {
    const std::string key(entry.key());
    if (!read || !json.contains(key)) return;
    const Json& given = json[key];
    const bool fits = NamedEnum<Value>                  ? given.is_string()
                      : std::is_same_v<Value, bool>     ? given.is_boolean()
                      : std::is_floating_point_v<Value> ? given.is_number()
                                                        : given.is_number_unsigned();
    read =
        fits ? set_value(entry, value, given.is_string() ? given.get<std::string>() : given.dump())
             : fail(fmt::format("the value of \"{}\" has the wrong type", key));
    json.erase(key);
  });
  if (!read) return wrong(read.error().reason());
  if (!json.empty()) return wrong("unknown setting \"" + json.begin().key() + "\"");
  if (const auto checked = check_config(*config); !checked) return wrong(checked.error().reason());
  return config;
}

}  // namespace senet
