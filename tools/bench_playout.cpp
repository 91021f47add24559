#include "tools/bench_playout.hpp"

#include <chrono>
#include <cmath>

#include "tools/counted_malloc.hpp"
#include "tools/programs.hpp"
#include "tools/thread_clock.hpp"

namespace senet {
namespace {

Figures run(const std::string& game, const BenchSettings& settings,
            void (*play_out)(std::uint64_t, std::uint64_t, PlayoutCounts&)) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t kCountedGames = 1000;
  PlayoutCounts counted;
  for (std::uint64_t number = 0; number < kCountedGames; ++number) {
    play_out(settings.seed, number, counted);
  }
  // Slices of a few milliseconds, whose median no passing disturbance touches.
  const double plies_per_slice = 20'000;
  const auto games_per_slice =
      static_cast<std::uint64_t>(plies_per_slice * counted.games / counted.plies) + 1;
  std::vector<double> games_rates, plies_rates;
  for (auto* const rates : {&games_rates, &plies_rates}) rates->reserve(1 << 20);
  const std::uint64_t before = thread_allocations().value_or(0);
  std::uint64_t next = kCountedGames;
  const auto end = Clock::now() + std::chrono::duration<double>(settings.seconds);
  do {
    PlayoutCounts slice;
    const double began = ThreadClock::now();
    for (std::uint64_t i = 0; i < games_per_slice; ++i) {
      play_out(settings.seed, next++, slice);
    }
    const double time = ThreadClock::now() - began;
    games_rates.push_back(slice.games / time);
    plies_rates.push_back(slice.plies / time);
  } while (Clock::now() < end && games_rates.size() < games_rates.capacity());
  const auto allocations = static_cast<double>(thread_allocations().value_or(0) - before);

  Figures figures;
  const auto add = [&](const char* name, double value, const char* unit) {
    figures.push_back({game, name, value, unit});
  };
  add("games_per_second", median_of(std::move(games_rates)), "games/s");
  add("plies_per_second", median_of(std::move(plies_rates)), "plies/s");
  add("plies_per_game", counted.plies / counted.games, "plies/game");
  add("decisions_per_game", counted.decisions / counted.games, "decisions/game");
  add("legal_moves", counted.legal / counted.decisions, "moves/position");
  add("first_player_wins", counted.first_player_wins / counted.games, "share");
  add("allocations_per_game",
      thread_allocations() ? allocations / static_cast<double>(next - kCountedGames) : std::nan(""),
      "allocations/game");
  return figures;
}

}  // namespace

Result<Benchmark> prepare_playout(const std::string& game, const BenchSettings& settings) {
  const Result<const Programs*> programs = find_game<Programs>(game);
  if (!programs) return programs.error();
  return Benchmark([game, settings, play_out = (*programs)->play_out] {
    return Result<Figures>(run(game, settings, play_out));
  });
}

}  // namespace senet
