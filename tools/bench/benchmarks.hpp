// The benchmarks of senet bench and what each prints. tools/bench/bench_command.cpp lists them.
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

/// Room for so many visits in every tree, of sessions and of processes.
inline constexpr std::uint32_t kBenchTreeVisits = 2000;

/// What the command line says to a benchmark: how workers and searches are made, and more.
struct BenchSettings : WorkerSettings {
  BenchSettings() {
    visits = 0;      // as many as the benchmark's
    batch_rows = 0;  // 64, with afterstates 256
    evaluator = EvaluatorKind::kAuto;
    search.reuse_tree = false;
  }
  std::string game;                   // empty: the standard ones
  std::vector<std::size_t> workers;   // threads; empty: one for each of the hardware's
  std::string network = "seed-283k";  // or a weights file
  std::uint32_t width = 0;            // 0: the reference shape's
  std::optional<std::uint32_t> blocks;
  std::uint64_t seed = 1;
  std::uint32_t recorded_games = 32;               // of self-play, whose positions are measured on
  std::string table = "epoch";                     // of trees, or "flat"
  std::string trace;                               // a file, or empty
  std::vector<std::size_t> sessions{1, 10, 100};   // of an embedding host, at once
  std::uint32_t search_ms = 50;                    // of each of their searches
  bool processes = false;                          // the same games in a process each as well
  std::vector<std::size_t> train_rows{512, 1024};  // samples of a training step
  std::string saved_batch;  // the last sparse batch is written to this file; empty: it is not
  TrainerChoice trainer{.backend = TrainerBackend::kCpu};
  std::size_t players = 0;    // threads that play beside a trainer; 0: default_workers()
  double seconds = 0;         // measured, of each case and run; 0: as long as the benchmark's
  double warmup_seconds = 2;  // played in the same way before that
  bool json = false;          // prints JSON instead of a table
  std::uint32_t repeats = 1;  // runs of each case, at least one
};

/// The figures of one run. A figure that could not be had is NaN: "-" in a table, null in JSON.
using Figures = std::vector<Metric>;

struct Figure {
  std::string_view name;
  double value;
  std::string_view unit;
};

/// Adds the figures of one case.
void add_figures(Figures& figures, const std::string& subject,
                 std::initializer_list<Figure> of_case);

/// A figure that is a share of something; NaN where that is nothing.
inline double ratio(double part, double whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}

/// A benchmark whose inputs are ready: each call is one run, which adds its figures. All runs give
/// the same figures in the same order. Throws an Error.
using Benchmark = absl::AnyInvocable<void(Figures& figures)>;

/// Prints the line that every other figure needs beside it: processor, the instruction set that
/// our kernels use on it, hardware threads, compiler, build type; then the head of the table. JSON:
/// metric "hardware_threads".
void print_machine(const BenchSettings& settings);

/// Runs a benchmark settings.repeats times and prints the median of each figure, the least and the
/// greatest. JSON, one object a line: bench, case, metric, value, unit, min, max, repeats. Throws
/// the benchmark's error.
void run_and_print(const BenchSettings& settings, std::string_view bench, Benchmark run);

/// A network and what a case is called after it: "seed-283k", "width-172-blocks-3", a file's name.
struct BenchNetwork {
  Network network;
  std::string name;
};

/// Fresh weights of `reference`'s shape, with the settings' width and blocks, or the settings'
/// file.
Result<BenchNetwork> bench_network(const BenchSettings& settings, const NetworkSpec& reference);

struct BenchCase;

/// The table of a game (games/registry.hpp): what the benchmarks do with it by its type.
struct BenchGame {
  /// The positions as samples with a drawn outcome and what a search asks about them: the legal
  /// moves as targets, or none with kAfterstates.
  TrainBatch (*sparse_batch)(std::span<const AnyState> positions, const BenchSettings& settings);
  /// Searches each position once, and then as many as there is time for, without a network:
  /// prepare_tree().
  TreeMeasured (*tree)(const BenchCase& bench, std::span<const AnyState> positions);
  /// The same with Abseil's hash map in the trees.
  TreeMeasured (*tree_flat)(const BenchCase& bench, std::span<const AnyState> positions);
  /// prepare_playout()
  PlayoutMeasured (*playout)(const BenchCase& bench);
  /// What it costs to encode what the last searches of a worker asked its network about. Here and
  /// below the worker is one of this game, and the call is on its thread.
  EncodeCost (*encode_cost)(const AnyWorker& worker, Evaluates evaluates);
  /// Adds the trees of a worker as they are.
  void (*count_trees)(const AnyWorker& worker, TreeCounts& sum);

  /// tools/bench/bench_game_of.hpp
  template <Game G>
  static constexpr BenchGame of();
};

/// A game with a network, and settings of which none is left to the benchmark. Outlives the
/// benchmarks that are made of it.
struct BenchCase {
  BenchSettings settings;
  const RunGame& run_game;
  const AnyGame& game;
  const BenchGame& typed;
  Network network;
  std::string network_name;
};

/// `count` positions that were searched in settings.recorded_games games of self-play, spread
/// evenly over all of them and in the order of the games; the same one several times when there are
/// fewer. The games are played as the self-play benchmark plays: the network asked about positions,
/// 100 visits, noise, moves drawn by their visits in the opening. The same seed and network give
/// the same positions. Throws when the games cannot be played.
std::vector<AnyState> recorded_decisions(const BenchCase& bench, std::size_t count);

/// How many fused multiply-adds this machine can do at most: GFLOP/s (a multiply-add is two) in
/// single precision of each instruction set on one thread and on settings.workers threads at once,
/// each thread's fastest few milliseconds added up.
Benchmark prepare_peak(const BenchSettings& settings);

