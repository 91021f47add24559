// senet bench: how fast everything is on this machine, and where the time goes.
#include <fmt/core.h>

#include <memory>

#include "games/any_game.hpp"
#include "games/registry.hpp"
#include "selfplay/selfplay_threads.hpp"
#include "tools/bench_forward.hpp"
#include "tools/bench_options.hpp"
#include "tools/bench_overlap.hpp"
#include "tools/bench_peak.hpp"
#include "tools/bench_playout.hpp"
#include "tools/bench_selfplay.hpp"
#include "tools/bench_sessions.hpp"
#include "tools/bench_train.hpp"
#include "tools/bench_tree.hpp"
#include "tools/command.hpp"

namespace senet {
namespace {

using Bench = Result<void> (*)(const BenchArguments&, const BenchSettings&);

Result<void> run_prepared(const BenchArguments& arguments, std::string_view bench,
                          Result<Benchmark> prepared) {
  if (!prepared) return prepared.error();
  return run_and_print(arguments.output, bench, std::move(*prepared));
}

/// `prepare(game, settings)` for each game, one after the other.
template <class Prepare>
Result<void> each_game(const BenchArguments& arguments, const BenchSettings& settings,
                       std::string_view bench, Prepare&& prepare) {
  for (const std::string& game : games_of(arguments, settings.evaluates)) {
    const auto done = run_prepared(arguments, bench, prepare(game, settings));
    if (!done) return done;
  }
  return {};
}

Result<void> selfplay(const BenchArguments& arguments, const BenchSettings& settings) {
  std::string trace = arguments.trace;
  return each_game(arguments, settings, "selfplay", [&](const auto& game, const auto& of_case) {
    return prepare_selfplay(game, of_case, std::exchange(trace, {}));
  });
}

/// Both games, with policy priors and then with afterstates where the game has them.
Result<void> standard_set(const BenchArguments& arguments, const BenchSettings& settings) {
  for (const std::string& game : games_of(arguments, settings.evaluates)) {
    for (const Evaluates evaluates : {Evaluates::kPosition, Evaluates::kAfterstates}) {
      const Result<const AnyGame*> known = find_game<AnyGame>(game);
      if (evaluates == Evaluates::kAfterstates && !(*known)->has_afterstates) continue;
      BenchSettings of_case = settings;
      of_case.evaluates = evaluates;
      of_case.batch_rows = batch_rows_for(arguments, evaluates);
      const auto done =
          run_prepared(arguments, "selfplay", prepare_selfplay(game, of_case, /*trace_file=*/{}));
      if (!done) return done;
    }
  }
  return {};
}

Result<void> forward(const BenchArguments& arguments, const BenchSettings& settings) {
  return each_game(arguments, settings, "forward", prepare_forward);
}

Result<void> tree(const BenchArguments& arguments, const BenchSettings& settings) {
  return each_game(arguments, settings, "tree",
                   [&](const std::string& game, BenchSettings of_case) {
                     const Result<const AnyGame*> known = find_game<AnyGame>(game);
                     of_case.visits = arguments.visits.value_or((*known)->tree_bench_visits);
                     return prepare_tree(game, of_case, arguments.table == "flat");
                   });
}

/// "800 in connect_four, 400 in other games"
std::string tree_visits_text() {
  std::string text;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    if (game->tree_bench_visits == kTreeBenchVisits) continue;
    text += fmt::format("{} in {}, ", game->tree_bench_visits, game->name);
  }
  return text + fmt::format("{}{}", kTreeBenchVisits, text.empty() ? "" : " in other games");
}

Result<void> playout(const BenchArguments& arguments, const BenchSettings& settings) {
  return each_game(arguments, settings, "playout", prepare_playout);
}

Result<void> train(const BenchArguments& arguments, const BenchSettings& settings) {
  return each_game(arguments, settings, "train", prepare_train);
}

Result<void> overlap(const BenchArguments& arguments, const BenchSettings& settings) {
  BenchSettings of_run = settings;
  of_run.workers = {arguments.players > 0 ? arguments.players : default_workers()};
  return each_game(arguments, of_run, "overlap", prepare_overlap);
}

Result<void> sessions(const BenchArguments& arguments, const BenchSettings& settings) {
  return each_game(arguments, settings, "sessions", prepare_sessions);
}

Result<void> peak(const BenchArguments& arguments, const BenchSettings& settings) {
  return run_and_print(arguments.output, "peak", [&]() -> Result<Figures> {
    Figures figures;
    std::vector<std::size_t> thread_counts{1};
    for (const std::size_t workers : settings.workers) {
      if (workers > 1) thread_counts.push_back(workers);
    }
    for (const MultiplyAdd& kind : runnable_multiply_adds()) {
      for (const std::size_t threads : thread_counts) {
        figures.push_back({fmt::format("{}/threads-{}", kind.name, threads), "multiply_add",
                           peak_gflops(kind, threads, settings.seconds), "GFLOP/s"});
      }
    }
    return figures;
  });
}

Result<Job> prepare(const BenchArguments& arguments, Bench bench, double seconds) {
  const Result<BenchSettings> settings = settings_of(arguments, seconds);
  if (!settings) return settings.error();
  return Job([arguments, bench, settings = *settings] {
    print_machine(arguments.output);
    return bench(arguments, settings);
  });
}

}  // namespace

