// The benchmark of self-play with a trainer beside it: what learning costs those who play.
#pragma once

#include <string>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// Plays `game` by its recipe, as senet selfplay does, on settings.workers.front() threads, for as
/// long as the benchmark lives. Each run measures settings.seconds of play alone and as long beside
/// settings.trainer, the latter in the middle of the former, so that what changes slowly changes
/// both. The trainer is the whole way from games to weights: log, replay, steps, publications,
/// checkpoints; but at a rate so small that the same network plays all games.
///
///   slowdown            share of the evaluations a second that the trainer costs
///   take_time           of a worker, for taking over a published network, waiting for it included;
///                       the mean of all runs so far
///   longest_take_time   the longest of them
///   publish_time        for which a publication keeps the workers out of the store; as take_time
Result<Benchmark> prepare_overlap(const std::string& game, const BenchSettings& settings);

}  // namespace senet
