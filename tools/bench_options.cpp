#include "tools/bench_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <thread>

#include "tools/bench_processes.hpp"
#include "tools/setting_options.hpp"
#include "train_bridge/run_config.hpp"

namespace senet {
namespace {

constexpr std::size_t kMostTrainRows = 65'536;

/// Whether the game can be played this way, and with this network.
Result<void> check_game(const std::string& name, const BenchSettings& settings) {
  const Result<const RunGame*> game = find_game<RunGame>(name);
  if (!game) return game.error();
  if (settings.evaluates == Evaluates::kAfterstates && !(*game)->any().has_afterstates) {
    return fail(fmt::format("--mode: {} has no afterstates", name));
  }
  const auto network = bench_network(settings, (*game)->reference_spec());
  if (!network) return fail(fmt::format("--network: {}", network.error().reason()));
  return {};
}

/// The names of the standard games with `between` between them.
std::string standard_names(std::string_view between) {
  std::string text;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    if (game->is_standard) text.append(text.empty() ? "" : between).append(game->name);
  }
  return text;
}

// The entry of a setting with which a benchmark does something of its own. `help` is a literal.
template <class Struct, class Value>
Setting<Struct, Value> with_help(Setting<Struct, Value> entry, std::string_view help) {
  entry.help = help;
  return entry;
}

/// "1,2,4": numbers of 1 to `most`, none of them twice in a row.
std::optional<std::vector<std::size_t>> read_counts(std::string_view text, std::size_t most) {
  std::vector<std::size_t> counts;
  for (;;) {
    const std::string_view word = text.substr(0, text.find(','));
    std::size_t number = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || rest != word.data() + word.size()) return std::nullopt;
    if (number < 1 || number > most) return std::nullopt;
    if (!counts.empty() && counts.back() == number) return std::nullopt;
    counts.push_back(number);
    if (word.size() == text.size()) return counts;
    text.remove_prefix(word.size() + 1);
  }
}

}  // namespace

std::vector<std::string> games_of(const BenchArguments& arguments, Evaluates evaluates) {
  if (!arguments.game.empty()) return {arguments.game};
  std::vector<std::string> names;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    const bool has_mode = evaluates == Evaluates::kPosition || game->has_afterstates;
    if (game->is_standard && has_mode) names.emplace_back(game->name);
  }
  return names;
}

Result<BenchSettings> settings_of(const BenchArguments& arguments, double standard_seconds) {
  BenchSettings settings = arguments.settings;
  settings.seconds = arguments.seconds.value_or(standard_seconds);
  settings.visits = arguments.visits.value_or(settings.visits);
  settings.batch_rows = batch_rows_for(arguments, settings.evaluates);
  settings.workers = {std::max(1u, std::thread::hardware_concurrency())};
  if (arguments.workers != "all") {
    const auto workers = read_counts(arguments.workers, 1024);
    if (!workers) return fail("--workers: all, or numbers of 1 to 1024 with commas between them");
    settings.workers = *workers;
  }
  const auto sessions = read_counts(arguments.sessions, 1024);
  if (!sessions) return fail("--sessions: numbers of 1 to 1024 with commas between them");
  settings.sessions = *sessions;
  const auto rows = read_counts(arguments.train_rows, kMostTrainRows);
  if (!rows) return fail("--batch: numbers of 1 to 65536 with commas between them");
  settings.train_rows = *rows;
  const auto backend = value_of<TrainerBackend>(arguments.backend);
  if (!backend) return fail("--backend: one of " + all_names<TrainerBackend>());
  const auto precision = value_of<Precision>(arguments.precision);
  if (!precision) return fail("--precision: one of " + all_names<Precision>());
  settings.trainer.backend = *backend;
  settings.trainer.precision = *precision;
  for (const std::string& game : games_of(arguments, settings.evaluates)) {
    if (const auto good = check_game(game, settings); !good) return good.error();
  }
  // Better now than after the measurement.
  if (!arguments.trace.empty() && !std::ofstream(arguments.trace, std::ios::app)) {
    return fail(fmt::format("--trace: {} cannot be written", arguments.trace));
  }
  return settings;
}

std::size_t batch_rows_for(const BenchArguments& arguments, Evaluates evaluates) {
  if (arguments.batch_rows > 0) return arguments.batch_rows;
  return evaluates == Evaluates::kPosition ? 64 : 256;
}

