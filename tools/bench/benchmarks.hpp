// The benchmarks of senet bench and their figures. tools/bench/bench_command.cpp lists them.
#pragma once

#include <absl/functional/any_invocable.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lanes/any_worker.hpp"
#include "engine/lanes/worker_settings.hpp"
#include "games/any_game.hpp"
#include "games/exam.hpp"
#include "tools/bench/counts.hpp"
#include "train_bridge/choose_trainer.hpp"
#include "train_bridge/run_game.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// Capacity in visits of every tree in prepare_sessions().
inline constexpr std::uint32_t kBenchTreeVisits = 2000;

/// The settings of a benchmark from the command line, including those of workers and searches.
struct BenchSettings : WorkerSettings {
  BenchSettings() {
    visits = 0;                 // 0: the benchmark's default
    evaluation.batch_rows = 0;  // 0: 64, with afterstates 256
    evaluation.kind = EvaluatorKind::kAuto;
    search.reuse_tree = false;
  }
  std::string game;                   // empty: the standard games
  std::vector<std::size_t> workers;   // threads; empty: one per hardware thread
  std::string network = "reference";  // or another source for open_network()
  std::uint32_t width = 0;            // 0: that of the reference shape
  std::optional<std::uint32_t> blocks;
  std::uint64_t seed = 1;
  std::uint32_t recorded_games = 32;               // self-play games that provide positions
  std::string table = "epoch";                     // hash table of the trees, or "flat"
  std::string trace;                               // a file, or empty
  std::vector<std::size_t> sessions{1, 10, 100};   // parallel sessions of an embedding host
  std::uint32_t search_ms = 50;                    // time limit of the sessions' searches
  bool processes = false;                          // also measures one process per game
  std::vector<std::size_t> train_rows{512, 1024};  // samples per training step
  std::string saved_batch;  // the file to write the last sparse batch to; empty: none
  TrainerChoice trainer{.backend = TrainerBackend::kCpu};
  std::size_t players = 0;    // threads that play in parallel with a trainer; 0: default_workers()
  double seconds = 0;         // measured time per case and run; 0: the benchmark's default
  double warmup_seconds = 2;  // play before the measurement
  bool json = false;          // prints JSON instead of a table
  std::uint32_t repeats = 1;  // runs of each case, at least one
};

/// The figures of one run. An unavailable figure is NaN: "-" in a table, null in JSON.
using Figures = std::vector<Metric>;

struct Figure {
  std::string_view name;
  double value;
  std::string_view unit;
};

/// Adds the figures of one case.
void add_figures(Figures& figures, const std::string& subject,
                 std::initializer_list<Figure> of_case);

/// part / whole; NaN if `whole` is not positive.
inline double ratio(double part, double whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}

/// A benchmark whose inputs are ready. Each call performs one run and adds its figures; all runs
/// add the same kinds of figures in the same order. Throws an Error on failure.
using Benchmark = absl::AnyInvocable<void(Figures& figures)>;

/// Prints a line that describes the machine (processor, instruction set of our kernels, compiler,
/// build type, hardware threads) and the head of the table. In JSON it is a metric
/// "hardware_threads".
void print_machine(const BenchSettings& settings);

/// Runs a benchmark settings.repeats times and prints the median, minimum and maximum of each
/// figure. JSON has one object per line: bench, case, metric, value, unit, min, max, repeats.
/// Throws the benchmark's error.
void run_and_print(const BenchSettings& settings, std::string_view bench, Benchmark run);

/// A network and its name in cases: "reference", "width-172-blocks-3" or a file name.
struct BenchNetwork {
  Network network;
  std::string name;
};

/// Fresh weights of `reference`'s shape, with width and blocks from the settings if set, or the
/// weights file from the settings.
Result<BenchNetwork> bench_network(const BenchSettings& settings, const NetworkSpec& reference);

struct BenchCase;

