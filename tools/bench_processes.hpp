// Many games in a process each, as a server without a library has to play them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>

#include "senet/result.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// Room for so many visits in every tree, of sessions and of processes.
inline constexpr std::uint32_t kBenchTreeVisits = 2000;

struct ProcessLoad {
  double searches_per_second = 0;
  double memory_mib = 0;  // of all of them and of this process
};

/// `count` processes of this program as `senet uci` with these weights. Round by round all are
/// asked for a search of settings.visits, then all answers are taken; a round that is under way
/// when settings.seconds are over is the last.
Result<ProcessLoad> run_processes(const std::string& game, const std::string& weights,
                                  std::size_t count, const BenchSettings& settings);

/// The proportional set sizes of this process and of `others` together, in MiB: pages that several
/// use are shared out. None where the system does not tell.
std::optional<double> shared_out_mib(std::span<const pid_t> others);

}  // namespace senet
