// Monte Carlo tree search as two calls: gather() descends until the network is needed and writes
// rows, absorb() processes the answers to one leaf. Up to settings.leaves leaves are in flight
// between the two; they are expanded together, so that the tree does not depend on who else shares
// the batch. Threads, locks, fibers and allocation are left to the caller.
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
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

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

  /// Allocates the tree and its scratches; later calls allocate nothing.
  Search(const SearchSettings& settings, const TreeLimits& limits)
      : Search(settings, limits, Rule(settings)) {}
  Search(const SearchSettings& settings, const TreeLimits& limits, const Rule& rule)
      : settings_(settings),
        rule_(rule),
        tree_(std::make_unique<TreeOf>(limits)),
        own_scratches_(std::make_unique<ScratchPool<G>>(settings.leaves)),
        scratches_(own_scratches_.get()) {
    reserve(kMaxEdges<G>, default_heap());
  }

  /// Allocates no scratches, and the rest in `heap`, for nodes with at most `edges` edges. Before
  /// the first start() the caller must call share_scratches().
  Search(const SearchSettings& settings, const TreeLimits& limits, Heap& heap,
         std::size_t edges = kMaxEdges<G>)
      : settings_(settings),
        rule_(settings),
        tree_(std::make_unique<TreeOf>(limits, heap)),
        in_flight_(&heap),
        diversions_(&heap),
        statistics_(edges, heap) {
    reserve(edges, heap);
  }
  /// Bytes that a search of this kind allocates, without scratches.
  static std::size_t bytes(const SearchSettings& settings, const TreeLimits& limits,
                           std::size_t edges = kMaxEdges<G>) {
    const std::size_t plies = settings.plies.ply == 0 ? 0 : Plies<G>::bytes(settings.plies, edges);
    const std::size_t flights =
        settings.leaves * sizeof(SearchScratch<G>*) + diversions(settings) * sizeof(Hop);
    return TreeOf::bytes(limits) + RootStatistics<G>::bytes(edges) + plies + flights;
  }

  /// Makes the search ask this tablebase, which outlives it, instead of the network where it can.
  /// Before the first start(), or after forget().
  void set_tablebase(const Tablebase<G>& tablebase) {
    tablebase_ = tablebase;
    if (plies_) plies_->set_tablebase(tablebase);
  }

  /// Searches that start from now on use those of these settings that can_adjust(), and at most as
  /// many leaves as the search was made for. Clears the tree if they differ from those before. Not
  /// while has_leaf().
  void adjust(const SearchSettings& settings) {
    assert(!has_leaf());
    SearchSettings adjusted = settings;
    adjusted.evaluates = settings_.evaluates;
    adjusted.plies = settings_.plies;
    adjusted.reuse_tree = settings_.reuse_tree;
    adjusted.leaves = std::min(settings.leaves, most_leaves_);
    if (adjusted == settings_) return;
    forget();
    settings_ = adjusted;
    rule_ = Rule(settings_);
  }

  /// Takes scratches from this pool, which must have one for each leaf in flight of its searches,
  /// and one free in gather() and decision(). Not while has_leaf().
  void share_scratches(ScratchPool<G>& scratches) {
    assert(!has_leaf());
    scratches_ = &scratches;
  }
  /// Whether a leaf is in flight: its rows are written, in part or whole, and it is not expanded.
  bool has_leaf() const { return begun_ != nullptr || !in_flight_.empty(); }
  /// Whether gather() must not be called now: the rows of a leaf did not fit into the batch, or no
  /// more leaves can be in flight before absorb().
  bool waits() const { return begun_ != nullptr || (is_whole() && answered_ < in_flight_.size()); }

  /// Lets no more leaves join those in flight: when they are answered, has_leaf() is false. Expands
  /// them at once if they are.
  void hold() {
    is_blocked_ = is_blocked_ || has_leaf();
    if (begun_ == nullptr && !in_flight_.empty() && answered_ == in_flight_.size()) finish_leaves();
  }

  /// Starts a search of `state`, which must not be finished. Draws from `noise` only if the budget
  /// requests it. With settings.reuse_tree and a `spare` tree of the same limits, keeps the part of
  /// the old tree that is reachable from `state`, or from the position after its forced moves: it
  /// is copied to the spare, and the two trees are swapped. Abandons a search in progress. If that
  /// has rows in a batch, evaluate or clear them before the next gather(), because their answers
  /// are written to this search's memory.
  void start(const G& state, const SearchBudget& budget, Random noise,
             std::unique_ptr<TreeOf>* spare = nullptr) {
    abandon();
    const bool was_narrow = !std::exchange(budget_, budget).only.empty();
    if (plies_) return plies_->start(state, budget.only);
    noise_ = noise;
    evaluations_ = 0;
    full_ = root_ready_ = false;
    is_over_ = false;
    const std::uint64_t key = state.key();
    const bool is_same = root_ < tree_->size() && tree_->key(root_) == key;
    const bool may_keep = settings_.reuse_tree && !was_narrow && budget.only.empty();
    const bool kept = may_keep && spare != nullptr && keep(state, key, *spare);
    if (!kept) tree_->clear();
    if (!kept || tree_->key(root_) != key) {  // a state before forced moves has no node
      root_ = tree_->find_or_add(state, key);
      if (state.turn() == Turn::kChance) expand_chance(*tree_, root_, 0.0f);
    }
    if (kept && is_same) return;
    longest_ = 0;
    statistics_.clear((*tree_)[root_].edges);
  }

  /// Clears the tree, for example because another network evaluated it, and abandons a search in
  /// progress as start() does.
  void forget() {
    abandon();
    if (plies_) plies_->forget();
    tree_->clear();
    is_over_ = true;
  }

  /// Searches until the rows of a leaf are in the batch, the batch is full, no further leaf can be
  /// in flight, the budget is spent, or kPause visits needed no row (in kPlayouts, one). Not while
  /// waits().
  Step gather(Batch& batch) {
    if (plies_) return gather_by_plies(batch);
    for (std::uint32_t visits = 0; visits < kPause; ++visits) {
      if (begun_ == nullptr) {
        if (is_over_ || !may_begin()) {
          is_over_ = in_flight_.empty();
          if (is_over_) return Step::kDone;
          is_blocked_ = true;
          if (answered_ < in_flight_.size()) return Step::kBlocked;
          finish_leaves();
          return Step::kPaused;  // the driver may look at the result
        }
        begin_visit();
        if (begun_ == nullptr) continue;
      }
      SearchScratch<G>& visit = *begun_;
      const std::uint32_t written = write_rows(tree_->state(visit.leaf), settings_.evaluates, visit,
                                               visit.next_row, batch, tablebase_);
      evaluations_ += written;
      if (visit.next_row < visit.rows) return Step::kBatchFull;
      begun_ = nullptr;
      if (written > 0) {
        in_flight_.push_back(&visit);
        return Step::kWaiting;
      }
      finish_leaf(visit);  // no rows left: the remaining afterstates are finished games
      if (settings_.evaluates == Evaluates::kPlayouts) break;  // which may have taken long
    }
    return Step::kPaused;
  }

  /// Takes the answers to the next leaf in flight. The driver calls it once, after the forward
  /// pass, for each gather() that returned kWaiting.
  void absorb() {
    if (plies_) return absorb_by_plies();
    if (answered_ == in_flight_.size()) return;
    ++answered_;
    if (begun_ == nullptr && is_whole() && answered_ == in_flight_.size()) finish_leaves();
  }

  /// The result so far; usually read after gather() has returned kDone. Not while has_leaf(). Valid
  /// until the next decision() that uses the same scratches.
  Decision<G> decision() {
    const Borrowed scratch(*scratches_);
    Decision<G> found = plies_ ? plies_->decision(*scratch) : found_by_visits(*scratch);
    if (budget_.only.empty()) {
      const G& root = plies_ ? plies_->root() : tree_->state(root_);
      auto& choices = (*scratch).choices;
      found.choices = {choices.data(),
                       list_unsound(root, found.value, choices, found.choices.size())};
    }
    return found;
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

  /// The longest descent so far, in unforced moves; by plies, the completed ones.
  std::uint32_t depth() const { return plies_ ? std::max(plies_->visits(), 1u) - 1 : longest_; }
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
  // A scratch during a call.
  class Borrowed {
   public:
    explicit Borrowed(ScratchPool<G>& pool) : pool_(pool), scratch_(pool.take()) {}
    ~Borrowed() { pool_.give_back(scratch_); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    SearchScratch<G>& operator*() const { return *scratch_; }

   private:
    ScratchPool<G>& pool_;
    SearchScratch<G>* const scratch_;
  };

  Decision<G> found_by_visits(SearchScratch<G>& scratch) {
    const Node& root = (*tree_)[root_];
    return {.choices = list_choices(*tree_, root_, rule_, scratch),
            .outcomes = with_mean(tree_->game(), statistics_.root(tree_->game(), root.q), root.q),
            .value = root.q,
            .visits = root.n,
            .evaluations = evaluations_,
            .depth = longest_,
            .proven = proven(root),
            .full = full_};
  }

  // Hops of visits that reached a leaf in flight. One leaf in flight has none.
  static std::size_t diversions(const SearchSettings& settings) {
    constexpr std::size_t kHops = 32;
    return settings.leaves == 1 ? 0 : settings.leaves * kHops;
  }
  void reserve(std::size_t edges, Heap& heap) {
    in_flight_.reserve(settings_.leaves);
    diversions_.reserve(diversions(settings_));
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
  // is known, or if the kept part leaves too little room: it can exceed the root's own visits,
  // because it includes positions explored through other paths.
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
    if (known == root_) return true;  // a full tree ends the search with what it has found
    root_ = tree_->move_reachable(known, *spare);
    std::swap(tree_, spare);
    return has_room_for(budget_.visits - std::min(visits, budget_.visits));
  }
  // A budget for which even an empty tree has no room needs half of the tree.
  bool has_room_for(std::uint32_t visits) const {
    const TreeLimits needed = limits_for(tree_->game(), visits, settings_.evaluates);
    const TreeLimits& all = tree_->limits();
    if (needed.nodes <= all.nodes && needed.words <= all.words) {
      return tree_->fits(needed.nodes, needed.words);
    }
    return tree_->fits(all.nodes / 2, all.words / 2);
  }

  // Whether no more leaves can join those in flight.
  bool is_whole() const {
    return is_blocked_ ||
           (!in_flight_.empty() && in_flight_.size() >= most_in_flight((*tree_)[root_]));
  }

  // Whether another visit may begin now. Visits in flight count towards the budget, and each may
  // still need room for its leaf's edges.
  bool may_begin() {
    Node& root = (*tree_)[root_];
    if (is_whole()) return false;
    if (!(root.flags & kEvaluated)) return true;
    if (!root_ready_) {
      root_ready_ = true;
      if (is_decision(turn_of(root))) {
        const Borrowed scratch(*scratches_);
        rule_.open_root(*tree_, root, budget_, noise_, {(*scratch).scores.data(), root.edges});
        root.forget_next();
      }
    }
    if (root.n >= budget_.visits || is_settled()) return false;
    const auto visits = static_cast<std::uint32_t>(1 + in_flight_.size());
    const bool fits = tree_->fits(kVisitNodes, visits * visit_words(tree_->game()));
    full_ = !fits && in_flight_.empty();
    return fits;
  }
  // A small tree has few promising leaves: the number in flight grows with it.
  std::uint32_t most_in_flight(const Node& root) const {
    constexpr std::uint32_t kVisitsPerLeaf = 32;
    return std::min(settings_.leaves, 1 + root.n / kVisitsPerLeaf);
  }

  // Makes a visit: the whole visit, or the part up to a leaf that needs rows, which leaves it in
  // begun_.
  void begin_visit() {
    begun_ = scratches_->take();
    SearchScratch<G>& visit = *begun_;
    visit.depth = 0;
    visit.leaf = kNoNode;
    const Descent descent =
        descend(*tree_, tablebase_, root_, rule_, settings_.leaves > 1, visit.path, visit.moves);
    visit.depth = descent.depth;
    if (descent.reached == Reached::kLeaf) {
      visit.leaf = descent.node;
      visit.next_row = 0;
      Node& leaf = (*tree_)[visit.leaf];
      leaf.flags |= kInFlight;
      const G& state = tree_->state(visit.leaf);
      if (visit.leaf == root_) {
        moves_to_search(state, budget_.only, visit.moves);
      } else if (visit.moves.empty()) {
        moves_to_consider(state, visit.moves);
      }
      list_rows(state, settings_.evaluates, visit, tablebase_);
      return;
    }
    begun_ = nullptr;
    if (descent.reached == Reached::kTaken) {
      divert(visit);
      return;
    }
    if (descent.reached == Reached::kEnd) {
      count_end(visit, tree_->state(descent.node));
      ++(*tree_)[descent.node].n;
    }
    end_visit(visit, descent.node);
  }

  // A visit that reached a leaf in flight ends without a value. It stays counted until the next
  // absorb(), so that the next descents go elsewhere (as collisions in Leela Chess Zero), unless
  // there were too many of them.
  void divert(SearchScratch<G>& visit) {
    const std::span<const Hop> path = path_of(visit);
    if (!path.empty() && diversions_.size() + path.size() <= diversions(settings_)) {
      diversions_.insert(diversions_.end(), path.begin(), path.end());
    } else {
      uncount(*tree_, path);
      is_blocked_ = true;
    }
    scratches_->give_back(&visit);
  }
  void end_diversions() {
    uncount(*tree_, std::span<const Hop>(diversions_));
    diversions_.clear();
    is_blocked_ = false;
  }

  // Expands all leaves in flight, in the order in which they were found.
  void finish_leaves() {
    end_diversions();
    for (SearchScratch<G>* const visit : in_flight_) finish_leaf(*visit);
    in_flight_.clear();
    answered_ = 0;
  }

  void finish_leaf(SearchScratch<G>& visit) {
    Node& leaf = (*tree_)[visit.leaf];
    const bool asks_position = !values_moves(settings_.evaluates) && !visit.is_known;
    if (!asks_position) settle_values(visit);
    const Outcomes<G>& ends =
        asks_position ? expand_position(*tree_, leaf, settings_.policy_temperature, visit)
                      : expand_by_values(*tree_, leaf, tree_->state(visit.leaf),
                                         settings_.afterstate_temperature, visit);
    if (visit.leaf == root_) {
      statistics_.clear(leaf.edges);
      for (std::size_t i = 0; i < leaf.edges && !asks_position; ++i) {
        statistics_.note(i, visit.afterstates[visit.order[i]]);
      }
    }
    count_leaf(visit, ends, perspective(leaf));
    leaf.flags &= static_cast<std::uint8_t>(~kInFlight);
    leaf.flags |= visit.is_known ? kEvaluated | kInTablebase : kEvaluated;
    leaf.q = leaf.own;
    leaf.n = 1;
    if constexpr (kSelectsByNode<Rule>) leaf.next_edge = 0;  // no other can be opened first
    end_visit(visit, visit.leaf);
  }

  // Turns the answers to a leaf into the expected outcomes of its moves.
  void settle_values(SearchScratch<G>& visit) {
    const G& state = tree_->state(visit.leaf);
    const std::span<const Action> moves(visit.moves.data(), visit.moves.size());
    const std::span<Outcomes<G>> values = std::span(visit.afterstates).first(moves.size());
    if (settings_.evaluates == Evaluates::kMoves && !visit.is_known) {
      if constexpr (kHasFewMoves<G>) {
        settle_moves(state, moves, visit.outcomes, visit.asked, visit.wanted, values, tablebase_);
      }
      return;
    }
    settle_afterstates(state, moves, values, perspective((*tree_)[visit.leaf]));
  }

  // Undoes the visits in flight. Their answers, if they come, change nothing.
  void abandon() {
    end_diversions();
    if (begun_ != nullptr) in_flight_.push_back(std::exchange(begun_, nullptr));
    for (SearchScratch<G>* const visit : in_flight_) {
      if (!plies_) {
        uncount(*tree_, path_of(*visit));
        if (visit->leaf != kNoNode)
          (*tree_)[visit->leaf].flags &= static_cast<std::uint8_t>(~kInFlight);
      }
      scratches_->give_back(visit);
    }
    in_flight_.clear();
    answered_ = 0;
  }

  // A search by plies has one leaf in flight at most; its scratch is begun_.
  Step gather_by_plies(Batch& batch) {
    if (begun_ == nullptr) begun_ = scratches_->take();
    const Step step = plies_->gather(batch, *begun_);
    give_back_between_leaves();
    return step;
  }
  void absorb_by_plies() {
    if (begun_ == nullptr) return;
    plies_->absorb(*begun_);
    give_back_between_leaves();
  }
  void give_back_between_leaves() {
    if (!plies_->has_leaf()) scratches_->give_back(std::exchange(begun_, nullptr));
  }

  static std::span<const Hop> path_of(const SearchScratch<G>& visit) {
    return {visit.path.data(), visit.depth};
  }

  // Counts a visit that ended where no network is asked. A decision whose moves lead into the
  // tablebase is not in it: its value counts, its distribution does not.
  void count_end(const SearchScratch<G>& visit, const G& state) {
    Outcomes<G> known{};
    if (state.turn() == Turn::kOver) {
      count_leaf(visit, certain_end(state), 0);
    } else if (tablebase_.find(state, known)) {
      count_leaf(visit, known, state.viewer());
    }
  }

  // Counts a leaf's distribution, from the perspective of `player`, for the root edge of the
  // descent.
  void count_leaf(const SearchScratch<G>& visit, const Outcomes<G>& ends, Player player) {
    const bool is_others = perspective((*tree_)[root_]) != player;
    const Outcomes<G> seen =
        moves_before(tree_->game(), mirrored_if(is_others, tree_->game(), ends), visit.depth);
    if (visit.depth == 0) {
      statistics_.add(seen);
    } else {
      statistics_.add(visit.path[0].edge, seen);
    }
  }

  void end_visit(SearchScratch<G>& visit, NodeId node) {
    longest_ = std::max(longest_, visit.depth);
    back_up(*tree_, rule_, path_of(visit), node);
    scratches_->give_back(&visit);
  }

  SearchSettings settings_;
  std::uint32_t most_leaves_ = settings_.leaves;
  Tablebase<G> tablebase_;
  Rule rule_;
  SearchBudget budget_;
  Random noise_{0, 0, 0, Purpose::kNoise};
  std::unique_ptr<TreeOf> tree_;
  NodeId root_ = 0;
  bool is_over_ = true;  // the budget is spent
  bool full_ = false;
  bool root_ready_ = false;
  std::uint32_t evaluations_ = 0;
  std::uint32_t longest_ = 0;

  std::unique_ptr<ScratchPool<G>> own_scratches_;
  ScratchPool<G>* scratches_ = nullptr;
  SearchScratch<G>* begun_ = nullptr;  // the visit whose rows are not all in a batch yet
  std::pmr::vector<SearchScratch<G>*> in_flight_;  // visits whose rows are, the oldest first
  std::size_t answered_ = 0;                       // how many of them have their answers
  std::pmr::vector<Hop> diversions_;               // hops of visits that reached a leaf in flight
  bool is_blocked_ = false;                        // no leaf can join those in flight

  RootStatistics<G> statistics_;

  std::optional<Plies<G>> plies_;  // in place of everything from the rule on
};

}  // namespace senet
