#include "tools/benchmarks.hpp"

#include "tools/bench_counts.hpp"
#include "tools/bench_timing.hpp"

namespace senet {
namespace {

Figures run(const BenchCase& bench) {
  constexpr std::uint64_t kCountedGames = 1000;
  constexpr double kSlicePlies = 20'000;  // a few milliseconds
  std::uint64_t next = 0;
  const auto play = [&](std::uint64_t games) {
    PlayoutCounts counts;
    for (const std::uint64_t end = next + games; next < end; ++next) {
      bench.typed.play_out(bench.settings.seed, next, counts);
    }
    return counts;
  };
  const PlayoutCounts counted = play(kCountedGames);
  const double plies_per_game = counted.plies / counted.games;
  const auto games_per_slice = static_cast<std::uint64_t>(kSlicePlies / plies_per_game) + 1;
  const auto slices = measure_slices(bench.settings.seconds, [&]() -> std::array<double, 2> {
    const double began = thread_seconds();
    const PlayoutCounts slice = play(games_per_slice);
    const double time = thread_seconds() - began;
    return {slice.games / time, slice.plies / time};
  });
  Figures figures;
  add_figures(
      figures, std::string(bench.game.name),
      {{"games_per_second", slices.medians[0], "games/s"},
       {"plies_per_second", slices.medians[1], "plies/s"},
       {"plies_per_game", plies_per_game, "plies/game"},
       {"decisions_per_game", counted.decisions / counted.games, "decisions/game"},
       {"legal_moves", counted.legal / counted.decisions, "moves/position"},
       {"first_player_wins", counted.first_player_wins / counted.games, "share"},
       {"allocations_per_game", slices.allocations / static_cast<double>(next - kCountedGames),
        "allocations/game"}});
  return figures;
}

}  // namespace

Benchmark prepare_playout(const BenchCase& bench) {
  return [&bench] { return run(bench); };
}

}  // namespace senet
