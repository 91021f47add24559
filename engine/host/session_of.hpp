// A session for a game of type G: its tree, its search and its results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/host/host_table.hpp"
#include "engine/host/session.hpp"
#include "search/search.hpp"

namespace senet {

/// A session of a game of type G. These functions are called by one thread at a time.
template <Game G>
class SessionOf final : public Session {
 public:
  SessionOf(ServedGame& served, Service& service, std::uint64_t number,
            MemoryBudget::Reservation memory)
      : Session(service, served, std::move(memory)),
        plan_(served.plan),
        number_(number),
        search_(plan_.settings.search, plan_.tree, *plan_.settings.heap, plan_.edges) {
    search_.set_tablebase(Tablebase<G>(served.tablebase.bytes()));
    result_.outcomes.reserve(kOutcomes<G>);
    result_.choices.reserve(plan_.edges);
    const std::size_t lines = std::min<std::size_t>(plan_.settings.lines, plan_.edges);
    result_.line_actions.reserve(lines * kLongestVariation);
    result_.line_ends.reserve(lines);
    result_.line_outcomes.reserve(lines * kOutcomes<G>);
  }

  /// Bytes of a session, including its tree.
  static std::size_t bytes(const ServedGamePlan& plan) {
    const std::size_t result = plan.edges * sizeof(Choice) + sizeof(Outcomes<G>);
    constexpr std::size_t kLine =
        kLongestVariation * sizeof(Action) + sizeof(std::uint32_t) + sizeof(Outcomes<G>);
    return sizeof(SessionOf) + result +
           std::min<std::size_t>(plan.settings.lines, plan.edges) * kLine +
           Search<G>::bytes(plan.settings.search, plan.tree, plan.edges);
  }

  // For the pool.

  std::size_t place = 0;  // of its search, in the pool's list

  /// Before the first start().
  void share_scratches(ScratchPool<G>& scratches) { search_.share_scratches(scratches); }
  /// Starts the search on the weights with id `model`. If `spare` is null, it begins with an empty
  /// tree.
  void start(std::uint64_t model, std::unique_ptr<Tree<G>>* spare) {
    // A search with noise begins with an empty tree: a root's first visits must not depend on the
    // noise at an earlier root.
    const std::optional<Level>& level = limits().level;
    if (model != model_ || limits().noise || !limits().reuse_tree || level) search_.forget();
    search_.adjust(limits().search.value_or(plan_.settings.search));
    model_ = model;
    ++searches_;
    ending_.reset();
    std::uint32_t asked = limits().visits;
    if (level && (asked == 0 || asked > level->visits)) asked = level->visits;
    most_ = asked == 0 ? plan_.visits : std::min(asked, plan_.visits);
    is_cut_ = most_ != asked;
    search_.start(root_, {most_, limits().noise, limits().actions},
                  Random(plan_.settings.seed, number_, searches_, Purpose::kNoise), spare);
    result_.kept = search_.visits();
  }

  Step gather(Batch& batch) { return search_.gather(batch); }
  void absorb() { search_.absorb(); }
  bool waits() const { return search_.waits(); }

  /// Whether the search has finished; records the reason.
  bool is_complete() {
    if (search_.has_leaf()) return false;
    const std::uint32_t deepest = limits().depth;
    if (visits() >= most_) {
      ending_ = is_cut_ ? Ending::kTreeFull : Ending::kVisits;
    } else if (deepest > 0 && search_.depth() >= deepest) {
      ending_ = Ending::kVisits;
    } else if (search_.is_settled()) {
      ending_ = Ending::kProven;
    }
    return ending_.has_value();
  }
  /// Records the reason after gather() has returned Step::kDone.
  void record_done() {
    if (!is_complete()) ending_ = search_.is_full() ? Ending::kTreeFull : Ending::kVisits;
  }
  /// Whether a stop or the deadline ends it now, given that it has a result; records the reason.
  /// If leaves are in flight, it ends when they are answered, and no more join them.
  bool is_late(ServiceClock::time_point now) {
    if (!is_stopped() && now < deadline()) return false;
    search_.hold();
    if (search_.has_leaf() || visits() == 0) return false;
    ending_ = is_stopped() ? Ending::kStopped : Ending::kTime;
    return true;
  }
  /// Whether it has a result so far and is not in the middle of a visit.
  bool can_show() const { return !search_.has_leaf() && visits() > 0; }

  /// Writes the result so far to result_, which hosts cannot read before hand_back() and whose
  /// memory is reserved.
  void record_result() {
    result_.model = model_;
    result_.ending = ending_.value_or(Ending::kVisits);
    result_.line_actions.clear();
    result_.line_ends.clear();
    result_.line_outcomes.clear();
    const Decision<G> decision = search_.decision();
    result_.value = decision.value;
    result_.outcomes.assign(decision.outcomes.begin(),
                            decision.outcomes.begin() + outcome_values().size());
    result_.visits = decision.visits;
    result_.evaluations = decision.evaluations;
    result_.depth = decision.depth;
    result_.tree_filled = filled();
    result_.choices.assign(decision.choices.begin(), decision.choices.end());
    const Random draw(plan_.settings.seed, number_, searches_, Purpose::kMove);
    result_.action = limits().level ? draw_at_level(decision, *limits().level, draw)
                                    : draw_choice(decision, limits().temperature, draw);
    note_lines(decision.choices);
  }

  /// Abandons the search. Its rows must have been removed from the batch.
  void give_up() { search_.forget(); }

 private:
  void set_root(const AnyState& state) override { root_ = state.as<G>(); }
  std::uint32_t visits() const { return search_.visits(); }
  double filled() const {
    const Tree<G>& tree = search_.tree();
    return std::max(static_cast<double>(tree.size()) / tree.limits().nodes,
                    static_cast<double>(tree.used_words()) / tree.limits().words);
  }
  void note_lines(std::span<const Choice> choices) {
    const std::size_t most = std::min(limits().lines, plan_.settings.lines);
    for (const Choice& choice : choices.first(std::min(most, choices.size()))) {
      const auto line = principal_variation(search_, choice.action);
      const Outcomes<G> outcomes = search_.outcomes_after(choice.action);
      result_.line_actions.insert(result_.line_actions.end(), line.begin(), line.end());
      result_.line_ends.push_back(static_cast<std::uint32_t>(result_.line_actions.size()));
      result_.line_outcomes.insert(result_.line_outcomes.end(), outcomes.begin(),
                                   outcomes.begin() + outcome_values().size());
    }
  }

  const ServedGamePlan& plan_;
  const std::uint64_t number_;  // seeds noise and temperature, with the service's seed
  G root_;
  Search<G> search_;
  std::uint64_t model_ = 0;
  std::uint32_t searches_ = 0;
  std::uint32_t most_ = 0;  // maximum visits of this search ...
  bool is_cut_ = false;     // ... which are fewer than requested
  std::optional<Ending> ending_;
};

}  // namespace senet
