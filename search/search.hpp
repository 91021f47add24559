// Monte Carlo tree search as two calls: gather() descends until the network is needed and writes
// rows, absorb() processes the answers. Threads, locks, fibers and allocation are left to the
// caller.
//
//   start() --> gather() --> descent.hpp: down to a leaf --> expansion.hpp: rows into the batch
//                  ^                        |                      (the evaluator runs)
//                  |                        v                             |
//               backup.hpp: values and proofs up the path  <--  expansion.hpp: edges <-- absorb()
//
// rule.hpp defines what a rule decides, puct.hpp is the default rule, decision.hpp reads the root.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "games/random.hpp"
#include "games/sound_moves.hpp"
#include "nn/batch.hpp"
#include "search/backup.hpp"
#include "search/decision.hpp"
#include "search/descent.hpp"
#include "search/expansion.hpp"
#include "search/outcomes.hpp"
#include "search/plies.hpp"
#include "search/puct.hpp"
#include "search/scratch.hpp"
#include "search/settings.hpp"
#include "search/step.hpp"
#include "search/tablebase.hpp"

namespace senet {

/// One search at a time: in one tree or, with settings.plies.ply above 0, by plies
/// (search/plies.hpp), which leaves the tree empty. Belongs to one thread at a time.
template <Game G, class Rule = Puct, class TreeType = Tree<G>>
class Search {
  static_assert(SearchRule<Rule, TreeType>);

 public:
  using TreeOf = TreeType;

  /// Allocates the tree and a scratch; later calls allocate nothing.
  Search(const SearchSettings& settings, const TreeLimits& limits)
      : Search(settings, limits, Rule(settings)) {}
  Search(const SearchSettings& settings, const TreeLimits& limits, const Rule& rule)
      : settings_(settings),
        rule_(rule),
        tree_(std::make_unique<TreeOf>(limits)),
        own_scratch_(std::make_unique<SearchScratch<G>>()),
        scratch_(own_scratch_.get()) {
    reserve_plies(kMaxEdges<G>, default_heap());
  }

  /// Allocates only the tree, in `heap`, for nodes with at most `edges` edges. Before every
  /// gather() and decision() the caller must pass a scratch to set_scratch().
  Search(const SearchSettings& settings, const TreeLimits& limits, Heap& heap,
         std::size_t edges = kMaxEdges<G>)
      : settings_(settings),
        rule_(settings),
        tree_(std::make_unique<TreeOf>(limits, heap)),
        statistics_(edges, heap) {
    reserve_plies(edges, heap);
  }
  /// Bytes that a search of this kind allocates, without a scratch.
  static std::size_t bytes(const SearchSettings& settings, const TreeLimits& limits,
                           std::size_t edges = kMaxEdges<G>) {
    const std::size_t plies = settings.plies.ply == 0 ? 0 : Plies<G>::bytes(settings.plies, edges);
    return TreeOf::bytes(limits) + RootStatistics<G>::bytes(edges) + plies;
  }

  /// Makes the search ask this tablebase, which outlives it, instead of the network where it can.
  /// Before the first start(), or after forget().
  void set_tablebase(const Tablebase<G>& tablebase) {
    tablebase_ = tablebase;
    if (plies_) plies_->set_tablebase(tablebase);
  }

  /// Sets the scratch to use, null for none, and returns the previous one. Not while has_leaf().
  SearchScratch<G>* set_scratch(SearchScratch<G>* scratch) {
    assert(!has_leaf());
    return std::exchange(scratch_, scratch);
  }
  /// Whether a leaf is in flight and uses the scratch: from a gather() that wrote rows until the
  /// absorb() after the last of them.
  bool has_leaf() const { return plies_ ? plies_->has_leaf() : phase_ == Phase::kRows; }

  /// Starts a search of `state`, which must not be finished. Draws from `noise` only if the budget
  /// requests it. With settings.reuse_tree and a `spare` tree of the same limits, keeps the part of
  /// the old tree that is reachable from `state`, or from the position after its forced moves: it
  /// is copied to the spare, and the two trees are swapped. Abandons a search in progress. If it
  /// has rows in a batch, evaluate or clear them before the next gather(), because their answers
  /// are written to this search's memory.
  void start(const G& state, const SearchBudget& budget, Random noise,
             std::unique_ptr<TreeOf>* spare = nullptr) {
    if (plies_) return plies_->start(state);
    budget_ = budget;
    noise_ = noise;
    evaluations_ = longest_ = depth_ = 0;
    full_ = root_ready_ = false;
    phase_ = Phase::kDescend;
    const std::uint64_t key = state.key();
    const bool kept = settings_.reuse_tree && spare != nullptr && keep(state, key, *spare);
    if (!kept) tree_->clear();
    if (!kept || (*tree_)[root_].key != key) {  // a state before forced moves has no node
      root_ = tree_->add(state, key);
      if (state.turn() == Turn::kChance) expand_chance(*tree_, root_, 0.0f);
    }
    statistics_.clear((*tree_)[root_].edges);
  }

