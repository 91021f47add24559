#include "train_bridge/run_config.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>

#include "engine/lanes/machine.hpp"
#include "games/json.hpp"
#include "nn/file.hpp"
#include "nn/network.hpp"
#include "selfplay/match_results.hpp"

namespace senet {
namespace {

// A key of config.json that is not a setting.
constexpr const char* kRunId = "run-id";

Json config_json(const RunConfig& config) {
  Json json;
  json["game"] = config.game;
  for_each_setting(config, [&]<class Value>(const auto& entry, const Value& value) {
    Json& at = json[entry.name];
    if constexpr (NamedEnum<Value>) {
      at = name_of(value);
    } else if constexpr (std::is_same_v<Value, float>) {
      at = json_number(value);
    } else if constexpr (std::is_same_v<Value, Schedule>) {
      if (value.is_constant()) {
        at = json_number(value.at(0));
      } else {
        at = value.text();
      }
    } else {
      at = value;
    }
  });
  return json;
}

/// What is wrong with config.json, on one line, whatever text of the file is in it.
Error wrong(const std::filesystem::path& file, std::string what) {
  std::ranges::replace_if(
      what, [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return fail(file.string() + ": " + what);
}

/// Reads config.json, without the run's id.
Result<Json> read_config(const std::filesystem::path& file, std::uint64_t& run_id) {
  const Result<FileBytes> bytes = read_whole_file(file);
  if (!bytes) return fail(bytes.error().reason() + ": there is no run to resume");
  std::string repeated;
  Json json = parse_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, &repeated);
  if (!json.is_object()) return wrong(file, "is not a JSON object");
  if (!repeated.empty()) return wrong(file, "has \"" + repeated + "\" twice");
  run_id = 0;
  if (!json.contains(kRunId)) return json;
  const std::string* const text = find_string(json, kRunId);
  const char* const end = text == nullptr ? nullptr : text->data() + text->size();
  if (text == nullptr || text->size() != 16 ||
      std::from_chars(text->data(), end, run_id, 16).ptr != end || run_id == 0) {
    return wrong(file, fmt::format("the value of \"{}\" is not 16 hex digits", kRunId));
  }
  json.erase(kRunId);
  return json;
}

}  // namespace

Result<RunConfig> default_config(const RunGame& game) {
  const AnyGame& any = *game.any;
  RunConfig config;
  config.game = any.name;
  config.network = reference_spec(any);
  config.selfplay.workers = 0;
  config.selfplay.worker.search.evaluates = config.learn.samples.evaluates =
      *resolve_evaluates(config.network, modes_of(any));
  // With afterstates there is no policy to train.
  if (any.has_afterstates) {
    config.network.policy_head = false;
    config.learn.trainer.policy_weight = 0;
  }
  if (!has_elo(any)) config.strength.sprt = "0,0.05";
  if (any.player_count == 1) config.strength.minutes = 0;
  for (const RecipeEntry& entry : any.recipe) {
    if (const auto set = apply_setting(config, entry.setting, entry.value); !set) {
      return fail(fmt::format("the recipe of {}: {}", any.name, set.error().reason()));
    }
  }
  return config;
}

namespace {

// Fails when the machine has not the memory of the run; the reason begins with the setting that
// takes most of it.
Result<void> check_memory_of_run(const RunGame& game, const RunConfig& config,
                                 const WorkerSettings& worker) {
  const auto bytes = [](auto... factors) { return (static_cast<double>(factors) * ...); };
  const SelfPlaySettings& selfplay = config.selfplay;
  const LearnSettings& learn = config.learn;
  const std::size_t workers = selfplay.workers > 0 ? selfplay.workers : default_workers();
  // One tree more than lanes: see Lane::begin_search.
  const double searches = bytes(workers, worker.lanes + 1, game.search_bytes(*game.any, worker));
  const double caches = bytes(workers, worker.cache_mib, 1 << 20);
  const double replay = bytes(game.replay_bytes(*game.any, learn), 1);
  // The trainer's state, a copy of it for a checkpoint, networks on their way to the workers, each
  // worker's own, and the gradients and packed weights of each thread.
  const double weights = bytes(parameter_count(config.network), sizeof(float));
  const double trainer = weights * bytes(12 + workers + 4 * learn.trainer.threads, 1) +
                         bytes(TrainBatch::bytes(batch_shape(game.shape, learn)), 1);
  const double queue = bytes(config.queue_games, sizeof(GameRecord));
  double matches = 0;
  if (config.strength.minutes > 0) {
    // Two players, each with its packed weights, and the best network.
    WorkerSettings player = worker;
    player.visits = strength_visits(selfplay.play);
    matches = bytes(2 * kStrengthLanes, game.search_bytes(*game.any, player)) + 7 * weights;
  }
  struct Part {
    double bytes;
    const char* setting;
  };
  const std::array parts = {Part{searches, "visits"}, Part{caches, "cache"},
                            Part{replay, "replay"},   Part{trainer, "width"},
                            Part{queue, "queue"},     Part{matches, "strength-minutes"}};
  const Part& most = *std::ranges::max_element(parts, {}, &Part::bytes);
  double all = 0;
  for (const Part& part : parts) all += part.bytes;
  // Every thread takes addresses for its stack and its part of the heap.
  const double threads = bytes(workers + learn.trainer.threads + 2, 24 << 20);
  return check_memory(
      all,
      fmt::format("{}: with these visits, workers and lanes, searches, caches, replay buffer "
                  "and trainer",
                  most.setting),
      memory_limit(-threads));
}

// Checks everything but the memory of this machine, which may be another than the run began on.
Result<void> check_apart_from_memory(const RunGame& game, const RunConfig& config) {
  const AnyGame& any = *game.any;
  if (config.game != any.name) {
    return fail(fmt::format("the settings are those of {}, not of {}", config.game, any.name));
  }
  if (const Result<void> checked = check_settings(config); !checked) return checked;
  if (const Result<void> checked = check_spec(config.network); !checked) return checked;
  const auto asked =
      resolve_evaluates(config.network, modes_of(any), config.selfplay.worker.search.evaluates);
  if (!asked) return asked.error();
  if (*asked == Evaluates::kPlayouts) {
    return fail("mode: playouts use no network, so that none would learn");
  }
  if (config.learn.planned_games == 0 && config.learn.planned_minutes == 0) {
    std::string_view scheduled;
    for_each_setting(config, [&]<class Value>(const auto& entry, const Value& value) {
      if constexpr (std::is_same_v<Value, Schedule>) {
        if (!value.is_constant()) scheduled = entry.name;
      }
    });
    if (!scheduled.empty()) {
      return fail(
          fmt::format("{}: a schedule needs the length of the run, planned-games or "
                      "planned-minutes",
                      scheduled));
    }
  }
  if (const auto checked = check_search(config.selfplay.worker.search); !checked) return checked;
  const PlaySettings& play = config.selfplay.play;
  if (play.fast_visits > play.full_visits) {
    return fail(fmt::format("fast-visits: {} must be at most the visits of a full search, {}",
                            play.fast_visits, play.full_visits));
  }
  const WorkerSettings& worker = config.selfplay.worker;
  if (worker.search.plies.ply > 0 && (play.noise || play.temperature_plies > 0)) {
    return fail(
        "ply: a search by plies plays its best move: noise and temperature-plies must be 0");
  }
  if (worker.search.plies.ply > 0 &&
      (config.learn.priority > 0 || config.learn.samples.n_step > 0)) {
    return fail(
        "ply: the values of a search by plies are the targets: priority and n-step must be 0");
  }
  const auto sources = read_sources(play.starts.sources);
  if (worker.search.plies.ply > 0 && sources && has_source(*sources, StartSource::Kind::kHard)) {
    return fail("ply: a search by plies finds no hard positions for games to start from");
  }
  if (worker.search.plies.ply > 0 && any.player_count == 1) {
    return fail(
        fmt::format("ply: games of one player, such as {}, do not learn by plies", config.game));
  }
  constexpr std::string_view kSprt = setting_of(&StrengthSettings::sprt).name;
  const Result<Hypotheses> between = read_hypotheses(kSprt, config.strength.sprt);
  if (!between) return between.error();
  if (const auto test = sprt_settings(kSprt, any, *between); !test) return test.error();
  if (any.player_count == 1 && config.strength.minutes > 0) {
    return fail(fmt::format("strength-minutes: {} has one player, so that no matches are played: 0",
                            config.game));
  }
  if (config.strength.gating && config.strength.minutes == 0) {
    return fail("gating: without matches no network becomes the best: strength-minutes is 0");
  }
  return {};
}

}  // namespace

Result<void> check_config(const RunGame& game, const RunConfig& config) {
  if (auto checked = check_apart_from_memory(game, config); !checked) return checked;
  WorkerSettings worker = config.selfplay.worker;
  worker.visits = config.selfplay.play.full_visits;
  return check_memory_of_run(game, config, worker);
}

std::string change_text(const SettingChange& change) {
  return fmt::format("setting {}: {} -> {}", change.setting, change.before, change.after);
}

std::vector<SettingChange> changed_settings(const RunConfig& before, const RunConfig& after) {
  std::vector<SettingChange> settings;
  for_each_setting(before, [&](const auto& entry, const auto& value) {
    settings.push_back({std::string(entry.name), setting_text(value), {}});
  });
  std::size_t at = 0;
  for_each_setting(
      after, [&](const auto&, const auto& value) { settings[at++].after = setting_text(value); });
  std::erase_if(settings, [](const SettingChange& s) { return s.before == s.after; });
  return settings;
}

Result<void> check_changes(const RunConfig& before, const RunConfig& after) {
  for (const SettingChange& change : changed_settings(before, after)) {
    bool is_shape = false;
    for_each_setting(before.network, [&](const auto& entry, const auto&) {
      is_shape = is_shape || entry.name == change.setting;
    });
    if (is_shape) {
      return fail(
          fmt::format("{}: the network of the run has {}, not {}, and keeps its shape: a new run "
                      "can begin with its weights",
                      change.setting, change.before, change.after));
    }
    if (change.setting == setting_of(&SearchSettings::evaluates).name) {
      return fail(
          fmt::format("{}: the network of the run has learned to evaluate \"{}\", which cannot "
                      "become \"{}\"",
                      change.setting, change.before, change.after));
    }
  }
  return {};
}

std::string config_text(const RunConfig& config) { return json_text(config_json(config), 2); }

Result<void> save_config(const RunConfig& config, const std::filesystem::path& file,
                         std::uint64_t run_id) {
  Json json = config_json(config);
  if (run_id != 0) json[kRunId] = id_text(run_id);
  const std::string text = json_text(json, 2) + "\n";
  return replace_file(file, {std::as_bytes(std::span(text))});
}

Result<std::uint64_t> run_id_in(const std::filesystem::path& file) {
  std::uint64_t run_id = 0;
  const Result<Json> json = read_config(file, run_id);
  if (!json) return json.error();
  return run_id;
}

Result<RunConfig> load_config(const std::filesystem::path& file, RunGameFinder find) {
  std::uint64_t run_id = 0;
  Result<Json> content = read_config(file, run_id);
  if (!content) return content.error();
  Json json = std::move(*content);
  const std::string* const name = find_string(json, "game");
  if (name == nullptr) return wrong(file, "has no \"game\"");
  const Result<const RunGame*> game = find(*name);
  if (!game) return wrong(file, game.error().reason());
  Result<RunConfig> config = default_config(**game);
  if (!config) return wrong(file, config.error().reason());
  // Runs older than a setting continue as they were.
  if (!json.contains("blunder")) config->learn.samples.blunder = 0;
  if (!json.contains("planned-games")) config->learn.planned_games = 0;
  if (!json.contains("planned-minutes")) config->learn.planned_minutes = 0;
  if (!json.contains("visit-limit")) config->selfplay.play.visit_limit = 0;
  if (!json.contains("resign-play-through")) config->selfplay.play.resign_play_through = 0;
  if (!json.contains("strength-minutes")) config->strength.minutes = 0;
  for (const SpecField& field : kSpecFields) {
    std::string key(field.name);
    std::ranges::replace(key, '_', '-');
    if (field.if_absent && !json.contains(key)) field.set(config->network, *field.if_absent);
  }
  json.erase("game");
  Result<void> read;
  for_each_setting(*config, [&]<class Value>(const auto& entry, Value& value) {
    const bool has_new_name = entry.use.former_key.empty() || json.contains(entry.name);
    const auto given = json.find(has_new_name ? entry.name : entry.use.former_key);
    if (!read || given == json.end()) return;
    const bool fits = NamedEnum<Value>                     ? given->is_string()
                      : std::is_same_v<Value, bool>        ? given->is_boolean()
                      : std::is_same_v<Value, std::string> ? given->is_string()
                      : std::is_floating_point_v<Value>    ? given->is_number()
                      : std::is_same_v<Value, Schedule> ? given->is_number() || given->is_string()
                                                        : given->is_number_unsigned();
    read = fits ? set_value(entry, value,
                            given->is_string() ? given->template get<std::string>() : given->dump())
                : fail(fmt::format("the value of \"{}\" has the wrong type", given.key()));
    json.erase(given);
  });
  if (!read) return wrong(file, read.error().reason());
  if (!json.empty()) return wrong(file, "unknown setting \"" + json.begin().key() + "\"");
  if (const auto checked = check_apart_from_memory(**game, *config); !checked) {
    return wrong(file, checked.error().reason());
  }
  return config;
}

Result<RunConfig> load_config(const RunGame& game, const std::filesystem::path& file) {
  return load_config(file, [&game](std::string_view name) -> Result<const RunGame*> {
    const std::string_view own = game.any->name;
    if (name != own) return fail(fmt::format("the run trains {}, not {}", name, own));
    return &game;
  });
}

}  // namespace senet
