// Monte Carlo tree search as two calls: gather() walks down until the network is needed and writes
// rows, absorb() takes the answers. No thread, lock, fiber or allocation in here; whoever calls the
// two chooses those.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "games/random.hpp"
#include "games/sound_moves.hpp"
#include "nn/batch.hpp"
#include "search/decision.hpp"
#include "search/root_statistics.hpp"
#include "search/scratch.hpp"
#include "search/selection.hpp"
#include "search/settings.hpp"
#include "search/tree.hpp"

namespace senet {

/// What gather() wants next.
enum class Step : std::uint8_t {
  kWaiting,    // rows of this search are in the batch: run it, then call absorb()
  kBatchFull,  // no room for all rows: run the batch, clear it, then call gather() again
  kPaused,     // made kPause visits that needed no row: call gather() again when others had a turn
  kDone,       // the budget is spent: read decision()
};

/// A search that needs no row pauses after so many visits, so that its driver can look at the
/// clock.
inline constexpr std::uint32_t kPause = 64;

/// One search at a time over one tree. Belongs to one thread at a time.
template <Game G, NodeTable Table = EpochTable>
class Search {
 public:
  using TreeOf = Tree<G, Table>;

  /// Reserves the tree and a scratch of its own; nothing allocates afterwards.
  Search(const SearchSettings& settings, const TreeLimits& limits)
      : settings_(settings),
        tree_(std::make_unique<TreeOf>(limits)),
        own_scratch_(std::make_unique<SearchScratch<G>>()),
        scratch_(own_scratch_.get()) {}

  /// Reserves the tree only, in `heap`: has to be lent a scratch before every gather() and
  /// decision().
  Search(const SearchSettings& settings, const TreeLimits& limits, Heap& heap)
      : settings_(settings), tree_(std::make_unique<TreeOf>(limits, heap)), statistics_(heap) {}

  /// Works in `scratch` from now on, null for none, and returns what it had. Not while has_leaf().
  SearchScratch<G>* lend(SearchScratch<G>* scratch) {
    assert(!has_leaf());
    return std::exchange(scratch_, scratch);
  }
  /// Whether a leaf is on its way, in this search's scratch: from a gather() that asked for
  /// something to the absorb() behind the last of its rows.
  bool has_leaf() const { return phase_ == Phase::kRows; }

  /// Begins a search of `state`, which is not over. `noise` is drawn from only if the budget asks
  /// for it. With a `spare` tree of the same limits (settings.reuse_tree), what the old tree knows
  /// about `state`, or about what is forced from there, is kept with all that can be reached: it
  /// moves to the spare, and the two change places. A search under way is given up; rows of it in a
  /// batch must be run or cleared before the next gather(), because their answers land in this
  /// search's memory.
  void start(const G& state, const SearchBudget& budget, Random noise,
             std::unique_ptr<TreeOf>* spare = nullptr) {
    budget_ = budget;
    noise_ = noise;
    evaluations_ = longest_ = depth_ = 0;
    full_ = root_ready_ = false;
    phase_ = Phase::kDescend;
    const std::uint64_t key = state.key();
    const bool kept = settings_.reuse_tree && spare != nullptr && keep(state, key, *spare);
    if (!kept) tree_->clear();
    if (!kept || (*tree_)[root_].key != key) {  // a state before forced moves has had no node
      root_ = tree_->add(state, key);
      if (state.turn() == Turn::kChance) expand_chance(root_, 0.0f);
    }
    statistics_.clear((*tree_)[root_].edges);
  }

  /// Forgets the tree, for instance because its evaluations are another network's, and gives up a
  /// search under way as start() does.
  void forget() {
    tree_->clear();
    phase_ = Phase::kDone;
  }

