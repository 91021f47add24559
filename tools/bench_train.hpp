// The benchmark of the CPU trainer.
#pragma once

#include <string>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// Training steps of 512 and 1024 samples on each number of threads in settings.workers, each for
/// settings.seconds:
///
///   sparse  recorded positions with policy targets for their legal moves (kPosition) or none
///           (kAfterstates)
///   dense   no feature is zero and every logit has a target
///
/// `dense_gflops` counts three dense forward passes a sample (one forward, two backward), skipped
/// or not; `peak_fraction` is its share of so many threads' multiply-add peak, one thread's being
/// measured between steps. Time is the thread's own on one thread and the wall's on several.
Result<Benchmark> prepare_train(const std::string& game, const BenchSettings& settings);

}  // namespace senet
