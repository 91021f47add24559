#include "tools/bench_playout.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "games/draws.hpp"
#include "games/registry.hpp"
#include "tools/counted_malloc.hpp"
#include "tools/thread_clock.hpp"

namespace senet {
namespace {

/// Sums over games.
struct PlayoutCounts {
  double games = 0, plies = 0, decisions = 0, legal = 0, first_player_wins = 0;
};

template <Game G>
void play_out(std::uint64_t seed, std::uint64_t number, PlayoutCounts& counts) {
  Random random(seed, number, 0, Purpose::kTest);
  ActionList<G::kMaxLegal> actions;
  G state;
  for (;; ++counts.plies) {
    const Turn turn = state.turn();
    if (turn == Turn::kOver) break;
    if (turn == Turn::kChance) {
      state.play(draw_roll(state, random));
      continue;
    }
    actions.clear();
    state.legal(actions);
    counts.legal += static_cast<double>(actions.size());
    ++counts.decisions;
    state.play(draw_one(actions, random));
  }
  counts.first_player_wins += final_value(state, 0) > 0 ? 1 : 0;
  ++counts.games;
}

template <Game G>
Figures run(const BenchSettings& settings) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t kCountedGames = 1000;
  PlayoutCounts counted;
  for (std::uint64_t game = 0; game < kCountedGames; ++game) {
    play_out<G>(settings.seed, game, counted);
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
      play_out<G>(settings.seed, next++, slice);
    }
    const double time = ThreadClock::now() - began;
    games_rates.push_back(slice.games / time);
    plies_rates.push_back(slice.plies / time);
  } while (Clock::now() < end && games_rates.size() < games_rates.capacity());
  const auto allocations = static_cast<double>(thread_allocations().value_or(0) - before);

  const std::string subject(G::kName);
  Figures figures;
  const auto add = [&](const char* name, double value, const char* unit) {
    figures.push_back({subject, name, value, unit});
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
  return visit_game(game, [&]<class G>(std::type_identity<G>) {
    return Benchmark([settings] { return Result<Figures>(run<G>(settings)); });
  });
}

}  // namespace senet
