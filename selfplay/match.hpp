// Two players, the same openings and the same dice with sides swapped: a score that can be
// believed.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/analyse.hpp"
#include "games/random.hpp"

namespace senet {

/// Chooses moves for many games at once. Belongs to one thread.
template <Game G>
class MatchPlayer {
 public:
  virtual ~MatchPlayer() = default;
  /// actions[i] becomes a legal action of states[i], where a player is to move. `draw` belongs to
  /// this call.
  virtual void choose(std::span<const G> states, std::span<Action> actions, Random draw) = 0;
};

/// Uniform among the legal actions.
template <Game G>
class RandomPlayer final : public MatchPlayer<G> {
 public:
  void choose(std::span<const G> states, std::span<Action> actions, Random draw) override {
    for (std::size_t i = 0; i < states.size(); ++i) {
      ActionList<G::kMaxLegal> legal;
      states[i].legal(legal);
      actions[i] = legal[draw.below(static_cast<std::uint32_t>(legal.size()))];
    }
  }
};

/// The best move of a search without noise.
template <Game G>
class SearchPlayer final : public MatchPlayer<G> {
 public:
  /// The evaluator outlives the player and takes batches of `batch_rows` rows.
  SearchPlayer(Evaluator& evaluator, const SearchSettings& settings, std::uint32_t visits,
               std::size_t batch_rows)
      : analysis_(evaluator, settings, visits, kLanes, batch_rows), visits_(visits) {}
  void choose(std::span<const G> states, std::span<Action> actions, Random) override {
    analysis_.run(states, {.visits = visits_}, 0,
                  [&](std::size_t i, const Decision<G>& decision, Search<G>&) {
                    actions[i] = decision.best();
                  });
  }

 private:
  static constexpr std::size_t kLanes = 64;
  Analysis<G> analysis_;
  std::uint32_t visits_;
};

struct MatchSettings {
  std::size_t pairs = 100;         // each opening is played twice, with sides swapped
  std::uint32_t random_plies = 4;  // moves drawn blindly at the start of games without dice
  std::uint32_t ply_cap = 2000;    // a longer game counts as drawn, and is counted
  std::uint64_t seed = 1;
};

/// The first player's result. Points are the game's values (1 for a win, 2 for a gammon ...).
struct MatchResult {
  std::size_t games = 0, wins = 0, draws = 0, losses = 0, cut = 0;
  double points = 0;        // mean per game
  double points_error = 0;  // standard error of that mean, by pairs
  double score = 0;         // (wins + draws / 2) / games
  double score_error = 0;   // standard error, by pairs
  std::vector<std::size_t>
      outcomes;  // [kOutcomes<G>] how often each way to end, for the first player
};

/// Plays `pairs` pairs of games, all of them side by side. `progress(games finished)` is called now
/// and then.
template <Game G>
MatchResult play_match(MatchPlayer<G>& first, MatchPlayer<G>& second, const MatchSettings& settings,
                       const std::function<void(std::size_t)>& progress) {
  struct Table {
    G state;
    std::uint32_t ply = 0;
    Player first_sits = 0;   // which player `first` is
    std::uint64_t dice = 0;  // the same in both games of a pair
    bool over = false;
  };
  const std::size_t count = settings.pairs * 2;
  std::vector<Table> tables(count);
  for (std::size_t i = 0; i < count; ++i) {
    tables[i].first_sits = static_cast<Player>(i & 1);
    tables[i].dice = i / 2;
  }
  // Dice, blind openings and forced moves, up to the next decision or the end.
  const auto advance = [&](Table& table) {
    for (; table.state.turn() != Turn::kOver && table.ply < settings.ply_cap; ++table.ply) {
      Random draw(settings.seed, table.dice, table.ply, Purpose::kMatch);
      if (table.state.turn() == Turn::kChance) {
        if constexpr (StochasticGame<G>) {
          std::array<float, kMaxChance<G>> probability;
          const std::size_t outcomes = table.state.chance(probability);
          table.state.play(static_cast<Action>(draw.pick({probability.data(), outcomes})));
        }
        continue;
      }
      ActionList<G::kMaxLegal> legal;
      table.state.legal(legal);
      const bool blind = kMaxChance<G> == 0 && table.ply < settings.random_plies;
      if (legal.size() > 1 && !blind) return;
      table.state.play(legal[draw.below(static_cast<std::uint32_t>(legal.size()))]);
    }
    table.over = true;
  };
  std::size_t finished = 0;
  for (Table& table : tables) advance(table), finished += table.over;

  std::vector<G> states;
  std::vector<Action> actions;
  std::vector<Table*> asked;
  for (std::uint32_t round = 0; finished < count; ++round) {
    for (MatchPlayer<G>* player : {&first, &second}) {
      states.clear();
      asked.clear();
      for (Table& table : tables) {
        const Player seat = player == &first ? table.first_sits : other(table.first_sits);
        const Turn wanted = seat == 0 ? Turn::kPlayer0 : Turn::kPlayer1;
        if (table.over || table.state.turn() != wanted) continue;
        states.push_back(table.state);
        asked.push_back(&table);
      }
      actions.resize(states.size());
      if (states.empty()) continue;
      player->choose(states, actions,
                     Random(settings.seed, player == &second, round, Purpose::kMove));
      for (std::size_t i = 0; i < asked.size(); ++i) {
        asked[i]->state.play(actions[i]);
        ++asked[i]->ply;
        advance(*asked[i]);
        finished += asked[i]->over;
      }
    }
    progress(finished);
  }

  MatchResult result;
  result.games = count;
  result.outcomes.resize(kOutcomes<G>);
  double points = 0, points_square = 0, score = 0, score_square = 0;
  for (std::size_t pair = 0; pair < settings.pairs; ++pair) {
    double pair_points = 0, pair_score = 0;
    for (const Table& table : {tables[2 * pair], tables[2 * pair + 1]}) {
      if (table.state.turn() != Turn::kOver) {
        ++result.cut, ++result.draws;
        pair_score += 0.25;
        continue;
      }
      const std::uint8_t seen = table.state.outcome();
      const std::size_t outcome = table.first_sits == 0 ? seen : G::kOutcomeMirror[seen];
      const float value = G::kOutcomeValues[outcome];
      ++result.outcomes[outcome];
      ++(value > 0 ? result.wins : value < 0 ? result.losses : result.draws);
      pair_points += value / 2;
      pair_score += value > 0 ? 0.5 : value < 0 ? 0.0 : 0.25;
    }
    points += pair_points, points_square += pair_points * pair_points;
    score += pair_score, score_square += pair_score * pair_score;
  }
  const auto pairs = static_cast<double>(settings.pairs);
  const auto error = [&](double sum, double square) {
    if (settings.pairs < 2) return 0.0;
    return std::sqrt(std::max(0.0, square - sum * sum / pairs) / (pairs - 1) / pairs);
  };
  result.points = points / pairs;
  result.points_error = error(points, points_square);
  result.score = score / pairs;
  result.score_error = error(score, score_square);
  return result;
}

}  // namespace senet