  /// Clears the tree, for example because another network evaluated it, and abandons a search in
  /// progress as start() does.
  void forget() {
    if (plies_) plies_->forget();
    tree_->clear();
    phase_ = Phase::kDone;
  }

  /// Searches until the rows of a leaf are in the batch, the batch is full, the budget is spent, or
  /// kPause visits needed no row.
  Step gather(Batch& batch) {
    if (plies_) return plies_->gather(batch, *scratch_);
    for (std::uint32_t visits = 0; visits < kPause; ++visits) {
      if (phase_ == Phase::kDescend) {
        if (finished()) {
          phase_ = Phase::kDone;
        } else {
          begin_visit();
        }
      }
      if (phase_ == Phase::kDone) return Step::kDone;
      if (phase_ == Phase::kRows) {
        const G& leaf = tree_->state(leaf_);
        const std::uint32_t written =
            write_rows(leaf, settings_.evaluates, *scratch_, next_row_, batch, tablebase_);
        evaluations_ += written;
        if (next_row_ < scratch_->rows) return Step::kBatchFull;
        if (written > 0) return Step::kWaiting;
        finish_leaf();  // no rows left: the remaining afterstates are finished games
      }
    }
    return Step::kPaused;
  }

  /// Processes the answers to the rows written since the last forward pass.
  void absorb() {
    if (plies_) return plies_->absorb(*scratch_);
    if (phase_ == Phase::kRows && next_row_ == scratch_->rows) finish_leaf();
  }

  /// The result so far; usually read after gather() has returned kDone.
  Decision<G> decision() {
    if (plies_) return plies_->decision(*scratch_);
    const Node& root = (*tree_)[root_];
    return {.choices = list_choices(*tree_, root_, rule_, *scratch_),
            .outcomes = with_mean(tree_->game(), statistics_.root(tree_->game(), root.q), root.q),
            .value = root.q,
            .visits = root.n,
            .evaluations = evaluations_,
            .depth = longest_,
            .proven = proven(root),
            .full = full_};
  }

  /// The expected outcome if `action` is played, for the player to move at the root.
  Outcomes<G> outcomes_after(Action action) {
    if (plies_) return plies_->outcomes_after(action);
    const G& game = tree_->game();
    const Node& root = (*tree_)[root_];
    const std::uint32_t edge = tree_->edge_of(root, action);
    if (edge == root.edges) {
      return spread_value(game, unsound_value(tree_->state(root_), root.q, action));
    }
    const float value = tree_->edge_value(root, edge);
    return with_mean(game, statistics_.edge(game, edge, value), value);
  }

  /// Visits of the root so far, including kept ones; 0 before the first.
  std::uint32_t visits() const { return plies_ ? plies_->visits() : (*tree_)[root_].n; }
  /// Whether more visits cannot change the result: it is proven, or the results of all moves were
  /// in the tablebase.
  bool is_settled() const {
    if (plies_) return plies_->is_settled();
    const Node& root = (*tree_)[root_];
    return proven(root) || (root.flags & kInTablebase) != 0;
  }
  /// Whether the search ended because the tree was full.
  bool is_full() const { return full_; }

  /// The root's position.
  const G& position() const { return plies_ ? plies_->root() : tree_->state(root_); }

  const TreeOf& tree() const { return *tree_; }
  NodeId root() const { return root_; }
  const SearchSettings& settings() const { return settings_; }

 private:
  enum class Phase : std::uint8_t { kDescend, kRows, kDone };
  void reserve_plies(std::size_t edges, Heap& heap) {
    if (settings_.plies.ply == 0) return;
    assert(settings_.evaluates == Evaluates::kAfterstates);
    plies_.emplace(settings_, edges, heap);
  }

  // Maximum size of one visit: a chance turn, the position after it with all its edges, and a
  // longer hot block for each of the two edges that lead there.
  static constexpr std::uint32_t kVisitNodes = 3;
  static constexpr std::uint32_t visit_words(const G& game) {
    const auto edges = static_cast<std::uint32_t>(most_edges(game));
    const auto dice = static_cast<std::uint32_t>(most_chance(game));
    return cold_words(edges, true) + hot_words(edges) + cold_words(dice, false) + hot_words(dice);
  }

