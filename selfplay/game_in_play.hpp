// One self-play game in progress: everything except the search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "games/random_moves.hpp"
#include "games/sound_moves.hpp"
#include "search/search.hpp"
#include "selfplay/game_record.hpp"
#include "selfplay/play_settings.hpp"
#include "selfplay/record_replay.hpp"
#include "selfplay/resignation.hpp"
#include "selfplay/starts.hpp"

namespace senet {

/// Plays the turns that need no search (dice, random openings, forced moves), sets search budgets,
/// plays the searches' decisions and records the game. Every random draw is a function of (seed,
/// game number, ply), so a game does not depend on the lane or thread that plays it; only where it
/// starts does, if that is a hard position.
template <Game G>
class GameInPlay {
 public:
  /// `starts`, where games begin, outlives the object.
  GameInPlay(const PlaySettings& settings, const Starts<G>& starts)
      : settings_(settings),
        starts_(starts),
        start_(starts.game()),
        state_(start_),
        outcomes_(outcome_values(start_).size()),
        resignation_(resign_threshold()) {
    visits_.reserve(most_legal(start_));
    visited_outcomes_.reserve(most_legal(start_) * outcomes_);
  }

  /// Sets up game `number` of the run. `evaluator` and `settings` are copied into its record. If it
  /// starts from a scramble, that has at most `scramble_moves` moves.
  void begin(std::uint64_t number, std::string_view evaluator, std::string_view settings,
             std::uint32_t scramble_moves = std::numeric_limits<std::uint32_t>::max()) {
    set_up(number, evaluator, settings);
    state_ = starts_.draw(start_draws(settings_.seed, number), scramble_moves);
    if (state_.key() != start_.key()) start_elsewhere(state_.text());
  }

  /// Continues a game of this run at its turn. Its record keeps the evaluator and the settings with
  /// which it began. Fails, and must then begin another game, when the rules do not allow what is
  /// in the record, or when its draws are not those of this run.
  Result<void> resume(GameRecord parked) {
    set_up(parked.game_number, parked.evaluator, parked.settings);
    if (parked.seed != settings_.seed || parked.game != record_.game ||
        parked.outcomes != outcomes_) {
      return fail("the game is not of this run");
    }
    if (!parked.start.empty()) {
      const Result<G> other = read_state(start_, parked.start);
      if (!other) return other.error();
      state_ = *other;
      start_elsewhere(parked.start);
    }
    for (const RecordedTurn& turn : parked.turns()) {
      if (auto played = play_recorded(parked, turn, state_); !played) return played;
      ++ply_;
      if (turn.kind == TurnKind::kRandom && random_moves_ > 0) --random_moves_;
      if (turn.has_root) note_search(turn.player, turn.root_value, parked.root_outcomes(turn));
    }
    record_ = std::move(parked);
    return {};
  }

  /// Plays up to the next decision that needs a search; false when the game has ended.
  bool next_decision() {
    for (;; ++ply_) {
      if (record_.end() != EndKind::kNone) return false;
      if (state_.turn() == Turn::kOver) {
        record_.end_played(state_.outcome());
        return false;
      }
      if (ply_ >= settings_.ply_cap) {
        record_.end_cut(recorded(player_count(start_) == 1 ? unsolved() : last_outcomes_));
        return false;
      }
      if (state_.turn() == Turn::kChance) {
        Random draw = random(Purpose::kChance);
        const Action outcome = draw_roll(state_, draw);
        record_.add_chance(outcome);
        state_.play(outcome);
        continue;
      }
      moves_.clear();
      moves_to_consider(state_, moves_);
      if (moves_.size() == 1) {
        make_move(moves_.front(), TurnKind::kForced);
      } else if (random_moves_ > 0) {
        --random_moves_;
        Random draw = random(Purpose::kOpening);
        make_move(draw_one(moves_, draw), TurnKind::kRandom);
      } else {
        Random draw = random(Purpose::kBudget);
        full_ = settings_.full_share >= 1.0f || draw.uniform() < settings_.full_share;
        return true;
      }
    }
  }

  const G& state() const { return state_; }
  /// The budget for the search of state(): the configured visits, capped at `most`.
  SearchBudget budget(std::uint32_t most) const {
    return {.visits = std::min(full_ ? settings_.full_visits : settings_.fast_visits, most),
            .noise = full_ && settings_.noise};
  }
  Random noise() const { return random(Purpose::kNoise); }

  /// Plays the move chosen by a finished search of state() and records the turn. `model` is the id
  /// of the network that evaluated it.
  void take(Search<G>& search, std::uint64_t model) {
    const Decision<G> decision = search.decision();
    const Player mover = state_.turn() == Turn::kPlayer1 ? 1 : 0;
    const float temperature = ply_ < settings_.temperature_plies ? settings_.temperature : 0;
    const Action action = draw_choice(decision, temperature, random(Purpose::kMove));
    const Outcomes<G> chosen = search.outcomes_after(action);
    visits_.clear();
    visited_outcomes_.clear();
    if (search.settings().plies.ply > 0) {
      list_valued(search, decision);
    } else if (full_) {
      for (const Choice& choice : decision.choices) {
        if (choice.target > 0) visits_.push_back({choice.action, choice.target});
      }
    }
    record_.add_decision({.action = action,
                          .player = mover,
                          .kind = full_ ? TurnKind::kFullSearch : TurnKind::kFastSearch,
                          .model = record_.model_index(model),
                          .root_value = decision.value,
                          .root_outcomes = recorded(decision.outcomes),
                          .chosen_outcomes = recorded(chosen),
                          .visits = visits_,
                          .visited_outcomes = visited_outcomes_});
    note_search(mover, decision.value, record_.root_outcomes(record_.turns().back()));
    if (resigns_ && !plays_through_) {
      record_.end_resigned(mover, lost_outcome(mover));
      return;
    }
    state_.play(action);
    ++ply_;
  }

