// senet bench: how fast everything is on this machine, and where the time goes.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <thread>

#include "games/registry.hpp"
#include "tools/bench_forward.hpp"
#include "tools/bench_peak.hpp"
#include "tools/bench_selfplay.hpp"
#include "tools/bench_train.hpp"
#include "tools/command.hpp"
#include "tools/run_config.hpp"

namespace senet {
namespace {

struct BenchArguments {
  std::string game;  // empty: both of the standard set
  std::string mode = "position";
  std::string evaluator = "auto";
  std::string workers = "all";
  std::optional<double> seconds;
  std::size_t batch_rows = 0;
  BenchSettings settings;
  BenchOutput output;
};

/// The game named, or the standard ones that have the mode.
std::vector<std::string> games_of(const BenchArguments& arguments, Evaluates evaluates) {
  if (!arguments.game.empty()) return {arguments.game};
  if (evaluates == Evaluates::kAfterstates) return {std::string(Backgammon::kName)};
  return {std::string(ConnectFour::kName), std::string(Backgammon::kName)};
}

/// Whether the game can be played this way, and with this network.
Result<void> check_game(const std::string& game, const BenchSettings& settings) {
  return visit_game(game, [&]<class G>(std::type_identity<G>) -> Result<void> {
    if (settings.evaluates == Evaluates::kAfterstates && !G::kHasAfterstates) {
      return fail(fmt::format("--mode: {} has no afterstates", G::kName));
    }
    const auto network = bench_network(settings, reference_spec<G>());
    if (!network) return fail(fmt::format("--network: {}", network.error().reason));
    return {};
  });
}

bool read_workers(const std::string& text, std::size_t& workers) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, workers);
  return error == std::errc{} && rest == end && workers >= 1 && workers <= 1024;
}

/// `standard_seconds`: how long to measure a case when nothing is said.
Result<BenchSettings> settings_of(const BenchArguments& arguments, double standard_seconds) {
  BenchSettings settings = arguments.settings;
  const auto evaluates = evaluates_from_name(arguments.mode);
  if (!evaluates) return tl::unexpected(evaluates.error());
  settings.evaluates = *evaluates;
  const auto evaluator = evaluator_kind(arguments.evaluator);
  if (!evaluator) return tl::unexpected(evaluator.error());
  settings.evaluator = *evaluator;
  settings.seconds = arguments.seconds.value_or(standard_seconds);
  settings.workers = std::max(1u, std::thread::hardware_concurrency());
  if (arguments.workers != "all" && !read_workers(arguments.workers, settings.workers)) {
    return fail("--workers: all, or 1 to 1024");
  }
  for (const std::string& game : games_of(arguments, settings.evaluates)) {
    if (const auto good = check_game(game, settings); !good) return tl::unexpected(good.error());
  }
  return settings;
}

/// Families of afterstates are many rows at once.
std::size_t batch_rows_for(const BenchArguments& arguments, Evaluates evaluates) {
  if (arguments.batch_rows > 0) return arguments.batch_rows;
  return evaluates == Evaluates::kPosition ? 64 : 256;
}

Result<void> selfplay_case(const BenchArguments& arguments, const std::string& game,
                           BenchSettings settings) {
  settings.batch_rows = batch_rows_for(arguments, settings.evaluates);
  return run_and_print(arguments.output, "selfplay",
                       [&] { return bench_selfplay(game, settings); });
}

Result<void> selfplay(const BenchArguments& arguments, const BenchSettings& settings) {
  for (const std::string& game : games_of(arguments, settings.evaluates)) {
    if (const auto done = selfplay_case(arguments, game, settings); !done) return done;
  }
  return {};
}

/// Both games, with policy priors and then with afterstates where the game has them.
Result<void> standard_set(const BenchArguments& arguments, const BenchSettings& settings) {
  for (const std::string& game : games_of(arguments, settings.evaluates)) {
    for (const Evaluates evaluates : {Evaluates::kPosition, Evaluates::kAfterstates}) {
      const Result<bool> has = visit_game(
          game, []<class G>(std::type_identity<G>) -> bool { return G::kHasAfterstates; });
      if (evaluates == Evaluates::kAfterstates && !*has) continue;
      BenchSettings of_case = settings;
      of_case.evaluates = evaluates;
      if (const auto done = selfplay_case(arguments, game, of_case); !done) return done;
    }
  }
  return {};
}

Result<void> peak(const BenchArguments& arguments, const BenchSettings& settings) {
  return run_and_print(arguments.output, "peak", [&]() -> Result<Figures> {
    Figures figures;
    std::vector<std::size_t> thread_counts{1};
    if (settings.workers > 1) thread_counts.push_back(settings.workers);
    for (const MultiplyAdd& kind : runnable_multiply_adds()) {
      for (const std::size_t threads : thread_counts) {
        figures.push_back({fmt::format("{}/threads-{}", kind.name, threads), "multiply_add",
                           peak_gflops(kind, threads, settings.seconds), "GFLOP/s"});
      }
    }
    return figures;
  });
}

Result<void> forward(const BenchArguments& arguments, const BenchSettings& settings) {
  for (const std::string& game : games_of(arguments, settings.evaluates)) {
    const auto done = run_and_print(arguments.output, "forward", [&]() -> Result<Figures> {
      const double one_thread = peak_gflops_of_one_thread(std::min(0.2, settings.seconds));
      return bench_forward(game, settings, one_thread);
    });
    if (!done) return done;
  }
  return {};
}