  /// Works until the rows of a leaf are in the batch, the batch is full, the budget is spent, or
  /// kPause visits needed no row.
  Step gather(Batch& batch) {
    for (std::uint32_t visits = 0; visits < kPause; ++visits) {
      if (phase_ == Phase::kDescend) {
        if (finished())
          phase_ = Phase::kDone;
        else if (descend())
          begin_leaf();
      }
      if (phase_ == Phase::kDone) return Step::kDone;
      if (phase_ == Phase::kRows) {
        const std::uint32_t before = evaluations_;
        if (!add_rows(batch)) return Step::kBatchFull;
        if (evaluations_ != before) return Step::kWaiting;
        finish_leaf();  // nothing (more) to ask: the rest of the family are finished games
      }
    }
    return Step::kPaused;
  }

  /// Changes the budget of the search under way. Fewer visits than it has end it as soon as the one
  /// under way is complete (the first one always is); more let it go on after it was done. A search
  /// whose visits were granted bit by bit finds what it would have found with all of them at once.
  void set_visits(std::uint32_t visits) {
    budget_.visits = visits;
    if (phase_ == Phase::kDone) phase_ = Phase::kDescend;
  }

  /// Takes the answers to the rows that gather() wrote since the last forward pass.
  void absorb() {
    if (phase_ == Phase::kRows && next_row_ == rows_wanted()) finish_leaf();
  }

  /// The result so far; meant for after gather() said kDone.
  Decision<G> decision();

  /// Expected end if `action` is played, for the player to move at the root.
  Outcomes<G> outcomes_after(Action action) {
    const Node& root = (*tree_)[root_];
    const ColdEdge* const edges = tree_->cold(root);
    for (std::uint32_t i = 0; i < root.edges; ++i) {
      if (edges[i].action != action) continue;
      const float value = edge_value(root, i);
      return with_mean<G>(statistics_.edge(i, value), value);
    }
    return spread_value<G>(unsound_value(action));
  }

  const TreeOf& tree() const { return *tree_; }
  NodeId root() const { return root_; }
  const SearchSettings& settings() const { return settings_; }

 private:
  enum class Phase : std::uint8_t { kDescend, kRows, kDone };
  static constexpr std::uint32_t kMaxDepth = SearchScratch<G>::kMaxDepth;
  static constexpr int kRange = static_cast<int>(G::kValueRange);
  // What one visit can use up: a turn of chance and the position behind it with all its edges, and
  // a longer hot block for each of the two edges that led there.
  static constexpr std::uint32_t kVisitNodes = 3;
  static constexpr std::uint32_t kVisitWords =
      cold_words(kMaxEdges<G>, true) + hot_words(kMaxEdges<G>) + cold_words(kMaxChance<G>, false) +
      hot_words(kMaxChance<G>);

  bool keep(const G& state, std::uint64_t key, std::unique_ptr<TreeOf>& spare);
  bool finished();
  void open_root();
  bool descend();
  NodeId follow(NodeId id, std::uint32_t edge);
  Selection select(Node& node);
  void begin_leaf();
  std::size_t rows_wanted() const {
    return settings_.evaluates == Evaluates::kPosition ? 1 : scratch_->moves.size();
  }
  bool add_rows(Batch& batch);
  void finish_leaf();
  void expand_position(Node& node);
  void expand_family(Node& node);
  void expand_chance(NodeId id, float own);
  void write_edges(Node& node);
  void write_valued_edges(Node& node);
  void count_leaf(const Outcomes<G>& player0_sees);
  void back_up(NodeId leaf);
  void update_bounds(Node& node);
  std::uint32_t edge_visits(const Node& node, std::uint32_t edge) const;
  float edge_value(const Node& node, std::uint32_t edge) const;
  float unsound_value(Action action) const;
  void put_surest_first(std::span<std::uint16_t> order) const;
  std::size_t add_unsound_choices(std::size_t count);
  Bounds edge_bounds(const Node& node, std::uint32_t edge) const;

  SearchSettings settings_;
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
  // The descent under way and the leaf that waits for answers.
  std::uint32_t depth_ = 0;
  NodeId leaf_ = kNoNode;
  std::size_t next_row_ = 0;

  RootStatistics<G> statistics_;
};

}  // namespace senet

#include "search/backup.inl"
#include "search/decision.inl"
#include "search/descent.inl"
#include "search/expansion.inl"
