// The search of one game's session: its tree, its limits, and what it has found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/host/session_search.hpp"
#include "search/network_alone.hpp"
#include "search/search.hpp"

namespace senet {

/// How large a session's tree is, and what its results have room for.
struct SessionRoom {
  TreeLimits tree;
  std::uint32_t visits;  // no search makes more
  std::uint32_t lines;   // of a result, at most
  std::size_t edges;     // most_edges() of the game
};

/// The search of one game's session. Its calls come from one thread at a time.
template <Game G>
class SessionSearchOf final : public SessionSearch {
 public:
  /// `number` and `seed` draw noise and temperature.
  SessionSearchOf(Session& owner, const SearchSettings& settings, const SessionRoom& room,
                  std::uint64_t seed, std::uint64_t number, Heap& heap)
      : SessionSearch(owner),
        room_(room),
        seed_(seed),
        number_(number),
        search_(settings, room.tree, heap, room.edges) {
    result_.outcomes.reserve(kOutcomes<G>);
    result_.choices.reserve(room.edges);
    const std::size_t lines = std::min<std::size_t>(room.lines, room.edges);
    result_.line_actions.reserve(lines * kLongestVariation);
    result_.line_ends.reserve(lines);
    result_.line_outcomes.reserve(lines * kOutcomes<G>);
  }

  /// Memory of one, its tree included.
  static std::size_t bytes(const SessionRoom& room) {
    const std::size_t result = room.edges * sizeof(Choice) + sizeof(Outcomes<G>);
    constexpr std::size_t kLine =
        kLongestVariation * sizeof(Action) + sizeof(std::uint32_t) + sizeof(Outcomes<G>);
    return sizeof(SessionSearchOf) + result + RootStatistics<G>::bytes(room.edges) +
           std::min<std::size_t>(room.lines, room.edges) * kLine + Tree<G>::bytes(room.tree);
  }

  // The pool's. A scratch has been lent before each of these but the first.

  /// Starts the search on the weights `model`. `spare` may be null: then every search begins with
  /// an empty tree.
  void start(std::uint64_t model, std::unique_ptr<Tree<G>>* spare) {
    // What is known of a root's first moments must not depend on noise that an old root had.
    if (model != model_ || limits().noise) search_.forget();
    model_ = model;
    ++searches_;
    ending_.reset();
    const bool asks_position = search_.settings().evaluates == Evaluates::kPosition;
    is_alone_ = limits().network_alone && (asks_position || !is_decision(state_.turn()));
    if (is_alone_) {
      alone_.start(state_, search_.settings().evaluates);
      return;
    }
    // The network alone: a single visit, which evaluates the moves, of a tree that knows nothing.
    if (limits().network_alone) search_.forget();
    const std::uint32_t asked = limits().network_alone ? 1 : limits().visits;
    most_ = asked == 0 ? room_.visits : std::min(asked, room_.visits);
    is_cut_ = most_ != asked;
    search_.start(state_, {most_, limits().noise},
                  Random(seed_, number_, searches_, Purpose::kNoise), spare);
  }

  Step gather(Batch& batch) { return is_alone_ ? alone_.gather(batch) : search_.gather(batch); }
  void absorb() {
    if (is_alone_) {
      alone_.absorb();
    } else {
      search_.absorb();
    }
  }
  bool has_leaf() const { return is_alone_ ? alone_.has_leaf() : search_.has_leaf(); }
  SearchScratch<G>* lend(SearchScratch<G>* scratch) { return search_.lend(scratch); }

