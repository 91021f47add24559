#include "tools/bench/benchmarks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "nn/kernels.hpp"
#include "selfplay/selfplay.hpp"
#include "tools/bench/timing.hpp"
#include "tools/metric.hpp"
#include "tools/play/search_setup.hpp"
#include "tools/terminal.hpp"

namespace senet {
namespace {

/// Keeps all games. Not thread-safe: for one worker.
class KeepingSink final : public GameSink {
 public:
  bool offer(GameRecord& record) override {
    games.push_back(record);
    return true;
  }

  std::vector<GameRecord> games;
};

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

/// Summarises a figure over all runs: median, minimum and maximum.
Metric summary_of(const std::vector<Figures>& runs, std::size_t figure) {
  Metric summary = runs.front()[figure];
  std::vector<double> values;
  for (const Figures& run : runs) values.push_back(run[figure].value);
  summary.value = median_of(values);
  const bool known = !std::isnan(summary.value);
  summary.interval = known ? Interval{std::ranges::min(values), std::ranges::max(values)}
                           : Interval{summary.value, summary.value};
  summary.repeats = runs.size();
  return summary;
}

}  // namespace

void add_figures(Figures& figures, const std::string& subject,
                 std::initializer_list<Figure> of_case) {
  for (const auto& [name, value, unit] : of_case) {
    figures.push_back({subject, std::string(name), value, std::string(unit)});
  }
}

void print_machine(const BenchSettings& settings) {
  const std::string machine = fmt::format("{} | {} kernels | g++ {} | {} build", processor_name(),
                                          best_kernels().name, __VERSION__, SENET_BUILD_TYPE);
  const double threads = std::thread::hardware_concurrency();
  if (settings.json) {
    const Metric metric = {machine,   "hardware_threads",         threads,
                           "threads", Interval{threads, threads}, 1};
    print_metrics("machine", {&metric, 1}, true);
  } else {
    fmt::print("{}\n", wrapped(fmt::format("machine: {} | {} hardware threads", machine, threads),
                               text_columns(), 2));
    if (settings.repeats > 1) {
      fmt::print("medians of {} runs (lowest to highest)\n", settings.repeats);
    }
  }
  std::fflush(stdout);
}

void run_and_print(const BenchSettings& settings, std::string_view bench, Benchmark run) {
  std::vector<Figures> runs(settings.repeats);
  for (Figures& figures : runs) run(figures);
  std::vector<Metric> summaries;
  for (std::size_t i = 0; i < runs.front().size(); ++i) {
    summaries.push_back(summary_of(runs, i));
    if (!settings.json) summaries.back().subject.insert(0, std::string(bench) + " ");
  }
  print_metrics(bench, summaries, settings.json);
  std::fflush(stdout);
}

Result<BenchNetwork> bench_network(const BenchSettings& settings, const NetworkSpec& reference) {
  constexpr std::string_view kReference = "reference";
  if (settings.network != kReference) {
    Result<Network> network = open_network(settings.network, reference);
    if (!network) return network.error();
    return BenchNetwork{std::move(*network), std::filesystem::path(settings.network).filename()};
  }
  NetworkSpec spec = reference;
  if (settings.width > 0) spec.width = settings.width;
  spec.blocks = settings.blocks.value_or(spec.blocks);
  if (const Result<void> good = check_spec(spec); !good) return good.error();
  return BenchNetwork{initial_network(spec, settings.seed),
                      spec == reference
                          ? std::string(kReference)
                          : fmt::format("width-{}-blocks-{}", spec.width, spec.blocks)};
}

std::vector<AnyState> recorded_decisions(const BenchCase& bench, std::size_t count) {
  constexpr std::uint32_t kVisits = 100;
  const std::size_t games = bench.settings.recorded_games;
  SelfPlaySettings how;
  how.worker.lanes = std::min<std::size_t>(games, 64);
  how.worker.visits = how.play.full_visits = how.play.fast_visits = kVisits;
  how.play.seed = bench.settings.seed;
  ModelStore models(bench.network.clone());
  GameNumbers numbers(0, games);
  KeepingSink sink;
  bench.run_game.start_selfplay(bench.game, how, models, numbers, sink, {})->join().value();

  std::ranges::sort(sink.games, {}, &GameRecord::game_number);
  std::vector<AnyState> searched, decisions;
  for (const GameRecord& game : sink.games) {
    AnyState state(bench.game);
    for (const RecordedTurn& turn : game.turns()) {
      if (turn.kind == TurnKind::kFullSearch) searched.push_back(state);
      state.play(turn.action);
    }
  }
  if (searched.empty()) throw fail("the self-play games contain no searched position");
  for (std::size_t i = 0; i < count; ++i)
    decisions.push_back(searched[i * searched.size() / count]);
  return decisions;
}

Benchmark prepare_tree(const BenchCase& bench) {
  const bool is_flat = bench.settings.table == "flat";
  const BenchSettings& settings = bench.settings;
  const std::string subject =
      fmt::format("{}/{}/visits-{}/lanes-{}{}", bench.game.name, name_of(settings.search.evaluates),
                  settings.visits, settings.lanes, is_flat ? "/table-flat" : "");
  // Four rounds of different positions.
  return [=, &bench, positions = recorded_decisions(bench, 4 * settings.lanes)](Figures& figures) {
    const TreeMeasured measured =
        (is_flat ? bench.typed.tree_flat : bench.typed.tree)(bench, positions);
    const TreeCounts& counts = measured.counts;
    const auto [rate, tree_rate, forward_share] = measured.slices.medians;
    add_figures(
        figures, subject,
        {{"simulations_per_second", rate, "visits/s"},
         {"simulations_per_second_of_tree", tree_rate, "visits/s"},
         {"share_evaluator", forward_share, "share"},
         {"legal_moves", counts.legal / counts.positions, "moves/position"},
         {"plies_per_visit", counts.plies / counts.visits, "plies/visit"},
         {"evaluations_per_visit", measured.evaluations / counts.visits, "rows/visit"},
         {"nodes_per_visit", counts.nodes / counts.visits, "nodes/visit"},
         {"bytes_per_visit", counts.used_bytes / counts.visits, "B/visit"},
         {"bytes_per_visited_node", counts.used_bytes / counts.visited, "B/node"},
         {"reserved_bytes_per_visited_node", counts.reserved_bytes / counts.visited, "B/node"},
         {"allocations_per_simulation", measured.slices.allocations / measured.timed_visits,
          "allocations/visit"}});
  };
}

Benchmark prepare_playout(const BenchCase& bench) {
  return [&bench](Figures& figures) {
    const PlayoutMeasured measured = bench.typed.playout(bench);
    const PlayoutCounts& counts = measured.counts;
    add_figures(figures, std::string(bench.game.name),
                {{"games_per_second", measured.slices.medians[0], "games/s"},
                 {"plies_per_second", measured.slices.medians[1], "plies/s"},
                 {"plies_per_game", counts.plies / counts.games, "plies/game"},
                 {"decisions_per_game", counts.decisions / counts.games, "decisions/game"},
                 {"legal_moves", counts.legal / counts.decisions, "moves/position"},
                 {"first_player_wins", counts.first_player_wins / counts.games, "share"},
                 {"allocations_per_game", measured.slices.allocations / measured.timed_games,
                  "allocations/game"}});
  };
}

}  // namespace senet
