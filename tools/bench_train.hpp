// The benchmark of the CPU trainer.
#pragma once

#include <string>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// Training steps of 512 and 1024 samples on the calling thread alone, each for settings.seconds:
///
///   sparse  recorded positions with policy targets for their legal moves (kPosition) or none
///           (kAfterstates)
///   dense   no feature is zero and every logit has a target
///
/// `dense_gflops` counts three dense forward passes a sample (one forward, two backward), skipped
/// or not; `peak_fraction` is its share of the thread's multiply-add peak, measured between steps.
Result<Benchmark> prepare_train(const std::string& game, const BenchSettings& settings);

}  // namespace senet
