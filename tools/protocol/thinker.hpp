// The player of a seat: one network, one tree, one search at a time on the calling thread.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "games/registry.hpp"
#include "search/principal_variation.hpp"
#include "search/search.hpp"
#include "tools/protocol/seat.hpp"
#include "tools/search_setup.hpp"

namespace senet::protocol {

/// Searches from an empty tree every time, so that an answer depends on nothing but the position,
/// the settings and the budget.
template <Game G>
class Thinker {
 public:
  /// Loads the network if `change` says so, and builds what stands on it, the tree included, so
  /// that no search has to. The old player stays when that fails.
  Result<void> configure(const Options& options, Change change) {
    if (change == Change::kNothing) return {};
    std::optional<Network> loaded;
    if (change >= Change::kNetwork || !network_) {
      Result<Network> network = open_network(network_source(options), reference_spec<G>());
      if (!network) return network.error();
      loaded.emplace(std::move(*network));
    }
    SearchOptions search = options.search;
    search.lanes = 1;
    Result<SearchSetup> setup =
        set_up_search<G>(loaded ? *loaded : *network_, search, /*visits=*/1);
    if (!setup) return setup.error();
    const std::size_t bytes = std::size_t{options.hash_mib} << 20;
    const std::uint32_t capacity = visits_that_fit<G>(bytes, setup->settings.evaluates);
    if (capacity == 0) return fail("Hash is too small for a single visit");
    auto batch = std::make_unique<Batch>(setup->batch_rows, G::kMaxActive);
    search_.reset();  // the memory may not hold two trees
    auto ready = make_search(setup->settings, capacity);
    if (loaded) network_ = std::move(*loaded);
    setup_ = std::move(*setup);
    capacity_ = capacity;
    batch_ = std::move(batch);
    search_ = std::move(ready);
    return {};
  }

  /// Its next search reserves nothing; false only after a configure() that did not find the memory.
  bool is_reserved() const { return search_ != nullptr; }

  Thought think(const G& state, const ThinkLimits& limits, std::size_t variations,
                const std::function<void(const Thought&)>& progress) {
    search(state, limits, [&] { progress(thought(state, variations)); });
    return thought(state, variations);
  }

  /// The result of a search without progress; valid until the next one.
  Decision<G> decide(const G& state, const ThinkLimits& limits) {
    search(state, limits, [] {});
    return search_->decision();
  }

  Evaluation evaluate(const G& state) {
    const bool asks_position = setup_.settings.evaluates == Evaluates::kPosition;
    if constexpr (StochasticGame<G>) {
      // A network that learnt from positions has never seen one without its roll.
      if (state.turn() == Turn::kChance) {
        return worth(asks_position ? mean_over_rolls(state) : outcomes_of(state));
      }
    }
    if (asks_position) return worth(outcomes_of(state));
    const Decision<G> decision = decide(state, {.visits = 1});
    return worth(search_->outcomes_after(decision.best()), decision.choices.front().value);
  }

  static Evaluation worth(const Outcomes<G>& outcomes) {
    return worth(outcomes, mean_value(G{}, outcomes));
  }

 private:
  // So many visits are granted at a time: where visits need no network, gather() would otherwise
  // not come back before the last of them.
  static constexpr std::uint32_t kSlice = 1024;
  static constexpr std::chrono::seconds kProgressEvery{1};

  static std::unique_ptr<Search<G>> make_search(const SearchSettings& settings,
                                                std::uint32_t visits) {
    return std::make_unique<Search<G>>(settings, limits_for<G>(visits, settings.evaluates));
  }

  static Evaluation worth(const Outcomes<G>& outcomes, float value) {
    Evaluation evaluation;
    evaluation.value = value;
    Chances& chances = evaluation.chances;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const float end = G::kOutcomeValues[i];
      const double share = outcomes[i];
      (end > 0 ? chances.win : end < 0 ? chances.lose : chances.draw) += share;
      if (end >= 2) chances.win_gammon += share;
      if (end >= 3) chances.win_backgammon += share;
      if (end <= -2) chances.lose_gammon += share;
      if (end <= -3) chances.lose_backgammon += share;
    }
    return evaluation;
  }

