#include "selfplay/match.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace senet {
namespace {

/// One game in progress.
struct GameInProgress {
  AnyState state;
  PlayedGame game;

  std::uint32_t ply() const { return static_cast<std::uint32_t>(game.actions.size()); }
  void play(Action action) {
    state.play(action);
    game.actions.push_back(action);
  }
};

/// The action in a state where the player has no choice: a roll, a random opening move or a forced
/// move. None in a state with a choice. The game has not ended.
std::optional<Action> forced_or_random_action(const AnyState& state, std::uint64_t game,
                                              std::uint32_t ply, const MatchSettings& settings) {
  Random draw(settings.seed, pair_of(game), ply, Purpose::kMatch);
  if (state.turn() != Turn::kChance && (state.game().has_dice || ply >= settings.random_plies)) {
    std::vector<Action> legal;
    state.legal(legal);
    if (legal.size() > 1) return std::nullopt;
  }
  return draw_action(state, draw);
}

/// Plays up to the next decision; false when there is none because the game has ended or is cut.
bool reach_decision(GameInProgress& one, const MatchSettings& settings) {
  while (one.state.turn() != Turn::kOver && one.ply() < settings.ply_cap) {
    const auto action = forced_or_random_action(one.state, one.game.number, one.ply(), settings);
    if (!action) return true;
    one.play(*action);
  }
  return false;
}

MatchOutcome outcome_of(const AnyState& state, std::uint64_t game) {
  if (state.turn() != Turn::kOver) return std::nullopt;
  const std::uint8_t outcome = state.outcome();
  return first_side_of(game) == 0 ? outcome : state.game().outcome_mirror[outcome];
}

class Match {
 public:
  Match(const AnyGame& game, MatchPlayer& first, MatchPlayer& second, const MatchSettings& settings,
        const MatchHooks& hooks)
      : game_(game), players_{&first, &second}, settings_(settings), hooks_(hooks) {}

  MatchRun run(const std::vector<std::uint64_t>& played) {
    const Result<void> ended = play(played);
    if (!ended) result_.fault = ended.error();
    for (const std::size_t side : {0, 1}) {
      const PlayerFaults own = players_[side]->faults();
      result_.faults[side].illegal += own.illegal;
      result_.faults[side].crashes += own.crashes;
    }
    return std::move(result_);
  }

 private:
  Result<void> play(const std::vector<std::uint64_t>& played) {
    std::uint64_t next = settings_.only_game.value_or(0);
    const std::uint64_t end = settings_.only_game ? next + 1 : settings_.pairs * 2;
    std::vector<GameInProgress> in_progress;
    // Starts games until games_at_once are in progress; games without any decision end immediately.
    const auto start_games = [&]() -> Result<void> {
      for (; next < end && in_progress.size() < settings_.games_at_once; ++next) {
        if (std::ranges::binary_search(played, next)) continue;
        GameInProgress one{.state = AnyState(game_),
                           .game = {.number = next, .actions = {}, .outcome = {}}};
        if (reach_decision(one, settings_)) {
          in_progress.push_back(std::move(one));
        } else if (const auto reported = finish(one); !reported) {
          return reported;
        }
      }
      return {};
    };
    if (const auto started = start_games(); !started) return started;
    while (!in_progress.empty()) {
      // By index, not by address: both sides may be the same player object.
      for (const std::size_t side : {0, 1}) {
        if (hooks_.is_stopped()) return {};
        if (const auto moved = move(side, in_progress); !moved) return moved;
        for (GameInProgress& one : in_progress) {
          if (reach_decision(one, settings_)) continue;
          if (const auto reported = finish(one); !reported) return reported;
        }
        std::erase_if(in_progress, [&](const GameInProgress& one) { return is_over(one); });
        if (const auto started = start_games(); !started) return started;
      }
    }
    return {};
  }

  bool is_over(const GameInProgress& one) const {
    return one.state.turn() == Turn::kOver || one.ply() >= settings_.ply_cap;
  }