  /// The game: finished, or so far. The caller may move from a finished one; begin() resets it.
  GameRecord& record() { return record_; }
  const GameRecord& record() const { return record_; }

 private:
  static constexpr std::uint32_t kBeforeTheGame = std::numeric_limits<std::uint32_t>::max();

  void set_up(std::uint64_t number, std::string_view evaluator, std::string_view settings) {
    number_ = number;
    state_ = start_;
    ply_ = 0;
    resignation_ = ResignationWatch(resign_threshold());
    resigns_ = false;
    last_outcomes_ = spread_value(state_, 0.0f);
    record_.clear();
    record_.seed = settings_.seed;
    record_.game_number = number;
    record_.outcomes = outcomes_;
    record_.game = std::string(game_name(start_));
    record_.evaluator = evaluator;
    record_.settings = settings;
    // A stream separate from ply 0's: otherwise the first random move would depend on their number.
    Random opening(settings_.seed, number, kBeforeTheGame, Purpose::kOpening);
    random_moves_ = settings_.random_plies == 0 ? 0 : opening.below(settings_.random_plies + 1);
    plays_through_ = opening.uniform() < settings_.resign_play_through;
  }

  // Random moves are for games that would all begin alike.
  void start_elsewhere(std::string position) {
    record_.start = std::move(position);
    random_moves_ = 0;
  }

  Random random(Purpose purpose) const { return {settings_.seed, number_, ply_, purpose}; }

  // Those of the game, which has at most as many as its type.
  std::span<const float> recorded(const Outcomes<G>& outcomes) const {
    return std::span(outcomes).first(outcomes_);
  }

  // The moves that a search by plies has valued at its last ply. Their values are comparable, and
  // each is a training target.
  void list_valued(Search<G>& search, const Decision<G>& decision) {
    for (const Choice& choice : decision.choices) {
      if (choice.visits == decision.visits) visits_.push_back({choice.action, choice.visits});
    }
    std::ranges::sort(visits_, {}, &VisitCount::action);
    for (const VisitCount& valued : visits_) {
      const Outcomes<G> outcomes = search.outcomes_after(valued.action);
      const std::span<const float> shares = recorded(outcomes);
      visited_outcomes_.insert(visited_outcomes_.end(), shares.begin(), shares.end());
    }
  }

  void make_move(Action action, TurnKind kind) {
    record_.add_decision({.action = action,
                          .player = static_cast<Player>(state_.turn() == Turn::kPlayer1),
                          .kind = kind});
    state_.play(action);
  }

  // What later turns need of a search. The outcomes are those in the record, so that a game that
  // was parked ends in the same way.
  void note_search(Player mover, float value, std::span<const std::uint16_t> outcomes) {
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      last_outcomes_[i] = static_cast<float>(outcomes[i]) / 65535;
    }
    if (mover == 1) last_outcomes_ = mirrored(state_, last_outcomes_);
    resigns_ = resignation_.note(mover, value);
  }

  // The one player has not reached the end.
  Outcomes<G> unsolved() const {
    Outcomes<G> outcomes{};
    outcomes[outcomes_ - 1] = 1;
    return outcomes;
  }

  float resign_threshold() const { return settings_.resign_below * value_range(start_); }
  // The smallest loss of `mover` (not a gammon), from player 0's perspective; of the only player,
  // the last outcome.
  std::uint8_t lost_outcome(Player mover) const {
    const auto values = outcome_values(state_);
    if (player_count(state_) == 1) return static_cast<std::uint8_t>(values.size() - 1);
    const auto nearness = [](float value) { return value < 0 ? value : -1e9f; };
    const auto plainest =
        static_cast<std::uint8_t>(std::ranges::max_element(values, {}, nearness) - values.begin());
    return mover == 0 ? plainest : outcome_mirror(state_)[plainest];
  }

  const PlaySettings settings_;
  const Starts<G>& starts_;
  const G start_;
  std::uint64_t number_ = 0;
  G state_;
  std::size_t outcomes_;  // of the game
  std::uint32_t ply_ = 0;
  std::uint32_t random_moves_ = 0;
  bool full_ = true;
  ResignationWatch resignation_;
  bool resigns_ = false;        // the player of the last search
  bool plays_through_ = false;  // resignation does not end this game
  Outcomes<G> last_outcomes_{};
  GameRecord record_;
  ActionList<G::kMaxLegal> moves_;
  std::vector<VisitCount> visits_;
  std::vector<float> visited_outcomes_;  // [visits, outcomes]
};

}  // namespace senet