/// The table (games/registry.hpp) of the benchmarks' functions that need a game's type.
struct BenchGame {
  /// The positions as samples with a random outcome and equal policy targets for the legal moves,
  /// or no policy targets with kAfterstates.
  TrainBatch (*sparse_batch)(std::span<const AnyState> positions, const BenchSettings& settings);
  /// The measurement of prepare_tree(): searches each position once without a network, then repeats
  /// for settings.seconds.
  TreeMeasured (*tree)(const BenchCase& bench, std::span<const AnyState> positions);
  /// The same with Abseil's hash map in the trees.
  TreeMeasured (*tree_flat)(const BenchCase& bench, std::span<const AnyState> positions);
  /// The measurement of prepare_playout().
  PlayoutMeasured (*playout)(const BenchCase& bench);
  /// The cost of encoding the positions that the network evaluated in a worker's last searches.
  /// Here and below, the worker is of this game, and the call is on its thread.
  EncodeCost (*encode_cost)(const AnyWorker& worker, Evaluates evaluates);
  /// Adds the worker's current trees to `sum`.
  void (*count_trees)(const AnyWorker& worker, TreeCounts& sum);

  /// Defined in tools/bench/bench_game_of.hpp.
  template <Game G>
  static constexpr BenchGame of();
};

/// A game with a network and settings, in which all defaults are resolved. Outlives the benchmarks
/// made from it.
struct BenchCase {
  BenchSettings settings;
  const RunGame& run_game;
  const AnyGame& game;
  const BenchGame& typed;
  Network network;
  std::string network_name;
};

/// Returns `count` searched positions from settings.recorded_games self-play games, spread evenly
/// over all games and in their order; repeats positions if there are fewer. The games have 100
/// visits per move, position evaluation, noise, and moves drawn by visits in the opening. The same
/// seed and network give the same positions. Throws when the games cannot be played.
std::vector<AnyState> recorded_decisions(const BenchCase& bench, std::size_t count);

/// The machine's maximum rate of single-precision fused multiply-adds in GFLOP/s (a multiply-add
/// counts as two operations), for each instruction set, on one thread and on settings.workers
/// threads in parallel. Sums each thread's fastest slice of a few milliseconds.
Benchmark prepare_peak(const BenchSettings& settings);

/// Forward passes of 1, 16, 64 and 256 rows on one thread, each for settings.seconds; with kAuto
/// for every fast evaluator. Two kinds of rows:
///
///   sparse  the rows of a search: recorded positions with the logits of their legal moves
///           (kPosition), or positions after those moves, without logits (kAfterstates)
///   dense   all features are nonzero and all logits are requested, so that no work can be skipped
///
/// `latency` is the time of one pass. `dense_gflops` counts the work of a dense pass, even if parts
/// were skipped. `peak_fraction` is the median ratio of that to this thread's multiply-add peak,
/// which is measured before and after each pass over all rows.
Benchmark prepare_forward(const BenchCase& bench);

/// One thread searches recorded positions with the hash evaluator, in settings.lanes lanes like a
/// worker (search/rounds.hpp). So each tree has left the nearest caches when its lane runs again,
/// as in self-play. Trees begin empty and with noise at the root. Moves are generated and features
/// encoded as usual.
///
/// `simulations_per_second` includes the hash evaluator, whose share of the time is reported too;
/// `simulations_per_second_of_tree` excludes it. Counts are from a first pass over the positions,
/// so they are the same in every run.
///
/// settings.table "flat" uses Abseil's hash map in the trees. It changes the times, not the counts.
Benchmark prepare_tree(const BenchCase& bench);

/// One thread plays games from the start position. Legal actions are drawn uniformly (in backgammon
/// an action is a whole play, and each resulting position counts once), dice by their
/// probabilities. settings.seed and the game's number fix its draws. Counts are from the first
/// games, so they are the same in every run.
Benchmark prepare_playout(const BenchCase& bench);