  /// Makes one player move in every game where it is to move.
  Result<void> move(std::size_t side, std::vector<GameInProgress>& in_progress) {
    states_.clear();
    draws_.clear();
    asked_.clear();
    for (GameInProgress& one : in_progress) {
      const Player player = static_cast<Player>(first_side_of(one.game.number) ^ side);
      if (one.state.turn() != (player == 0 ? Turn::kPlayer0 : Turn::kPlayer1)) continue;
      states_.push_back(one.state);
      draws_.emplace_back(settings_.seed, one.game.number, one.ply(), Purpose::kMove);
      asked_.push_back(&one);
    }
    if (states_.empty()) return {};
    actions_.resize(states_.size());
    if (const Result<void> chosen = players_[side]->choose(states_, draws_, actions_); !chosen) {
      if (chosen.error().status() == SENET_STOPPED && hooks_.is_stopped()) return {};
      return fault(side, *asked_[players_[side]->faults().state], chosen.error().reason());
    }
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      states_[i].legal(legal_);
      if (!std::ranges::binary_search(legal_, actions_[i])) {
        ++result_.faults[side].illegal;
        return fault(side, *asked_[i],
                     fmt::format("it chose the action {} in {}, where it is not legal", actions_[i],
                                 states_[i].text()));
      }
      asked_[i]->play(actions_[i]);
    }
    return {};
  }

  /// Describes a player's fault, with the numbers needed to replay the game.
  Error fault(std::size_t side, const GameInProgress& one, std::string_view reason) const {
    return fail(fmt::format("the {} player in game {} of seed {}, ply {}: {}",
                            side == 0 ? "first" : "second", one.game.number, settings_.seed,
                            one.ply(), reason));
  }

  Result<void> finish(GameInProgress& one) const {
    one.game.outcome = outcome_of(one.state, one.game.number);
    return hooks_.finished(one.game);
  }

  const AnyGame& game_;
  const std::array<MatchPlayer*, 2> players_;
  const MatchSettings& settings_;
  const MatchHooks& hooks_;
  MatchRun result_;
  // Reused from round to round.
  std::vector<AnyState> states_;
  std::vector<Random> draws_;
  std::vector<Action> actions_, legal_;
  std::vector<GameInProgress*> asked_;
};

}  // namespace

Result<void> check_has_matches(const AnyGame& game) {
  if (game.player_count == 2) return {};
  return fail(fmt::format("{} is a game of one player and has no matches", game.name));
}

MatchRun play_match(const AnyGame& game, MatchPlayer& first, MatchPlayer& second,
                    const MatchSettings& settings, const std::vector<std::uint64_t>& played,
                    const MatchHooks& hooks) {
  if (const auto has = check_has_matches(game); !has) return {.faults = {}, .fault = has.error()};
  return Match(game, first, second, settings, hooks).run(played);
}

Result<MatchResult> match_result(const AnyGame& game, MatchPlayer& first, MatchPlayer& second,
                                 const MatchSettings& settings) {
  std::vector<MatchOutcome> outcomes(settings.pairs * 2);
  const auto keep = [&](const PlayedGame& played) -> Result<void> {
    outcomes[played.number] = played.outcome;
    return {};
  };
  const MatchRun run = play_match(game, first, second, settings, {},
                                  {.finished = keep, .is_stopped = [] { return false; }});
  if (run.fault) return *run.fault;
  return sum_up(outcomes, game.outcome_values);
}

Result<void> check_played_game(const AnyGame& game, const PlayedGame& played,
                               const MatchSettings& settings) {
  AnyState state(game);
  std::uint32_t ply = 0;
  std::vector<Action> legal;
  for (const Action action : played.actions) {
    if (state.turn() == Turn::kOver || ply >= settings.ply_cap) {
      return fail(fmt::format("ply {} comes after the end", ply));
    }
    const auto forced = forced_or_random_action(state, played.number, ply, settings);
    if (forced && *forced != action) {
      return fail(fmt::format("ply {} is not {}, which the seed requires", ply,
                              state.action_text(*forced)));
    }
    if (!forced) {
      state.legal(legal);
      if (!std::ranges::binary_search(legal, action)) {
        return fail(fmt::format("ply {} is not legal", ply));
      }
    }
    state.play(action);
    ++ply;
  }
  if (state.turn() != Turn::kOver && ply < settings.ply_cap) return fail("the game has no end");
  if (outcome_of(state, played.number) != played.outcome)
    return fail("its outcome is not that of its moves");
  return {};
}

}  // namespace senet