  /// Whether nothing is left to do, with why noted down. Not in the middle of a visit.
  bool is_complete() {
    if (is_alone_) {
      ending_ = Ending::kVisits;
    } else if (visits() >= most_) {
      ending_ = is_cut_ ? Ending::kTreeFull : Ending::kVisits;
    } else if (proven(search_.tree()[search_.root()])) {
      ending_ = Ending::kProven;
    }
    return ending_.has_value();
  }
  /// gather() said that nothing is left to do.
  void note_done() {
    if (!is_complete()) ending_ = Ending::kTreeFull;
  }
  /// Whether it has to end and can, with why it ends noted down.
  bool is_late(ServiceClock::time_point now) {
    if (!can_show()) return false;
    if (is_stopped()) {
      ending_ = Ending::kStopped;
    } else if (now >= deadline()) {
      ending_ = Ending::kTime;
    }
    return ending_.has_value();
  }
  /// Whether it has found something and is not in the middle of a visit.
  bool can_show() const { return !is_alone_ && !search_.has_leaf() && visits() > 0; }

  /// Writes down what it has found. Its session does not read the result before it is handed back,
  /// and there is memory for all of it.
  void note_result() {
    result_.model = model_;
    result_.ending = ending_.value_or(Ending::kVisits);
    result_.line_actions.clear();
    result_.line_ends.clear();
    result_.line_outcomes.clear();
    if (is_alone_) {
      const Outcomes<G> outcomes = alone_.outcomes();
      note(mean_value(state_, outcomes), outcomes);
      result_.evaluations = alone_.evaluations();
      result_.action = 0;
      result_.visits = result_.depth = 0;
      result_.tree_filled = 0;
      result_.choices.clear();
      return;
    }
    const Decision<G> decision = search_.decision();
    note(decision.value, decision.outcomes);
    result_.visits = decision.visits;
    result_.evaluations = decision.evaluations;
    result_.depth = decision.depth;
    result_.tree_filled = filled();
    result_.choices.assign(decision.choices.begin(), decision.choices.end());
    result_.action = draw_choice(decision, limits().temperature,
                                 Random(seed_, number_, searches_, Purpose::kMove));
    note_lines(decision.choices);
    if (limits().network_alone) {
      note(decision.choices.front().value, search_.outcomes_after(decision.best()));
    }
  }

  /// Gives up, rows in a batch or not: they are not answered any more.
  void give_up() {
    search_.forget();
    alone_.forget();
  }

 private:
  void set_root(const AnyState& state) override { state_ = state.as<G>(); }
  std::uint32_t visits() const { return search_.tree()[search_.root()].n; }
  double filled() const {
    const Tree<G>& tree = search_.tree();
    return std::max(static_cast<double>(tree.size()) / tree.limits().nodes,
                    static_cast<double>(tree.used_words()) / tree.limits().words);
  }
  void note(float value, const Outcomes<G>& outcomes) {
    result_.value = value;
    const std::size_t ways = outcome_values(state_).size();
    result_.outcomes.assign(outcomes.begin(), outcomes.begin() + ways);
  }
  void note_lines(std::span<const Choice> choices) {
    const std::size_t most = std::min(limits().lines, room_.lines);
    for (const Choice& choice : choices.first(std::min(most, choices.size()))) {
      const auto line = principal_variation(search_, choice.action);
      const Outcomes<G> outcomes = search_.outcomes_after(choice.action);
      result_.line_actions.insert(result_.line_actions.end(), line.begin(), line.end());
      result_.line_ends.push_back(static_cast<std::uint32_t>(result_.line_actions.size()));
      result_.line_outcomes.insert(result_.line_outcomes.end(), outcomes.begin(),
                                   outcomes.begin() + outcome_values(state_).size());
    }
  }

  const SessionRoom room_;
  const std::uint64_t seed_, number_;
  G state_;
  Search<G> search_;
  NetworkAlone<G> alone_;
  bool is_alone_ = false;  // no search, alone_
  std::uint64_t model_ = 0;
  std::uint32_t searches_ = 0;
  std::uint32_t most_ = 0;  // visits of the search under way ...
  bool is_cut_ = false;     // ... which are fewer than were asked for
  std::optional<Ending> ending_;
};

}  // namespace senet
