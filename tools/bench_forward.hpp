// The benchmark of the forward pass: every evaluator at several batch sizes, on one thread.
#pragma once

#include <string>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// States per second at batches of 1, 16, 64 and 256 rows, each for settings.seconds; with kAuto of
/// every fast evaluator. Rows are positions of random games with the logits of their legal actions
/// (kPosition), or those positions' successors without logits (kAfterstates). `dense_gflops` counts
/// the work of a dense pass, skipped or not, and `share_of_peak` is its share of `peak`, one
/// thread's GFLOP/s.
Result<Figures> bench_forward(const std::string& game, const BenchSettings& settings, double peak);

}  // namespace senet
