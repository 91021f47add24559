#include "tools/run_config.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <type_traits>

#include "games/json.hpp"
#include "nn/replace_file.hpp"
#include "tools/programs.hpp"

namespace senet {
namespace {

// Sets a value from text; false when it is not one.
template <class Value>
bool set_from_text(Value& value, std::string_view text) {
  if constexpr (std::is_same_v<Value, bool>) {
    if (text != "0" && text != "1" && text != "true" && text != "false") return false;
    value = text == "1" || text == "true";
    return true;
  } else {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
  }
}

// The trees are reserved at the start; more of them than the machine has memory would end the
// program, not the call.
Result<void> check_memory(const RunConfig& config, const Programs& programs) {
  const WorkerSettings& worker = config.selfplay.worker;
  const std::size_t tree =
      programs.tree_bytes(config.selfplay.play.full_visits, worker.search.evaluates);
  const std::size_t workers =
      config.selfplay.workers > 0 ? config.selfplay.workers : default_workers();
  const double wanted =
      static_cast<double>(workers * (worker.lanes + 1)) * static_cast<double>(tree) +
      static_cast<double>(workers * (worker.cache_mib << 20));
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (wanted < 0.8 * memory) return {};
  return fail(
      fmt::format("--visits, --lanes, --cache, --workers: trees and caches would take {:.1f} "
                  "GiB, this machine has {:.1f}",
                  wanted / (1 << 30), memory / (1 << 30)));
}

}  // namespace

std::string default_game() {
  const auto games = all_games<AnyGame>();
  const auto standard = std::ranges::find_if(games, &AnyGame::is_standard);
  return std::string((standard == games.end() ? games.front() : *standard)->name);
}

Result<void> set_setting(RunConfig& config, std::string_view name, std::string_view text) {
  if (name == "mode") {
    const auto evaluates = evaluates_from_name(text);
    if (!evaluates) return evaluates.error();
    config.selfplay.worker.search.evaluates = config.learn.samples.evaluates = *evaluates;
    return {};
  }
  Result<void> set = fail(fmt::format("{}: there is no such setting", name));
  for_each_setting(config, [&](const char* known, auto& value, const char*) {
    if (known != name) return;
    using Value = std::remove_reference_t<decltype(value)>;
    const char* const wanted = std::is_same_v<Value, bool>       ? "0 or 1"
                               : std::is_floating_point_v<Value> ? "a number"
                                                                 : "a whole number in range";
    set = set_from_text(value, text)
              ? Result<void>()
              : fail(fmt::format("{}: \"{}\" is not {}", name, text, wanted));
  });
  return set;
}

Result<RunConfig> default_config(const std::string& name) {
  const Result<const AnyGame*> game = find_game<AnyGame>(name);
  if (!game) return game.error();
  RunConfig config;
  config.game = name;
  config.network = programs_of(**game).reference_spec();
  config.selfplay.workers = 0;
  config.selfplay.worker.search.evaluates = config.learn.samples.evaluates =
      *asked_about(config.network, (*game)->has_afterstates);
  for (const RecipeEntry& entry : (*game)->recipe) {
    if (const auto set = set_setting(config, entry.setting, entry.value); !set) {
      return fail(fmt::format("the recipe of {}: {}", name, set.error().reason()));
    }
  }
  return config;
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
  const Result<const AnyGame*> game = find_game<AnyGame>(config.game);
  if (!game) return game.error();
  require(worker.search.evaluates == Evaluates::kPosition || (*game)->has_afterstates, "mode",
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
  if (checked) checked = check_memory(config, programs_of(**game));
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
  Json json = Json::parse(std::string(std::istreambuf_iterator<char>(stream), {}));
  if (!json.is_object()) return wrong("is not a JSON object");
  const std::string* const game = json.find_string("game");
  if (game == nullptr) return wrong("names no game");
  Result<RunConfig> config = default_config(*game);
  if (!config) return wrong(config.error().reason());
  // Runs from before there was this setting go on as they were.
  if (json.find("blunder") == nullptr) config->learn.samples.blunder = 0;
  std::string bad;
  if (const Json* const mode = json.find("evaluates")) {
    if (!mode->is_string()) return wrong("the value of \"evaluates\" is no text");
    const auto evaluates = evaluates_from_name(mode->string());
    if (!evaluates) return wrong(evaluates.error().reason());
    config->selfplay.worker.search.evaluates = config->learn.samples.evaluates = *evaluates;
  }
  if (const Json* const evaluator = json.find("evaluator")) {
    if (!evaluator->is_string()) return wrong("the value of \"evaluator\" is no text");
    const auto kind = evaluator_kind(evaluator->string());
    if (!kind) return wrong(kind.error().reason());
    config->selfplay.worker.evaluator = *kind;
  }
  for (const char* read : {"game", "evaluates", "evaluator"}) json.erase(read);
  for_each_setting(*config, [&](const char* name, auto& value, const char*) {
    const Json* const given = json.find(name);
    if (given == nullptr) return;
    using Value = std::remove_reference_t<decltype(value)>;
    bool fits = false;
    if constexpr (std::is_same_v<Value, bool>) {
      if ((fits = given->is_bool())) value = given->boolean();
    } else if constexpr (std::is_floating_point_v<Value>) {
      if ((fits = given->is_number())) value = static_cast<Value>(given->number());
    } else {
      fits = given->is_unsigned() && std::in_range<Value>(given->unsigned_number());
      if (fits) value = static_cast<Value>(given->unsigned_number());
    }
    if (!fits) bad = name;
    json.erase(name);
  });
  if (!bad.empty()) return wrong("the value of \"" + bad + "\" has the wrong type or size");
  if (!json.members().empty())
    return wrong("unknown setting \"" + json.members().front().first + "\"");
  if (const auto checked = check_config(*config); !checked) return wrong(checked.error().reason());
  return config;
}

}  // namespace senet
