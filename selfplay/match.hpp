// Two players, the same openings and the same dice with sides swapped: games whose result can be
// believed and which can be played again.
//
// Everything drawn is a function of seed, pair (openings, dice) or game (what players draw) and
// ply. So a game does not depend on which others are played beside it, before it or not at all, and
// a match that goes on after an interruption plays what it would have played anyway.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "selfplay/match_player.hpp"
#include "selfplay/match_result.hpp"

namespace senet {

struct MatchSettings {
  std::size_t pairs = 100;          // each opening is played twice, with sides swapped; at least 1
  std::uint32_t random_plies = 4;   // moves drawn blindly at the start of games without dice
  std::uint32_t ply_cap = 2000;     // a longer game (dice count) is cut: drawn, and counted
  std::uint64_t seed = 1;           // fixes openings, dice and what the players draw
  std::size_t games_at_once = 256;  // games under way side by side; at least 1
  /// Only this game, if any: number 2 * pair + 0 or 1.
  std::optional<std::uint64_t> only_game = {};
};

/// One finished game of a match.
struct PlayedGame {
  std::uint64_t number = 0;     // 2 * pair, + 1 when the match's first player is player 1 of it
  std::vector<Action> actions;  // all of them: rolls, blind openings and forced moves included
  MatchOutcome outcome;         // as the match's first player sees it

  bool operator==(const PlayedGame&) const = default;
};

/// Which pair a game belongs to.
inline std::uint64_t pair_of(std::uint64_t game) { return game / 2; }
/// Which player of the game the match's first player is.
inline Player first_side_of(std::uint64_t game) { return static_cast<Player>(game & 1); }

/// What a match tells while it is played.
struct MatchHooks {
  /// Called once for each game as it ends. A failure ends the match.
  std::function<Result<void>(const PlayedGame&)> finished;
  /// Asked between moves: true ends the match where it stands. What it told once it goes on
  /// telling.
  std::function<bool()> is_stopped;
};

/// How a match went.
struct MatchRun {
  std::array<PlayerFaults, 2> faults;  // of the first and the second player
  std::optional<Error> fault;          // why it ended early, unless it was told to
};

namespace match_detail {

/// One game under way.
template <Game G>
struct Table {
  G state;
  PlayedGame game;

  std::uint32_t ply() const { return static_cast<std::uint32_t>(game.actions.size()); }
  void play(Action action) {
    state.play(action);
    game.actions.push_back(action);
  }
};

/// The move that nobody chooses in a state that is not over: a roll, a blind opening move, a forced
/// one. None where a player has a choice.
template <Game G>
std::optional<Action> unchosen_action(const G& state, std::uint64_t game, std::uint32_t ply,
                                      const MatchSettings& settings) {
  Random draw(settings.seed, pair_of(game), ply, Purpose::kMatch);
  if (state.turn() == Turn::kChance) {
    if constexpr (StochasticGame<G>) {
      std::array<float, kMaxChance<G>> probability;
      const std::size_t outcomes = state.chance(probability);
      return static_cast<Action>(draw.pick({probability.data(), outcomes}));
    }
  }
  ActionList<G::kMaxLegal> legal;
  state.legal(legal);
  const bool is_blind = !StochasticGame<G> && ply < settings.random_plies;
  if (legal.size() > 1 && !is_blind) return std::nullopt;
  return legal[draw.below(static_cast<std::uint32_t>(legal.size()))];
}

/// Plays up to the next decision; false when there is none, because the game is over or cut.
template <Game G>
bool reach_decision(Table<G>& table, const MatchSettings& settings) {
  while (table.state.turn() != Turn::kOver && table.ply() < settings.ply_cap) {
    const auto action = unchosen_action(table.state, table.game.number, table.ply(), settings);
    if (!action) return true;
    table.play(*action);
  }
  return false;
}

template <Game G>
MatchOutcome outcome_of(const G& state, std::uint64_t game) {
  if (state.turn() != Turn::kOver) return std::nullopt;
  const std::uint8_t outcome = state.outcome();
  return first_side_of(game) == 0 ? outcome : G::kOutcomeMirror[outcome];
}

}  // namespace match_detail

/// Plays a match from its first move to its last.
template <Game G>
class Match {
 public:
  /// The players outlive the match, and may be the same object.
  Match(MatchPlayer<G>& first, MatchPlayer<G>& second, const MatchSettings& settings)
      : players_{&first, &second}, settings_(settings) {}

  /// Plays all games but those whose numbers are in `played` (ascending). An illegal action of
  /// either player, or a player that fails, ends the match and is told in the result.
  MatchRun run(const std::vector<std::uint64_t>& played, const MatchHooks& hooks) {
    MatchRun result;
    const Result<void> ended = play(played, hooks, result);
    if (!ended) result.fault = ended.error();
    for (const std::size_t side : {0, 1}) {
      const PlayerFaults own = players_[side]->faults();
      result.faults[side].illegal += own.illegal;
      result.faults[side].crashes += own.crashes;
    }
    return result;
  }

 private:
  using Table = match_detail::Table<G>;

