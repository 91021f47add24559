// The benchmark of the rules alone: games played blindly from their start to their end.
#pragma once

#include <cstdint>
#include <string>

#include "games/draws.hpp"
#include "senet/game.hpp"
#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"

namespace senet {

/// Sums over games.
struct PlayoutCounts {
  double games = 0, plies = 0, decisions = 0, legal = 0, first_player_wins = 0;
};

/// Plays the game of that number blindly to its end, and counts.
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

/// One thread plays games from the start position; every legal action of a turn is drawn equally
/// often (in backgammon that is a whole turn, each result once), dice by their probabilities.
/// Games have numbers, and a game's number and settings.seed fix its draws; the counts are of the
/// first games and so the same in every run.
Result<Benchmark> prepare_playout(const std::string& game, const BenchSettings& settings);

}  // namespace senet