void add_bench_command(const Command& program) {
  auto arguments = std::make_shared<BenchArguments>();
  const Command command =
      program.add_command("bench", "Measure how fast everything is and where the time goes");
  command.footer(
      fmt::format("Without a benchmark's name: self-play of {}, with policy priors\n"
                  "and then with afterstates.",
                  games_that([](const AnyGame& game) { return game.is_standard; })));
  const auto add = [&](const char* name, const char* help, Bench bench, double seconds) {
    const Command sub = command.add_command(name, help);
    add_common_options(sub, *arguments);
    sub.runs([=] { return run_command("bench", prepare(*arguments, bench, seconds)); });
    return sub;
  };
  const Command of_peak = add("peak", "multiply-adds a second at most", peak, 0.5);
  add_workers_option(of_peak, *arguments);

  const Command of_forward = add("forward", "states a second of the forward pass", forward, 1);
  const Command of_tree = add("tree", "visits a second of searches without a network", tree, 2);
  const Command of_playout =
      add("playout", "games a second of blind play by the rules alone", playout, 2);
  const Command of_selfplay =
      add("selfplay", "games, decisions and evaluations a second of whole self-play", selfplay, 10);
  const Command of_train = add("train", "samples a second of a trainer", train, 3);
  const Command of_overlap =
      add("overlap", "what a trainer beside self-play costs it: speed, and the weights handed over",
          overlap, 4);
  const Command of_sessions =
      add("sessions", "how long the searches of many embedded games take, and their memory",
          sessions, 5);
  for (const Command& sub :
       {of_forward, of_tree, of_playout, of_selfplay, of_train, of_overlap, of_sessions}) {
    add_game_option(sub, *arguments);
  }
  for (const Command& sub : {of_forward, of_tree, of_selfplay, of_train, of_overlap, of_sessions}) {
    add_network_options(sub, *arguments);
  }
  for (const Command& sub : {of_forward, of_tree, of_selfplay, of_train}) {
    add_mode_option(sub, *arguments);
  }
  for (const Command& sub : {of_forward, of_tree, of_train}) {
    add_recording_options(sub, *arguments);
  }
  add_workers_option(of_train, *arguments);
  add_trainer_options(of_train, *arguments);
  add_train_rows_option(of_train, *arguments);
  add_trainer_options(of_overlap, *arguments);
  of_overlap
      .option("--workers", arguments->players,
              "threads that play (default: all but two, as in senet selfplay)")
      .in_range(1, 1024);
  for (const Command& sub : {of_forward, of_selfplay}) add_evaluator_options(sub, *arguments);
  add_search_options(of_tree, *arguments, tree_visits_text());
  of_tree
      .option("--table", arguments->table,
              "the tree's way from a position to its node: epoch, its own, or flat, Abseil's")
      .one_of({"epoch", "flat"})
      .shows_default();
  add_search_options(of_selfplay, *arguments, "100");
  add_play_options(of_selfplay, *arguments);
  add_session_options(of_sessions, *arguments);
  add_workers_option(of_sessions, *arguments);
  of_selfplay.option("--trace", arguments->trace,
                     "write what a worker did when, for chrome://tracing or Perfetto, into "
                     "this file (of the first case and run)");

  add_common_options(command, *arguments);
  add_game_option(command, *arguments);
  add_network_options(command, *arguments);
  add_evaluator_options(command, *arguments);
  add_search_options(command, *arguments, "100");
  add_play_options(command, *arguments);
  command.runs([=] { return run_command("bench", prepare(*arguments, standard_set, 10)); });
}

}  // namespace senet
