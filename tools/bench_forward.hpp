// The benchmark of the forward pass: every evaluator at several batch sizes, on one thread.
#pragma once

#include <string>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// Forward passes of 1, 16, 64 and 256 rows, each for settings.seconds; with kAuto of every fast
/// evaluator. Two kinds of rows:
///
///   sparse  recorded positions with the logits of their legal moves (kPosition), or positions that
///           those moves lead to, without logits (kAfterstates): what a search asks
///   dense   no feature is zero and all logits are wanted, so that nothing can be left out
///
/// `latency` is the time of one pass, `dense_gflops` counts the work of a dense pass, skipped or
/// not, and `peak_fraction` is its share of this thread's multiply-add peak, which is measured
/// before and after each pass through the recorded rows: the median of those ratios.
Result<Benchmark> prepare_forward(const std::string& game, const BenchSettings& settings);

}  // namespace senet
