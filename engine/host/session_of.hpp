// A session of one game: its state, its tree, and its side of the searches.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "engine/host/ledger.hpp"
#include "engine/host/session.hpp"
#include "engine/host/table_game.hpp"
#include "search/search.hpp"

namespace senet {

template <Game G>
class SearchPool;

/// What a search wants next.
enum class Progress : std::uint8_t {
  kAsked,   // its rows are in the batch
  kNoRoom,  // the batch has no room for (all of) its rows: run it, then go on
  kPaused,  // it has made some visits that need no network; others may have their turn
  kOver,    // read its result
};

/// See Session. Its searches run in a pool, on one thread at a time.
template <Game G>
class SessionOf final : public Session {
 public:
  /// The tree has room for searches of `visits` visits. `number` and `seed` draw noise and
  /// temperature.
  SessionOf(const G& start, const SearchSettings& settings, std::uint32_t visits,
            std::uint64_t seed, std::uint64_t number, Charge memory, Heap& heap)
      : memory_(std::move(memory)),
        most_visits_(visits),
        seed_(seed),
        number_(number),
        state_(start),
        search_(settings, limits_for(start, visits, settings.evaluates), heap) {
    move_to(start);
    result_.outcomes.reserve(kOutcomes<G>);
    result_.choices.reserve(kMaxEdges<G>);
  }

  /// Memory of one, its tree included.
  static std::size_t bytes(std::uint32_t visits, Evaluates evaluates) {
    constexpr std::size_t kResult = kMaxEdges<G> * sizeof(Choice) + sizeof(Outcomes<G>);
    constexpr std::size_t kStatistics = kMaxEdges<G> * (sizeof(Outcomes<G>) + 4);
    return sizeof(SessionOf) + kResult + kStatistics +
           Tree<G>::bytes(limits_for<G>(visits, evaluates)) + 1024;
  }

 private:
  friend class SearchPool<G>;

  // The host's side.
  Result<void> set_position(std::string_view text, std::span<const Action> actions) override {
    Result<G> read = read_position(state_, text);
    if (!read) return fail(SENET_BAD_ARGUMENT, read.error().reason());
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (!is_legal(*read, actions[i])) {
        return fail(SENET_BAD_ACTION, "action " + std::to_string(i + 1) + " of " +
                                          std::to_string(actions.size()) + " is not legal in " +
                                          read->text());
      }
      read->play(actions[i]);
    }
    move_to(*read);
    return {};
  }
  Result<void> play_action(Action action) override {
    if (!is_legal_now(action)) return not_legal(state_, action);
    G next = state_;
    next.play(action);  // a host's may throw
    move_to(next);
    return {};
  }
  Turn turn_now() const override { return state_.turn(); }
  std::span<const Action> legal_now() const override { return {legal_.data(), legal_.size()}; }
  std::vector<float> chance_now() const override {
    std::vector<float> probabilities(kMaxChance<G>);
    if constexpr (StochasticGame<G>) {
      const bool here = state_.turn() == Turn::kChance;
      probabilities.resize(here ? state_.chance(probabilities) : 0);
    }
    return probabilities;
  }
  std::uint8_t outcome_now() const override { return state_.outcome(); }