/// Forward passes of 1, 16, 64 and 256 rows on one thread, each for settings.seconds; with kAuto of
/// every fast evaluator. Two kinds of rows:
///
///   sparse  recorded positions with the logits of their legal moves (kPosition), or positions that
///           those moves lead to, without logits (kAfterstates): what a search asks
///   dense   no feature is zero and all logits are wanted, so that nothing can be left out
///
/// `latency` is the time of one pass, `dense_gflops` counts the work of a dense pass, skipped or
/// not, and `peak_fraction` is its share of this thread's multiply-add peak, which is measured
/// before and after each pass through the recorded rows: the median of those ratios.
Benchmark prepare_forward(const BenchCase& bench);

/// One thread searches recorded positions with the hash evaluator, settings.lanes of them side by
/// side as a worker does (search/rounds.hpp). So every tree is out of the nearest caches when its
/// turn comes, as in self-play. Trees begin empty and with noise at the root. Moves are generated
/// and features encoded as ever.
///
/// `simulations_per_second` is of all that, the hash evaluator included, whose share of the time
/// stands beside it; `simulations_per_second_of_tree` leaves the evaluator out. Counts are of a
/// first pass over the positions, and so the same in every run.
///
/// settings.table "flat": with Abseil's hash map in the trees; the counts are the same, the times
/// are not.
Benchmark prepare_tree(const BenchCase& bench);

/// One thread plays games from the start position; every legal action of a turn is drawn equally
/// often (in backgammon that is a whole turn, each result once), dice by their probabilities.
/// Games have numbers, and a game's number and settings.seed fix its draws; the counts are of the
/// first games and so the same in every run.
Benchmark prepare_playout(const BenchCase& bench);

/// Self-play: everything a daemon does but training and writing. Plays games on settings.workers
/// threads (several numbers: one after the other, and the ratios of their speeds), each with an
/// evaluator of its own, and measures while they play, for settings.seconds. Before that, searches
/// of few visits bring the lanes' games apart (two games a lane, at most a minute), and
/// settings.warmup_seconds are played in full. The games under way at the end are dropped. Every
/// decision with more than one legal move is searched with all the visits and with noise at the
/// root; forced moves are not.
///
/// Figures of the whole, then for each worker the shares of its time:
///   forward  inside Evaluator::forward, measured
///   encode   writing features: rows times the cost of a row, which is measured afterwards on the
///            positions of the last trees, by the same threads at the same time
///   tree     the rest of the time inside lanes: descent, move generation, backing up, and the
///            rules and records of the games themselves
///   other    the rest: the loop over the lanes, clocks, waiting
///
/// tree_over_forward compares two of these. Memory and counts of the searches are those of the
/// trees as they are in the end, most of them half grown. The first run writes settings.trace.
Benchmark prepare_selfplay(const BenchCase& bench);

/// Training steps of settings.train_rows samples by settings.trainer, on the CPU on each number of
/// threads in settings.workers, each for settings.seconds:
///
///   sparse  recorded positions with policy targets for their legal moves (kPosition) or none
///           (kAfterstates)
///   dense   no feature is zero and every logit has a target
///
/// `dense_gflops` counts three dense forward passes a sample (one forward, two backward), skipped
/// or not; `peak_fraction` is its share of so many threads' multiply-add peak, one thread's being
/// measured between steps. Time is the thread's own on one thread and the wall's on several and on
/// a device, whose steps are measured from the call to the report.
///
/// settings.saved_batch gets the last sparse batch as a safetensors file of four f32 tensors, for
/// other programs that learn from the same:
///
///   features  [rows, features]                         written out, most are 0
///   outcomes  [rows, outcomes]                         the value's target
///   targets   [rows, most actions]                     the policy's; 0 behind a row's last action
///   logits    [rows, most actions, logits_per_action]  numbers of the logits that an action's
///                                                      logit is the sum of; -1 pads
Benchmark prepare_train(const BenchCase& bench);

/// Self-play with a trainer beside it: what learning costs those who play. Plays by the game's
/// recipe, as senet selfplay does, on settings.players threads, for as long as the benchmark lives.
/// Each run measures settings.seconds of play alone and as long beside settings.trainer, the latter
/// in the middle of the former, so that what changes slowly changes both. The trainer is the whole
/// way from games to weights: log, replay, steps, publications, checkpoints; but at a rate so small
/// that the same network plays all games.
///
///   slowdown            share of the evaluations a second that the trainer costs
///   take_time           of a worker, for taking over a published network, waiting for it included;
///                       the mean of all runs so far
///   longest_take_time   the longest of them
///   publish_time        for which a publication keeps the workers out of the store; as take_time
Benchmark prepare_overlap(const BenchCase& bench);

/// Games of a host's in one libsenet engine with settings.workers threads, through senet.hpp as a
/// host uses it. Each game searches, plays what was found, and searches again. Of several numbers
/// of threads each has its own case, .../workers-N.
///
///   sessions-N/50-ms       N games at once; how long until a search of 50 ms (settings.search_ms)
///                          has called back, from the moment it was begun
///   sessions-N/V-visits    N games at once, V visits a move (settings.visits)
///   processes-N/V-visits   the same with a `senet uci` process for each game, asked together round
///                          by round, as a server without a library has to play them; only for the
///                          greatest N, and if settings.processes
///
/// Memory is what Linux calls the proportional set size, of all processes of a case together.
Benchmark prepare_sessions(const BenchCase& bench);

}  // namespace senet
