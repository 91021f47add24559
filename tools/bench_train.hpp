// The benchmark of the trainer on the CPU.
#pragma once

#include <string>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// Samples per second that one thread learns from, at batches of 512 and 1024, each for
/// settings.seconds: the median step on positions of random games, with policy targets over all
/// their legal actions (kPosition) or none (kAfterstates).
Result<Figures> bench_train(const std::string& game, const BenchSettings& settings);

}  // namespace senet
