// senet bench: measures the speed of all parts on this machine and how their time is distributed.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "games/any_game.hpp"
#include "games/json.hpp"
#include "games/registry.hpp"
#include "tools/bench/benchmarks.hpp"
#include "tools/command.hpp"

namespace senet {
namespace {

using AddOptions = void (*)(const Command& command, BenchSettings& settings);

/// A benchmark on the command line, either of games or of the machine alone.
struct Bench {
  std::string name, help;
  double seconds = 0;  // default measured time
  std::vector<AddOptions> options;
  Benchmark (*of_game)(const BenchCase& bench) = nullptr;
  Benchmark (*of_machine)(const BenchSettings& settings) = nullptr;
  std::uint32_t (*visits)(const AnyGame& game) = [](const AnyGame&) { return 100u; };
  std::string footer = {};            // below the options in --help
  std::vector<Evaluates> modes = {};  // those that a game supports are run; empty: --mode
};

/// The cases of --game, or of the standard games, each in the benchmark's modes that it supports.
/// Resolves all defaults. Throws an Error if the settings are invalid.
std::vector<BenchCase> cases_of(const Bench& bench, BenchSettings settings) {
  std::vector<BenchCase> cases;
  const auto modes = bench.modes.empty() ? std::vector{settings.search.evaluates} : bench.modes;
  for (const RunGame* const game : all_games<RunGame>()) {
    const AnyGame& rules = *game->any;
    const bool is_said = rules.name == settings.game;
    if (!is_said && !(settings.game.empty() && rules.is_standard)) continue;
    for (const Evaluates mode : modes) {
      const auto possible = resolve_evaluates(reference_spec(rules), modes_of(rules), mode);
      if (!possible) {
        if (!is_said || !bench.modes.empty()) continue;
        throw possible.error();
      }
      if (mode == Evaluates::kPlayouts) throw fail("mode: benchmarks use a network");
      BenchNetwork network = value_for("--network", bench_network(settings, reference_spec(rules)));
      BenchSettings& of_case =
          cases
              .emplace_back(settings, *game, rules, **find_game<BenchGame>(rules.name),
                            std::move(network.network), std::move(network.name))
              .settings;
      of_case.search.evaluates = mode;
      if (of_case.visits == 0) of_case.visits = bench.visits(rules);
      std::size_t& rows = of_case.evaluation.batch_rows;
      if (rows == 0) rows = rows_in_flight(64, mode);
      settings.trace.clear();  // only for the first case
    }
  }
  if (cases.empty() && !settings.game.empty()) throw unknown_game(settings.game);
  return cases;
}

Job prepare(const Bench& bench, BenchSettings settings) {
  if (settings.seconds == 0) settings.seconds = bench.seconds;
  if (settings.workers.empty()) {
    settings.workers = {std::max(1u, std::thread::hardware_concurrency())};
  }
  // Check this before the measurement.
  if (!settings.trace.empty() && !std::ofstream(settings.trace, std::ios::app)) {
    throw fail(fmt::format("--trace: cannot write {}", settings.trace));
  }
  std::vector<BenchCase> cases;
  if (bench.of_game != nullptr) cases = cases_of(bench, settings);
  return [bench, settings, cases = std::move(cases)]() -> Result<void> {
    print_machine(settings);
    if (bench.of_machine != nullptr) {
      run_and_print(settings, bench.name, bench.of_machine(settings));
    }
    for (const BenchCase& of_game : cases) {
      run_and_print(settings, bench.name, bench.of_game(of_game));
    }
    return {};
  };
}

/// A copy of a setting's entry with another help text, a literal.
template <class Struct, class Value>
Setting<Struct, Value> with_help(Value Struct::*member, std::string_view help) {
  Setting<Struct, Value> entry = setting_of(member);
  entry.help = help;
  return entry;
}

/// Adds an option with several numbers, "1,2,4", each from 1 to `most`, without equal neighbours.
/// If `counts` is empty by default, "all" makes it empty.
void add_counts(const Command& command, const std::string& name, std::vector<std::size_t>& counts,
                std::size_t most, const std::string& help) {
  const bool takes_all = counts.empty();
  const auto read = [=, &counts](const std::string& text) -> Result<void> {
    const Error refusal(
        fmt::format("{} is \"{}\": it must be {}numbers 1 .. {} with commas between them", name,
                    text, takes_all ? "all, or " : "", most));
    counts.clear();
    if (takes_all && text == "all") return {};
    for (const Json& number : parse_json(fmt::format("[{}]", text))) {
      if (!number.is_number_unsigned() || number < 1 || number > most) return refusal;
      if (!counts.empty() && counts.back() == number) return refusal;
      counts.push_back(number);
    }
    return counts.empty() ? Result<void>(refusal) : Result<void>();
  };
  command.option("--" + name, "N,...", read, help)
      .shows_default(takes_all ? "all" : fmt::format("{}", fmt::join(counts, ",")));
}

namespace options {

void common(const Command& command, BenchSettings& settings, double seconds) {
  command.heading("Measurement");
  command.flag("--json", settings.json, "print one JSON object per line");
  command.option("--repeat", settings.repeats, "number of runs; prints the medians")
      .in_range(1, 1000)
      .shows_default();
  command.option("--seconds", settings.seconds, "measured time of each case and run")
      .in_range(0.001, 1e6, "s")
      .shows_default(setting_text(seconds));
}

void game(const Command& command, BenchSettings& settings) {
  command.heading("Game and network");
  command.option("--game", settings.game, "the game")
      .shows_type("NAME")
      .shows_default(games_that(&AnyGame::is_standard, ", then "));
  command.option("--seed", settings.seed, "seed of weights and games").shows_default();
}

void network(const Command& command, BenchSettings& settings) {
  command
      .option("--network", settings.network,
              "reference (fresh weights of the reference shape: 128 wide with 3 residual blocks), "
              "builtin or a weights file")
      .shows_type("NETWORK")
      .shows_default();
  add_setting(command, with_help(&NetworkSpec::width, "width of fresh weights"), settings.width)
      .shows_default("the reference shape");
  add_setting(command, with_help(&NetworkSpec::blocks, "residual blocks of fresh weights"),
              settings.blocks)
      .shows_default("the reference shape");
}

void mode(const Command& command, BenchSettings& settings) {
  add_setting(command, setting_of(&SearchSettings::evaluates), settings.search.evaluates);
}

void recording(const Command& command, BenchSettings& settings) {
  command.option("--games", settings.recorded_games, "self-play games that provide the positions")
      .in_range(1, 100'000)
      .shows_default();
}

void exact(const Command& command, BenchSettings& settings) {
  command.flag("--exact", settings.evaluation.exact,
               "bit-identical results for every batch size, also with oneDNN");
}

void evaluator(const Command& command, BenchSettings& settings) {
  add_setting(command, setting_of(&Evaluation::kind), settings.evaluation.kind);
  exact(command, settings);
}

void forward_evaluator(const Command& command, BenchSettings& settings) {
  add_setting(command,
              with_help(&Evaluation::kind, "the forward pass to measure; auto: fused and onednn"),
              settings.evaluation.kind);
  exact(command, settings);
}

void search(const Command& command, BenchSettings& settings, const std::string& standard_visits) {
  command.heading("Search");
  command.option("--visits", settings.visits, "visits of every search")
      .in_range(1, 1'000'000)
      .shows_default(standard_visits);
  add_setting(command, with_help(&WorkerSettings::lanes, "searches that each worker interleaves"),
              settings.lanes);
  add_setting(command, with_help(&Evaluation::batch_rows, "maximum rows of a forward pass"),
              settings.evaluation.batch_rows)
      .shows_default("64, with afterstates 256");
}

void tree(const Command& command, BenchSettings& settings) {
  // "800 in connect_four, 400 in other games"
  std::string visits;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    if (game->tree_bench_visits == kTreeBenchVisits) continue;
    visits += fmt::format("{} in {}, ", game->tree_bench_visits, game->name);
  }
  visits += fmt::format("{}{}", kTreeBenchVisits, visits.empty() ? "" : " in other games");
  search(command, settings, visits);
  command
      .option("--table", settings.table,
              "the tree's hash table from positions to nodes: epoch (Senet's) or flat (Abseil's)")
      .one_of({"epoch", "flat"})
      .shows_default();
}

void workers(const Command& command, BenchSettings& settings) {
  add_counts(command, "workers", settings.workers, 1024,
             "number of threads; several numbers (1,2) are measured one after the other");
}

void play(const Command& command, BenchSettings& settings) {
  search(command, settings, "100");
  workers(command, settings);
  add_setting(command, setting_of(&WorkerSettings::cache_mib), settings.cache_mib);
  command.flag("--reuse-tree", settings.search.reuse_tree,
               "keep the tree between moves: kept visits count towards --visits, but not in the "
               "figures");
  command
      .option("--warmup-seconds", settings.warmup_seconds,
              "warm-up before each measurement, after the games have reached different stages")
      .in_range(0.0, 1e6, "s")
      .shows_default();
}

void trace(const Command& command, BenchSettings& settings) {
  command
      .option("--trace", settings.trace,
              "write a timeline of a worker to this file, for chrome://tracing or Perfetto "
              "(of the first case and run)")
      .shows_type("PATH");
}

void trainer(const Command& command, BenchSettings& settings) {
  command.heading("Trainer");
  TrainerChoice& choice = settings.trainer;
  add_setting(command, setting_of(&TrainerChoice::backend), choice.backend);
  add_setting(command, setting_of(&TrainerChoice::precision), choice.precision);
  command.flag("--replay-on-device", choice.replay_on_device,
               std::string(setting_of(&TrainerChoice::replay_on_device).help));
}

void train_rows(const Command& command, BenchSettings& settings) {
  add_counts(command, "batch", settings.train_rows, 65'536,
             "samples per step; several numbers (256,1024) are measured one after the other");
  command
      .option("--save-batch", settings.saved_batch,
              "write the last batch of recorded positions to this file (safetensors)")
      .shows_type("PATH");
}

void players(const Command& command, BenchSettings& settings) {
  command.option("--workers", settings.players, "threads that play")
      .in_range(1, 1024)
      .shows_default("all but two, like senet selfplay");
}

void session(const Command& command, BenchSettings& settings) {
  command.heading("Sessions");
  add_counts(command, "sessions", settings.sessions, 1024, "parallel games of the host");
  command.option("--milliseconds", settings.search_ms, "time limit of the searches limited by time")
      .in_range(1, 60'000, "ms")
      .shows_default();
  command.option("--visits", settings.visits, "visits of the searches limited by visits")
      .in_range(1u, kBenchTreeVisits)
      .shows_default("100");
  command.flag(
      "--processes", settings.processes,
      "also measure the largest number of --sessions with a `senet uci` process for each game");
}

}  // namespace options

/// Explains the figures that need it.
constexpr const char* kSelfPlayFooter =
    "Searches allocate nothing: the remaining allocations are game records, which grow to the "
    "length of the longest game so far.";

/// In the order of --help.
std::vector<Bench> benchmarks() {
  using namespace options;
  return {
      {.name = "peak",
       .help = "Maximum rate of multiply-adds",
       .seconds = 0.5,
       .options = {workers},
       .of_machine = prepare_peak},
      {.name = "forward",
       .help = "States per second of the forward pass",
       .seconds = 1,
       .options = {game, network, mode, recording, forward_evaluator},
       .of_game = prepare_forward},
      {.name = "tree",
       .help = "Visits per second of searches without a network",
       .seconds = 2,
       .options = {game, network, mode, recording, tree},
       .of_game = prepare_tree,
       .visits = [](const AnyGame& game) { return game.tree_bench_visits; }},
      {.name = "playout",
       .help = "Games per second of random moves, without a search",
       .seconds = 2,
       .options = {game},
       .of_game = prepare_playout},
      {.name = "selfplay",
       .help = "Games, decisions and evaluations per second of self-play",
       .seconds = 10,
       .options = {game, network, mode, evaluator, play, trace},
       .of_game = prepare_selfplay,
       .footer = kSelfPlayFooter},
      {.name = "train",
       .help = "Samples per second of a trainer",
       .seconds = 3,
       .options = {game, network, mode, recording, workers, trainer, train_rows},
       .of_game = prepare_train},
      {.name = "overlap",
       .help = "How much a trainer slows self-play; how long workers take to load weights",
       .seconds = 4,
       .options = {game, network, trainer, players},
       .of_game = prepare_overlap},
      {.name = "sessions",
       .help = "Latency and memory of many embedded games",
       .seconds = 5,
       .options = {game, network, session, workers},
       .of_game = prepare_sessions},
  };
}

}  // namespace

void add_bench_command(const Command& program) {
  const auto settings = std::make_shared<BenchSettings>();
  const auto add_options = [&](const Command& command, const Bench& bench) {
    command.footer(bench.footer);
    options::common(command, *settings, bench.seconds);
    for (const AddOptions add : bench.options) add(command, *settings);
    command.runs([=] { return prepare(bench, *settings); });
  };
  // Every standard game with policy priors, and also with afterstates if it has them.
  const Bench standard{
      .name = "selfplay",
      .help = "Measure speed: of self-play, or of one of the parts below",
      .seconds = 10,
      .options = {options::game, options::network, options::evaluator, options::play},
      .of_game = prepare_selfplay,
      .footer = fmt::format("Without the name of a benchmark, senet bench measures self-play of "
                            "{}, with policy priors and then with afterstates. {}",
                            games_that(&AnyGame::is_standard), kSelfPlayFooter),
      .modes = {Evaluates::kPosition, Evaluates::kAfterstates}};
  const Command command = program.add_command("bench", standard.help);
  command.heading("Benchmarks");
  for (const Bench& bench : benchmarks()) {
    add_options(command.add_command(bench.name, bench.help), bench);
  }
  add_options(command, standard);  // after its sub-commands, which would inherit its footer
}

}  // namespace senet