  // Keeps only the part of the tree that is reachable from a known state, or from the position
  // after its forced moves, because positions before forced moves have no nodes. False if neither
  // is known, or if the kept part leaves too little room for the rest of the budget: it can exceed
  // the root's own visits, because it includes positions explored through other paths.
  bool keep(const G& state, std::uint64_t key, std::unique_ptr<TreeOf>& spare) {
    NodeId known = tree_->find(key);
    if constexpr (SoundMovesGame<G>) {
      if (known == kNoNode && has_sound_moves(state)) {
        G ahead = state;
        play_forced(ahead);
        known = tree_->find(ahead.key());
      }
    }
    // A position of the tablebase has no edges.
    if (known == kNoNode || ((*tree_)[known].flags & kInTablebase)) return false;
    const std::uint32_t visits = (*tree_)[known].n;
    root_ = tree_->move_reachable(known, *spare);
    std::swap(tree_, spare);
    const TreeLimits rest =
        limits_for(state, budget_.visits - std::min(visits, budget_.visits), settings_.evaluates);
    return tree_->fits(rest.nodes, rest.words);
  }

  bool finished() {
    Node& root = (*tree_)[root_];
    if (!(root.flags & kEvaluated)) return false;
    if (!root_ready_) {
      root_ready_ = true;
      if (is_decision(turn_of(root))) {
        rule_.open_root(*tree_, root, budget_, noise_, {scratch_->scores.data(), root.edges});
      }
    }
    if (root.n >= budget_.visits || is_settled()) return true;
    full_ = !tree_->fits(kVisitNodes, visit_words(tree_->game()));
    return full_;
  }

  // Makes a visit: the whole visit, or the part up to a leaf that needs rows.
  void begin_visit() {
    const Descent descent = descend(*tree_, tablebase_, root_, rule_, scratch_->path);
    depth_ = descent.depth;
    if (descent.reached == Reached::kLeaf) {
      leaf_ = descent.node;
      next_row_ = 0;
      list_moves(tree_->state(leaf_), settings_.evaluates, *scratch_, tablebase_);
      phase_ = Phase::kRows;
      return;
    }
    if (descent.reached == Reached::kEnd) {
      count_end(tree_->state(descent.node));
      ++(*tree_)[descent.node].n;
    }
    end_visit(descent.node);
  }

  void finish_leaf() {
    Node& leaf = (*tree_)[leaf_];
    const bool asks_position = settings_.evaluates == Evaluates::kPosition && !scratch_->is_known;
    const Outcomes<G>& ends =
        asks_position ? expand_position(*tree_, leaf, settings_.policy_temperature, *scratch_)
                      : expand_afterstates(*tree_, leaf, tree_->state(leaf_),
                                           settings_.afterstate_temperature, *scratch_);
    if (leaf_ == root_) {
      statistics_.clear(leaf.edges);
      for (std::size_t i = 0; i < leaf.edges && !asks_position; ++i) {
        statistics_.note(i, scratch_->afterstates[scratch_->order[i]]);
      }
    }
    count_leaf(ends, perspective(turn_of(leaf)));
    leaf.flags |= scratch_->is_known ? kEvaluated | kInTablebase : kEvaluated;
    leaf.q = unpack_value(leaf.own, value_range(tree_->game()));
    leaf.n = 1;
    phase_ = Phase::kDescend;
    end_visit(leaf_);
  }

  // Counts a visit that ended where no network is asked. A decision whose moves lead into the
  // tablebase is not in it: its value counts, its distribution does not.
  void count_end(const G& state) {
    Outcomes<G> known{};
    if (state.turn() == Turn::kOver) {
      count_leaf(certain_end(state), 0);
    } else if (tablebase_.find(state, known)) {
      count_leaf(known, state.viewer());
    }
  }

  // Counts a leaf's distribution, from the perspective of `player`, for the root edge of the
  // descent.
  void count_leaf(const Outcomes<G>& ends, Player player) {
    const bool is_roots = perspective(turn_of((*tree_)[root_])) == player;
    const auto count = [&](const Outcomes<G>& seen) {
      if (depth_ == 0) {
        statistics_.add(seen);
      } else {
        statistics_.add(scratch_->path[0].edge, seen);
      }
    };
    is_roots ? count(ends) : count(mirrored(tree_->game(), ends));
  }

  void end_visit(NodeId node) {
    longest_ = std::max(longest_, depth_);
    back_up(*tree_, {scratch_->path.data(), depth_}, node);
  }

  SearchSettings settings_;
  Tablebase<G> tablebase_;
  Rule rule_;
  SearchBudget budget_;
  Random noise_{0, 0, 0, Purpose::kNoise};
  std::unique_ptr<TreeOf> tree_;
  NodeId root_ = 0;
  Phase phase_ = Phase::kDone;
  bool full_ = false;
  bool root_ready_ = false;
  std::uint32_t evaluations_ = 0;
  std::uint32_t longest_ = 0;

  std::unique_ptr<SearchScratch<G>> own_scratch_;
  SearchScratch<G>* scratch_ = nullptr;
  // The visit in progress, whose hops are in the scratch, and the leaf in flight.
  std::uint32_t depth_ = 0;
  NodeId leaf_ = kNoNode;
  std::size_t next_row_ = 0;

  RootStatistics<G> statistics_;

  std::optional<Plies<G>> plies_;  // in place of everything from the rule on
};

}  // namespace senet
