// The benchmark of the embedded engine: many games of a host's in one process, beside the same
// games in a process each.
#pragma once

#include <string>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// Games of `game` in one libsenet engine with settings.workers threads, through senet.hpp as a
/// host uses it. Each game searches, plays what was found, and searches again. Of several numbers
/// of threads each has its own case, .../workers-N.
///
///   sessions-N/50-ms       N games at once; how long until a search of 50 ms (settings.search_ms)
///                          has called back, from the moment it was begun
///   sessions-N/V-visits    N games at once, V visits a move (settings.visits)
///   processes-N/V-visits   the same with a `senet uci` process for each game, asked together round
///                          by round; only for the greatest N, and if settings.processes
///
/// Memory is what Linux calls the proportional set size, of all processes of a case together.
Result<Benchmark> prepare_sessions(const std::string& game, const BenchSettings& settings);

}  // namespace senet