/// Self-play without training and without writing files. Plays on settings.workers threads, each
/// with its own evaluator, and measures for settings.seconds. Several numbers of workers are
/// measured one after the other and compared. Before the measurement, searches with few visits
/// desynchronise the games of the lanes (two games per lane, at most a minute), followed by
/// settings.warmup_seconds with all visits. The games in progress at the end are dropped. Every
/// decision with more than one legal move is searched with all visits and with noise at the root;
/// forced moves are not searched.
///
/// The figures are totals, followed by the shares of each worker's time:
///   forward  time in Evaluator::forward, measured
///   encode   encoding features: number of rows times the cost of a row, which is measured
///            afterwards on positions of the last trees, on all workers' threads in parallel
///   tree     the rest of the time in lanes: descent, move generation, backup, and the rules and
///            records of the games
///   other    the rest: the loop over the lanes, clocks, waiting
///
/// tree_over_forward is the ratio of two of these. Memory and counts of searches are from the trees
/// at the end, most of which are only partly grown. The first run writes settings.trace.
Benchmark prepare_selfplay(const BenchCase& bench);

/// Training steps of settings.train_rows samples by settings.trainer, each for settings.seconds, on
/// the CPU with each number of threads in settings.workers:
///
///   sparse  recorded positions with policy targets for their legal moves (kPosition) or without
///           (kAfterstates)
///   dense   all features are nonzero and every logit has a target
///
/// `dense_gflops` counts three dense forward passes per sample (one forward, two backward), even if
/// parts were skipped. `peak_fraction` is its ratio to the multiply-add peak of one thread, which
/// is measured between steps, times the number of threads; on a device, to the dense roofline of
/// its matrix products. Time is CPU time on one thread, and wall-clock time on several threads and
/// on a device, whose steps are measured from the call to the report.
///
/// settings.saved_batch gets the last sparse batch as a safetensors file of four f32 tensors, so
/// that other programs can train on the same data:
///
///   features  [rows, features]                        dense, most are 0
///   outcomes  [rows, outcomes]                        value targets
///   targets   [rows, max actions]                     policy targets, padded with 0
///   logits    [rows, max actions, logits_per_action]  indices of the logits whose sum is the
///                                                     action's logit, padded with -1
Benchmark prepare_train(const BenchCase& bench);

/// Self-play in parallel with a trainer: how much the trainer slows down self-play. Plays with the
/// game's recipe, like senet selfplay, on settings.players threads, during all runs. Each run
/// measures settings.seconds of play alone and the same time in parallel with settings.trainer; the
/// second is in the middle of the first, so that slow drifts affect both. The trainer does all the
/// work of a run (log, replay, steps, publications, checkpoints), but with a learning rate so small
/// that the weights do not change.
///
///   slowdown            fraction of evaluations per second lost to the trainer
///   swap_time           mean time in which a worker takes over a published network, including
///                       waiting for it; over all runs so far
///   longest_swap_time   maximum of those times
///   publish_time        mean time for which a publication locks the weights store; over all runs
///                       so far
Benchmark prepare_overlap(const BenchCase& bench);

/// Games of a host in one libsenet engine with settings.workers threads, used through senet.hpp.
/// Each game searches, plays the move that was found, and searches again. With several numbers of
/// threads, each has its own case, .../workers-N.
///
///   sessions-N/50-ms       N games in parallel; the time from the start of a search with a limit
///                          of 50 ms (settings.search_ms) to its callback
///   sessions-N/V-visits    N games in parallel, V visits per move (settings.visits)
///   processes-N/V-visits   the same with a `senet uci` process per game, with one request to each
///                          process per round, as a server without libsenet would play them; only
///                          for the largest N and only with settings.processes
///
/// Memory is the proportional set size, summed over all processes of a case.
Benchmark prepare_sessions(const BenchCase& bench);

}  // namespace senet