  Result<std::string> position_text() const override { return told(write_position(position())); }
  Result<std::string> text_of(Action action) const override {
    std::unique_lock lock(mutex_);
    const bool legal = is_legal_now(action);
    const G state = state_;
    lock.unlock();
    return legal ? told(write_action(state, action)) : not_legal(state, action);
  }
  Result<Action> action_of(std::string_view text) const override {
    Result<Action> action = position().action_from_text(text);
    if (!action) return fail(SENET_BAD_ACTION, action.error().reason());
    return *action;
  }
  G position() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }

  void move_to(const G& state) {
    ActionList<G::kMaxLegal> legal;
    if (is_decision(state.turn())) state.legal(legal);  // a host's may throw
    legal_ = legal;
    state_ = state;
  }
  static Error not_legal(const G& state, Action action) {
    return fail(SENET_BAD_ACTION,
                "action " + std::to_string(action) + " is not legal in " + state.text());
  }
  bool is_legal_now(Action action) const {
    return is_chance_outcome(state_, action) || std::ranges::binary_search(legal_now(), action);
  }
  static bool is_legal(const G& state, Action action) {
    if (!is_decision(state.turn())) return is_chance_outcome(state, action);
    ActionList<G::kMaxLegal> list;
    state.legal(list);
    return std::ranges::binary_search(list, action);
  }
  static bool is_chance_outcome(const G& state, Action action) {
    if constexpr (StochasticGame<G>) {
      std::array<float, kMaxChance<G>> probability;
      return state.turn() == Turn::kChance && action < state.chance(probability);
    }
    return false;
  }

  // The searching thread's side; a scratch has been lent before each of these but the first.

  /// Starts the search that the host asked for, on the weights `model`.
  void start(std::uint64_t model, std::unique_ptr<Tree<G>>& spare) {
    if (model != model_) search_.forget();
    model_ = model;
    ++searches_;
    most_ = limits_.visits == 0 ? most_visits_ : std::min(limits_.visits, most_visits_);
    // What is known of a root's first moments must not depend on noise that an old root had.
    if (limits_.noise) search_.forget();
    granted_ = std::min(most_, kGrant);
    search_.start(state_, {most_, limits_.noise},
                  Random(seed_, number_, searches_, Purpose::kNoise), &spare);
    search_.set_visits(granted_);
    ending_.reset();
  }

  /// Goes on with the visit under way, or makes one: see Progress.
  Progress advance(Batch& batch, ServiceClock::time_point now) {
    if (is_late(now)) return Progress::kOver;
    const Step step = search_.gather(batch);
    if (step == Step::kBatchFull) return Progress::kNoRoom;
    if (step == Step::kWaiting) return Progress::kAsked;
    if (step == Step::kPaused) return Progress::kPaused;
    // Visits are granted some at a time: where they need no network, gather() would otherwise come
    // back, and look at the clock, after the last of them only.
    if (is_complete()) return Progress::kOver;
    if (visits() < granted_) {
      ending_ = Ending::kTreeFull;
      return Progress::kOver;
    }
    granted_ = std::min(most_, granted_ + kGrant);
    search_.set_visits(granted_);
    return Progress::kPaused;
  }

  /// Whether nothing is left to do, with why noted down. Not in the middle of a visit.
  bool is_complete() {
    if (visits() >= most_) {
      ending_ = limits_.visits == most_ ? Ending::kVisits : Ending::kTreeFull;
    } else if (proven(search_.tree()[search_.root()])) {
      ending_ = Ending::kProven;
    }
    return ending_.has_value();
  }

  /// Whether it has to end and can, with why it ends noted down.
  bool is_late(ServiceClock::time_point now) {
    if (search_.has_leaf() || visits() == 0) return false;
    if (stop_.load(std::memory_order_relaxed)) {
      ending_ = Ending::kStopped;
    } else if (now >= deadline_) {
      ending_ = Ending::kTime;
    }
    return ending_.has_value();
  }

  // Nobody looks at it before the search has ended, and there is memory for all of it.
  void note_result() {
    const Decision<G> decision = search_.decision();
    result_.ending = *ending_;
    result_.value = decision.value;
    result_.visits = decision.visits;
    result_.evaluations = decision.evaluations;
    result_.depth = decision.depth;
    result_.model = model_;
    result_.outcomes.assign(decision.outcomes.begin(), decision.outcomes.end());
    result_.choices.assign(decision.choices.begin(), decision.choices.end());
    result_.action = chosen(decision);
  }

  bool has_to_end(ServiceClock::time_point now) const {
    return stop_.load(std::memory_order_relaxed) || now >= deadline_;
  }

  static constexpr std::uint32_t kGrant = 64;

  std::uint32_t visits() const { return search_.tree()[search_.root()].n; }
  Action chosen(const Decision<G>& decision) const {
    if (!(limits_.temperature > 0) || decision.proven) return decision.best();
    std::vector<float> weights;
    weights.reserve(decision.choices.size());
    const float most = static_cast<float>(std::max(1u, decision.most_visits()));
    for (const Choice& choice : decision.choices) {
      weights.push_back(
          std::pow(static_cast<float>(choice.visits) / most, 1 / limits_.temperature));
    }
    Random draw(seed_, number_, searches_, Purpose::kMove);
    return decision.choices[draw.pick(weights)].action;
  }

  const Charge memory_;
  const std::uint32_t most_visits_;
  const std::uint64_t seed_, number_;
  G state_;  // the same for as long as a search is under way: its thread reads it without the lock
  // Of state_, once they have been asked for: a host that names all moves asks again for each.
  // In state_. Found while nobody searches: a host's function that took its time under the lock
  // would hold up the thread that ends searches.
  ActionList<G::kMaxLegal> legal_;
  Search<G> search_;
  std::uint64_t model_ = 0;
  std::uint32_t searches_ = 0;
  std::uint32_t most_ = 0, granted_ = 0;  // visits of the search under way
  std::uint64_t next_turn_ = 0;           // the pool's
  std::optional<Ending> ending_;
};

}  // namespace senet