void add_common_options(const Command& command, BenchArguments& arguments) {
  command.flag("--json", arguments.output.json, "one JSON object a line");
  command.option("--repeat", arguments.output.repeats, "runs; figures are their medians")
      .in_range(1, 1000);
  command.option("--seconds", arguments.seconds, "measured time of each case and run")
      .in_range(0.001, 1e6);
}

void add_game_option(const Command& command, BenchArguments& arguments) {
  command.option("--game", arguments.game, "default: " + standard_names(", then "));
  command.option("--seed", arguments.settings.seed, "of weights and games").shows_default();
}

void add_network_options(const Command& command, BenchArguments& arguments) {
  command
      .option("--network", arguments.settings.network,
              "seed-283k (fresh weights of the reference shape) or a weights file")
      .shows_default();
  add_setting(command,
              with_help(setting_of(&NetworkSpec::width), "fresh weights of this width instead"),
              arguments.settings.width)
      .shows_default("");
  add_setting(command,
              with_help(setting_of(&NetworkSpec::blocks), "... with so many residual blocks"),
              arguments.settings.blocks);
}

void add_recording_options(const Command& command, BenchArguments& arguments) {
  command
      .option("--games", arguments.settings.recorded_games,
              "self-play games whose positions are measured on")
      .in_range(1, 100'000)
      .shows_default();
}

void add_mode_option(const Command& command, BenchArguments& arguments) {
  add_setting(command, setting_of(&SearchSettings::evaluates), arguments.settings.evaluates);
}

void add_evaluator_options(const Command& command, BenchArguments& arguments) {
  add_setting(command, setting_of(&WorkerSettings::evaluator), arguments.settings.evaluator);
  command.flag("--exact", arguments.settings.exact,
               "the same bits at every batch size, with oneDNN too");
}

void add_search_options(const Command& command, BenchArguments& arguments,
                        const std::string& standard_visits) {
  command
      .option("--visits", arguments.visits,
              fmt::format("visits of every search (default: {})", standard_visits))
      .in_range(1, 1'000'000);
  add_setting(command,
              with_help(setting_of(&WorkerSettings::lanes), "searches side by side on a thread"),
              arguments.settings.lanes);
  add_setting(command,
              with_help(setting_of(&WorkerSettings::batch_rows),
                        "most rows of a forward pass (default: 64; with afterstates 256)"),
              arguments.batch_rows)
      .shows_default("");
}

void add_workers_option(const Command& command, BenchArguments& arguments) {
  command
      .option("--workers", arguments.workers,
              "threads at once; several numbers (1,2) are measured in turns")
      .shows_default();
}

void add_play_options(const Command& command, BenchArguments& arguments) {
  BenchSettings& settings = arguments.settings;
  add_workers_option(command, arguments);
  add_setting(command, setting_of(&WorkerSettings::cache_mib), settings.cache_mib);
  command.flag("--reuse-tree", settings.reuse_tree,
               "keep the tree between moves: kept visits count towards --visits and are not "
               "counted again");
  command
      .option("--warmup-seconds", settings.warmup_seconds,
              "played before the measurement, once games of all ages are under way")
      .in_range(0.0, 1e6)
      .shows_default();
}

void add_trainer_options(const Command& command, BenchArguments& arguments) {
  command.option("--backend", arguments.backend, "what trains: cpu, cuda or auto").shows_default();
  command
      .option("--precision", arguments.precision,
              "of a CUDA device's products: auto, bf16, fp16, tf32 or fp32")
      .shows_default();
  command.flag("--replay-on-device", arguments.settings.trainer.replay_on_device,
               "a CUDA device keeps the samples: a step sends only where they lie");
}

void add_train_rows_option(const Command& command, BenchArguments& arguments) {
  command
      .option("--batch", arguments.train_rows,
              "samples of a step; several numbers (256,1024) one after the other")
      .shows_default();
  command.option("--save-batch", arguments.settings.saved_batch,
                 "write the last batch of recorded positions to this file (safetensors)");
}

void add_session_options(const Command& command, BenchArguments& arguments) {
  BenchSettings& settings = arguments.settings;
  command.option("--sessions", arguments.sessions, "games of the host at once").shows_default();
  command.option("--milliseconds", settings.search_ms, "of each search that is timed")
      .in_range(1, 60'000)
      .shows_default();
  command
      .option("--visits", arguments.visits, "of each search that is counted instead (default: 100)")
      .in_range(1u, kBenchTreeVisits);
  command.flag("--processes", settings.processes,
               "the most games in a `senet uci` process each, too");
}

}  // namespace senet
