// Two players, the same openings and the same dice with sides swapped: a score that can be
// believed.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "engine/analyse.hpp"
#include "games/random.hpp"
#include "selfplay/match_result.hpp"

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
  /// Searches of `visits` visits (at least 1), `lanes` of them side by side, a tree each. The
  /// evaluator outlives the player and takes batches of `batch_rows` rows.
  SearchPlayer(Evaluator& evaluator, const SearchSettings& settings, std::uint32_t visits,
               std::size_t lanes, std::size_t batch_rows)
      : analysis_(evaluator, settings, visits, lanes, batch_rows), visits_(visits) {}
  void choose(std::span<const G> states, std::span<Action> actions, Random) override {
    analysis_.run(states, {.visits = visits_}, 0,
                  [&](std::size_t i, const Decision<G>& decision, const Search<G>&) {
                    actions[i] = decision.best();
                  });
  }

 private:
  Analysis<G> analysis_;
  std::uint32_t visits_;
};

struct MatchSettings {
  std::size_t pairs = 100;         // each opening is played twice, with sides swapped; at least 1
  std::uint32_t random_plies = 4;  // moves drawn blindly at the start of games without dice
  std::uint32_t ply_cap = 2000;    // a longer game (dice count) is cut: drawn, and counted
  std::uint64_t seed = 1;          // fixes openings, dice and what the players draw
};

namespace match_detail {

/// One game under way.
template <Game G>
struct Table {
  G state;
  std::uint64_t pair = 0;  // both games of a pair share openings and dice
  std::uint32_t ply = 0;
  Player first_side = 0;  // which player of its game the match's first player is
  bool over = false;      // finished or cut
};

/// Plays dice, blind openings and forced moves, up to the next decision or the end.
template <Game G>
void play_until_decision(Table<G>& table, const MatchSettings& settings) {
  for (; table.state.turn() != Turn::kOver && table.ply < settings.ply_cap; ++table.ply) {
    Random draw(settings.seed, table.pair, table.ply, Purpose::kMatch);
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
    const bool is_blind = !StochasticGame<G> && table.ply < settings.random_plies;
    if (legal.size() > 1 && !is_blind) return;
    table.state.play(legal[draw.below(static_cast<std::uint32_t>(legal.size()))]);
  }
  table.over = true;
}

template <Game G>
MatchGame result_of(const Table<G>& table) {
  if (table.state.turn() != Turn::kOver) return std::nullopt;
  const std::uint8_t outcome = table.state.outcome();
  return table.first_side == 0 ? outcome : G::kOutcomeMirror[outcome];
}

}  // namespace match_detail

/// Plays `pairs` pairs of games, all of them side by side. Calls `progress(games finished)` now and
/// then. The same settings and players give the same games, whatever else happens. `first` and
/// `second` may be the same object.
template <Game G>
MatchResult play_match(MatchPlayer<G>& first, MatchPlayer<G>& second, const MatchSettings& settings,
                       const std::function<void(std::size_t)>& progress) {
  using Table = match_detail::Table<G>;
  std::vector<Table> tables(settings.pairs * 2);
  std::size_t finished = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    tables[i].pair = i / 2;
    tables[i].first_side = static_cast<Player>(i & 1);
    match_detail::play_until_decision(tables[i], settings);
    finished += tables[i].over;
  }

  std::vector<G> states;
  std::vector<Action> actions;
  std::vector<Table*> asked;
  for (std::uint32_t round = 0; finished < tables.size(); ++round) {
    // By number, not by address: one player may play both sides.
    for (const bool is_first : {true, false}) {
      states.clear();
      asked.clear();
      for (Table& table : tables) {
        const Player side = is_first ? table.first_side : other(table.first_side);
        const Turn wanted = side == 0 ? Turn::kPlayer0 : Turn::kPlayer1;
        if (table.over || table.state.turn() != wanted) continue;
        states.push_back(table.state);
        asked.push_back(&table);
      }
      if (states.empty()) continue;
      actions.resize(states.size());
      MatchPlayer<G>& player = is_first ? first : second;
      player.choose(states, actions,
                    Random(settings.seed, is_first ? 0 : 1, round, Purpose::kMove));
      for (std::size_t i = 0; i < asked.size(); ++i) {
        asked[i]->state.play(actions[i]);
        ++asked[i]->ply;
        match_detail::play_until_decision(*asked[i], settings);
        finished += asked[i]->over;
      }
      progress(finished);
    }
  }

  std::vector<MatchGame> games;
  for (const Table& table : tables) games.push_back(match_detail::result_of(table));
  return sum_up(games, G::kOutcomeValues);
}

}  // namespace senet