  void forward() {
    setup_.evaluator->forward(*batch_);
    batch_->clear();
  }

  // As viewer() sees it; `state` is not over.
  // A network has never learnt from a position with a forced move: it is asked what follows.
  Outcomes<G> outcomes_of(const G& state) {
    G asked = state;
    play_forced(asked);
    Outcomes<G> outcomes{};
    Player told_to = 0;
    if (asked.turn() == Turn::kOver) {
      outcomes[asked.outcome()] = 1;
    } else {
      batch_->add({outcomes, {}, nullptr}, [&](FeatureRow& row) { asked.encode(row); });
      forward();
      told_to = asked.viewer();
    }
    return told_to == state.viewer() ? outcomes : mirrored(state, outcomes);
  }

  Outcomes<G> mean_over_rolls(const G& state) {
    std::array<float, G::kMaxChance> probabilities;
    const std::size_t rolls = state.chance(probabilities);
    Outcomes<G> mean{};
    for (std::size_t i = 0; i < rolls; ++i) {
      G rolled = state;
      rolled.play(static_cast<Action>(i));
      const Outcomes<G> outcomes = outcomes_of(rolled);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += probabilities[i] * outcomes[k];
    }
    return mean;
  }

  std::uint32_t visits() const { return search_->tree()[search_->root()].n; }

  template <class Progress>
  void search(const G& state, const ThinkLimits& limits, Progress&& progress) {
    if (!is_reserved()) search_ = make_search(setup_.settings, capacity_);
    const std::uint32_t most = std::max(limits.visits, 1u);
    std::uint32_t granted = std::min(most, kSlice);
    batch_->clear();
    search_->start(state, {.visits = granted}, Random(0, 0, 0, Purpose::kNoise));
    Clock::time_point told = Clock::now();
    for (bool ends = false;;) {
      const Step step = search_->gather(*batch_);
      if (step == Step::kWaiting || step == Step::kBatchFull) {
        forward();
        if (step == Step::kWaiting) search_->absorb();
      } else if (step == Step::kPaused) {
        // Goes on below, unless its time is over.
      } else if (ends || granted == most || visits() < granted) {
        return;  // all of it, or proven, or full
      } else {
        granted = std::min(most, granted + kSlice);
        search_->set_visits(granted);
      }
      if (ends) continue;
      const Clock::time_point now = Clock::now();
      if ((limits.until && now >= *limits.until) || (limits.goes_on && !limits.goes_on())) {
        ends = true;
        search_->set_visits(1);
      } else if (now - told >= kProgressEvery && visits() > 0) {
        told = now;
        progress();
      }
    }
  }

  Thought thought(const G& state, std::size_t variations) {
    const Decision<G> decision = search_->decision();
    Thought thought;
    thought.visits = decision.visits;
    thought.evaluations = decision.evaluations;
    thought.depth = decision.depth;
    thought.tree_filled = filled();
    thought.proven = decision.proven;
    thought.full = decision.full;
    for (const Choice& choice :
         decision.choices.first(std::min(variations, decision.choices.size()))) {
      Variation variation;
      variation.worth = worth(search_->outcomes_after(choice.action), choice.value);
      variation.visits = choice.visits;
      G at = state;
      for (const Action action : principal_variation(*search_, choice.action)) {
        variation.moves.push_back(at.action_text(action));
        at.play(action);
      }
      thought.variations.push_back(std::move(variation));
    }
    return thought;
  }

  double filled() const {
    const auto& tree = search_->tree();
    const double nodes = static_cast<double>(tree.size()) / tree.limits().nodes;
    const double words = static_cast<double>(tree.used_words()) / tree.limits().words;
    return std::max(nodes, words);
  }

  std::optional<Network> network_;
  SearchSetup setup_;
  std::uint32_t capacity_ = 0;
  std::unique_ptr<Batch> batch_;
  std::unique_ptr<Search<G>> search_;
};

}  // namespace senet::protocol