Result<void> train(const BenchArguments& arguments, const BenchSettings& settings) {
  for (const std::string& game : games_of(arguments, settings.evaluates)) {
    const auto done =
        run_and_print(arguments.output, "train", [&] { return bench_train(game, settings); });
    if (!done) return done;
  }
  return {};
}

using Benchmark = Result<void> (*)(const BenchArguments&, const BenchSettings&);

Result<Job> prepare(const BenchArguments& arguments, Benchmark benchmark, double seconds) {
  const Result<BenchSettings> settings = settings_of(arguments, seconds);
  if (!settings) return tl::unexpected(settings.error());
  return Job([arguments, benchmark, settings = *settings] {
    print_machine(arguments.output);
    return benchmark(arguments, settings);
  });
}

void add_common_options(CLI::App& command, BenchArguments& arguments) {
  command.add_flag("--json", arguments.output.json, "one JSON object a line");
  command.add_option("--repeat", arguments.output.repeats, "runs; figures are their medians")
      ->check(CLI::Range(1, 1000));
  command.add_option("--seconds", arguments.seconds, "measured time of each case and run")
      ->check(CLI::Range(0.001, 1e6));
}

void add_network_options(CLI::App& command, BenchArguments& arguments) {
  command.add_option("--game", arguments.game, "default: connect_four, then backgammon");
  command
      .add_option("--network", arguments.settings.network,
                  "seed-283k (fresh weights of the reference shape) or a weights file")
      ->capture_default_str();
  command.add_option("--width", arguments.settings.width, "fresh weights of this width instead")
      ->check(CLI::Range(8, 4096));
  command.add_option("--blocks", arguments.settings.blocks, "... with so many residual blocks")
      ->check(CLI::Range(0, 64));
  command.add_option("--seed", arguments.settings.seed, "of weights and games")
      ->capture_default_str();
}

void add_mode_option(CLI::App& command, BenchArguments& arguments) {
  command
      .add_option("--mode", arguments.mode,
                  "what the network is asked about: position or afterstates")
      ->capture_default_str();
}

void add_evaluator_options(CLI::App& command, BenchArguments& arguments) {
  command.add_option("--evaluator", arguments.evaluator, "auto, fused, onednn, reference or hash")
      ->capture_default_str();
  command.add_flag("--exact", arguments.settings.exact,
                   "the same bits at every batch size, with oneDNN too");
}

void add_selfplay_options(CLI::App& command, BenchArguments& arguments) {
  BenchSettings& settings = arguments.settings;
  add_evaluator_options(command, arguments);
  command.add_option("--visits", settings.visits, "visits of every search")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command.add_option("--workers", arguments.workers, "threads that play")->capture_default_str();
  command.add_option("--lanes", settings.lanes, "games at once of each worker")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      .add_option("--batch", arguments.batch_rows,
                  "most rows of a forward pass (default: 64; with afterstates 256)")
      ->check(CLI::Range(1, 4096));
  command.add_flag("--reuse-tree", settings.reuse_tree,
                   "keep the tree between moves: kept visits count towards --visits and are not "
                   "counted again");
  command
      .add_option("--warmup-seconds", settings.warmup_seconds,
                  "played before the measurement, once games of all ages are under way")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* const command =
      app.add_subcommand("bench", "Measure how fast everything is and where the time goes");
  command->require_subcommand(0, 1);
  command->footer(
      "Without a benchmark's name: self-play of Connect Four and backgammon, with policy priors\n"
      "and then with afterstates.");
  const auto add = [&](const char* name, const char* help, Benchmark benchmark, double seconds) {
    CLI::App* const sub = command->add_subcommand(name, help);
    add_common_options(*sub, *arguments);
    sub->callback([=, &exit_code] {
      exit_code = run_command("bench", prepare(*arguments, benchmark, seconds));
    });
    return sub;
  };
  CLI::App* const of_selfplay =
      add("selfplay", "games, decisions and evaluations a second of whole self-play", selfplay, 10);
  add_network_options(*of_selfplay, *arguments);
  add_mode_option(*of_selfplay, *arguments);
  add_selfplay_options(*of_selfplay, *arguments);
  CLI::App* const of_forward = add("forward", "states a second of the forward pass", forward, 1);
  add_network_options(*of_forward, *arguments);
  add_mode_option(*of_forward, *arguments);
  add_evaluator_options(*of_forward, *arguments);
  CLI::App* const of_train = add("train", "samples a second of the CPU trainer", train, 3);
  add_network_options(*of_train, *arguments);
  add_mode_option(*of_train, *arguments);
  CLI::App* const of_peak = add("peak", "multiply-adds a second at most", peak, 0.5);
  of_peak->add_option("--workers", arguments->workers, "threads at once")->capture_default_str();

  add_common_options(*command, *arguments);
  add_network_options(*command, *arguments);
  add_selfplay_options(*command, *arguments);
  command->callback([=, &exit_code] {
    if (!command->get_subcommands().empty()) return;
    exit_code = run_command("bench", prepare(*arguments, standard_set, 10));
  });
}

}  // namespace senet
