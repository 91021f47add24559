// The benchmark of the trainers.
#pragma once

#include <string>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

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
Result<Benchmark> prepare_train(const std::string& game, const BenchSettings& settings);

}  // namespace senet
