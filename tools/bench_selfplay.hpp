// The benchmark of self-play: everything a daemon does but training and writing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"
#include "tools/selfplay_counts.hpp"
#include "tools/tree_counts.hpp"

namespace senet {

/// What a trace shows: a few hundredths of a second of one worker.
inline constexpr std::size_t kTracedPasses = 200;

/// What it costs to encode positions; means over them.
struct EncodeCost {
  double nanoseconds = 0;  // of encoding one into a batch
  double nonzeros = 0;     // features it writes
};

struct Measured {
  double seconds = 0, warmup_seconds = 0;
  double games = 0, decisions = 0, plies = 0;  // of games that ended
  std::vector<WorkerCounts> workers;
  std::vector<EncodeCost> encode;
  TreeCounts trees;
  double resident = 0;
};

/// Plays games of `game` on settings.workers threads (several numbers: one after the other, and the
/// ratios of their speeds), each with an evaluator of its own, and
/// measures while they play, for settings.seconds. Before that, searches of few visits bring the
/// lanes' games apart (two games a lane, at most a minute), and settings.warmup_seconds are played
/// in full. The games under way at the end are dropped. Every decision with more than one legal
/// move is searched with all the visits and with noise at the root; forced moves are not.
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
/// trees as they are in the end, most of them half grown. A `trace_file` (none when empty) gets the
/// first run's trace; see WorkerTrace.
Result<Benchmark> prepare_selfplay(const std::string& game, const BenchSettings& settings,
                                   const std::string& trace_file);

}  // namespace senet
