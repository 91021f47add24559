// The benchmark of the rules alone: games played blindly from their start to their end.
#pragma once

#include <string>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// One thread plays games from the start position; every legal action of a turn is drawn equally
/// often (in backgammon that is a whole turn, each result once), dice by their probabilities.
/// Games have numbers, and a game's number and settings.seed fix its draws; the counts are of the
/// first games and so the same in every run.
Result<Benchmark> prepare_playout(const std::string& game, const BenchSettings& settings);

}  // namespace senet