  Result<void> play(const std::vector<std::uint64_t>& played, const MatchHooks& hooks,
                    MatchRun& result) {
    std::uint64_t next = settings_.only_game.value_or(0);
    const std::uint64_t end = settings_.only_game ? next + 1 : settings_.pairs * 2;
    std::vector<Table> tables;
    // Fills the free tables; games without any decision end on the spot.
    const auto seat = [&]() -> Result<void> {
      for (; next < end && tables.size() < settings_.games_at_once; ++next) {
        if (std::ranges::binary_search(played, next)) continue;
        Table table{.state = {}, .game = {.number = next, .actions = {}, .outcome = {}}};
        if (match_detail::reach_decision(table, settings_)) {
          tables.push_back(std::move(table));
        } else if (const auto told = finish(table, hooks); !told) {
          return told;
        }
      }
      return {};
    };
    if (const auto seated = seat(); !seated) return seated;
    while (!tables.empty()) {
      // By number, not by address: one player may play both sides.
      for (const std::size_t side : {0, 1}) {
        if (hooks.is_stopped()) return {};
        if (const auto moved = move(side, tables, hooks, result); !moved) return moved;
        for (Table& table : tables) {
          if (match_detail::reach_decision(table, settings_)) continue;
          if (const auto told = finish(table, hooks); !told) return told;
        }
        std::erase_if(tables, [&](const Table& table) { return is_over(table); });
        if (const auto seated = seat(); !seated) return seated;
      }
    }
    return {};
  }

  bool is_over(const Table& table) const {
    return table.state.turn() == Turn::kOver || table.ply() >= settings_.ply_cap;
  }

  /// Lets one player move wherever it is to move.
  Result<void> move(std::size_t side, std::vector<Table>& tables, const MatchHooks& hooks,
                    MatchRun& result) {
    states_.clear();
    draws_.clear();
    asked_.clear();
    for (Table& table : tables) {
      const Player player = static_cast<Player>(first_side_of(table.game.number) ^ side);
      if (table.state.turn() != (player == 0 ? Turn::kPlayer0 : Turn::kPlayer1)) continue;
      states_.push_back(table.state);
      draws_.emplace_back(settings_.seed, table.game.number, table.ply(), Purpose::kMove);
      asked_.push_back(&table);
    }
    if (states_.empty()) return {};
    actions_.resize(states_.size());
    if (const Result<void> chosen = players_[side]->choose(states_, draws_, actions_); !chosen) {
      if (chosen.error().status() == SENET_STOPPED && hooks.is_stopped()) return {};
      return fault(side, *asked_[players_[side]->faults().state], chosen.error().reason());
    }
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      ActionList<G::kMaxLegal> legal;
      states_[i].legal(legal);
      if (!std::ranges::binary_search(legal, actions_[i])) {
        ++result.faults[side].illegal;
        return fault(side, *asked_[i],
                     fmt::format("it chose the action {} in {}, where it is not legal", actions_[i],
                                 states_[i].text()));
      }
      asked_[i]->play(actions_[i]);
    }
    return {};
  }

  /// What a player did wrong, with the numbers that the game can be played again by.
  Error fault(std::size_t side, const Table& table, std::string_view reason) const {
    return fail(fmt::format("the {} player in game {} of seed {}, ply {}: {}",
                            side == 0 ? "first" : "second", table.game.number, settings_.seed,
                            table.ply(), reason));
  }

  static Result<void> finish(Table& table, const MatchHooks& hooks) {
    table.game.outcome = match_detail::outcome_of(table.state, table.game.number);
    return hooks.finished(table.game);
  }

  const std::array<MatchPlayer<G>*, 2> players_;
  const MatchSettings settings_;
  // Reused from round to round.
  std::vector<G> states_;
  std::vector<Random> draws_;
  std::vector<Action> actions_;
  std::vector<Table*> asked_;
};

/// Checks that a told game is one of the match with these settings: the openings and rolls are
/// those of the seed, every action is legal, and it ends as told.
template <Game G>
Result<void> check_game(const PlayedGame& game, const MatchSettings& settings) {
  G state;
  std::uint32_t ply = 0;
  for (const Action action : game.actions) {
    if (state.turn() == Turn::kOver || ply >= settings.ply_cap) {
      return fail(fmt::format("ply {} comes after the end", ply));
    }
    const auto unchosen = match_detail::unchosen_action(state, game.number, ply, settings);
    if (unchosen && *unchosen != action) {
      return fail(
          fmt::format("ply {} is not {}, as the seed says", ply, state.action_text(*unchosen)));
    }
    if (!unchosen) {
      ActionList<G::kMaxLegal> legal;
      state.legal(legal);
      if (!std::ranges::binary_search(legal, action)) {
        return fail(fmt::format("ply {} is not legal", ply));
      }
    }
    state.play(action);
    ++ply;
  }
  if (state.turn() != Turn::kOver && ply < settings.ply_cap) return fail("it has no end");
  if (match_detail::outcome_of(state, game.number) != game.outcome) {
    return fail("it ends otherwise than told");
  }
  return {};
}

}  // namespace senet
