// Several leaves of one search in flight: counts, budgets, full trees, proofs, abandoned visits.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "games/random_moves.hpp"
#include "tests/all_games.hpp"
#include "tests/game_types.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

// What is counted on the way down must be taken back or backed up: every visit of a node ended
// there, once, or took one of its edges. One leaf at a time, a child has at least the visits of
// each edge that leads to it, unless it is proven (descent.hpp relies on it). A noted next edge is
// the one that the rule would select now.
template <Game G>
void expect_sound_counts(const Search<G>& search) {
  const Tree<G>& tree = search.tree();
  const Puct rule(search.settings());
  std::size_t noted = 0;
  for (NodeId id = 0; id < tree.size(); ++id) {
    const Node& node = tree[id];
    EXPECT_EQ(node.flags & kInFlight, 0) << id;
    if (!(node.flags & kEvaluated)) {
      EXPECT_EQ(node.n, 0u) << id;
      continue;
    }
    if (ends_visits(node)) continue;
    std::uint32_t through = 0;
    for (std::uint32_t edge = 0; edge < node.opened; ++edge) {
      through += tree.edge_visits(node, edge);
      const NodeId child = tree.edge_child(node, edge);
      if (search.settings().leaves == 1 && child != kNoNode && !proven(tree[child])) {
        EXPECT_LE(tree.edge_visits(node, edge), tree[child].n) << id;
      }
    }
    EXPECT_EQ(node.n, through + (turn_of(node) == Turn::kChance ? 0 : 1)) << id;
    if (node.next_edge == kNoEdge) continue;
    ++noted;
    EXPECT_EQ(node.next_edge, select(tree, rule, node, 0)) << id;
    EXPECT_EQ(node.next, tree.edge_child(node, node.next_edge)) << id;
  }
  if (search.settings().leaves == 1 && search.visits() > 100 && !search.is_settled()) {
    EXPECT_GT(noted, 0u);
  }
}

template <class G>
class Leaves : public testing::Test {
 protected:
  static SearchSettings settings(std::uint32_t leaves) {
    return {.evaluates = G::kHasAfterstates ? Evaluates::kAfterstates : Evaluates::kPosition,
            .leaves = leaves};
  }
  static TreeLimits limits(std::uint32_t visits) {
    return limits_for<G>(visits, settings(1).evaluates);
  }
  const std::unique_ptr<Evaluator> evaluator = hash_evaluator<G>(256);
  Batch batch{256, row_size<G>()};

  // Gathers until it has found so many leaves or no more can be in flight, without answers. Returns
  // their number.
  std::size_t fill(Search<G>& search, std::size_t most = SIZE_MAX) {
    std::size_t found = 0;
    while (!search.waits() && found < most) {
      const Step step = search.gather(batch);
      if (step == Step::kDone) break;
      if (step == Step::kBatchFull) {
        evaluator->forward(batch);
        batch.clear();
        search.gather(batch);
      }
      found += step == Step::kWaiting || step == Step::kBatchFull ? 1 : 0;
    }
    return found;
  }

  static std::size_t proofs(const Search<G>& search) {
    std::size_t count = 0;
    for (NodeId id = 0; id < search.tree().size(); ++id) {
      count += proven(search.tree()[id]) ? 1 : 0;
    }
    return count;
  }

  // Runs the search to its end. Returns the number of passes in which a position was proven after a
  // leaf had been found, and before its answers.
  std::size_t proving_passes(Search<G>& search) {
    std::size_t passes = 0;
    while (fill(search, 1) > 0) {
      if (!search.waits()) {
        const std::size_t before = proofs(search);
        fill(search);
        passes += proofs(search) > before ? 1 : 0;
      }
      evaluator->forward(batch);
      batch.clear();
      while (search.has_leaf()) search.absorb();
    }
    return passes;
  }
};
TYPED_TEST_SUITE(Leaves, GameTypes, GameName);

TYPED_TEST(Leaves, AreCountedOnceAndWithinTheBudget) {
  using G = TypeParam;
  for (const std::uint32_t leaves : {1u, 2u, 8u, 64u}) {
    for (const std::uint32_t visits : {1u, 33u, 250u, 1000u}) {
      Search<G> search(this->settings(leaves), this->limits(visits));
      search.start(first_decision<G>(), {visits, true}, Random(3, 0, 0, Purpose::kNoise));
      run_search(search, *this->evaluator, this->batch);
      const Decision<G> decision = search.decision();
      if (!decision.proven) {
        EXPECT_EQ(decision.visits, visits) << leaves;
      }
      expect_sound_counts(search);
    }
  }
}

TYPED_TEST(Leaves, GrowWithTheTree) {
  using G = TypeParam;
  Search<G> search(this->settings(8), this->limits(2000));
  search.start(first_decision<G>(), {2000, false}, kNoNoise);
  EXPECT_EQ(this->fill(search), 1u);
  std::size_t most = 1;
  for (int wave = 0; wave < 100; ++wave) {
    this->evaluator->forward(this->batch);
    this->batch.clear();
    while (search.has_leaf()) search.absorb();
    const std::size_t found = this->fill(search);
    EXPECT_LE(found, std::min(8u, 1 + search.visits() / 32));
    most = std::max(most, found);
  }
  EXPECT_EQ(most, 8u);
}

TYPED_TEST(Leaves, NoneJoinsThoseOfAHeldSearch) {
  using G = TypeParam;
  Search<G> search(this->settings(16), this->limits(2000));
  search.start(first_decision<G>(), {2000}, Random(1, 0, 0, Purpose::kNoise));
  search.hold();  // nothing is in flight: no effect
  int held = 0, held_late = 0;
  for (bool late = false; search.visits() < 1500 && !search.is_settled(); late = !late) {
    const std::size_t found = this->fill(search, 3);
    if (found == 3 && !search.waits() && !late) {
      ++held;
      search.hold();
      EXPECT_EQ(this->fill(search), 0u);
    }
    this->evaluator->forward(this->batch);
    this->batch.clear();
    for (std::size_t i = 0; i < found; ++i) search.absorb();
    if (late && search.has_leaf()) {
      search.hold();  // all have their answers: they are expanded at once
      ++held_late;
    }
    EXPECT_FALSE(search.has_leaf() && found == 3);
    if (!search.has_leaf()) expect_sound_counts(search);
  }
  EXPECT_TRUE(search.is_settled() || (held > 10 && held_late > 10)) << held << ' ' << held_late;
}

TYPED_TEST(Leaves, AbandonedVisitsLeaveNoTrace) {
  using G = TypeParam;
  const G root = first_decision<G>();
  Search<G> fresh(this->settings(8), this->limits(600));
  fresh.start(root, {300, false}, kNoNoise);
  run_search(fresh, *this->evaluator, this->batch);
  auto spare = std::make_unique<Tree<G>>(this->limits(600));
  Search<G> search(this->settings(8), this->limits(600));
  for (int times = 0; times < 3; ++times) {
    search.start(root, {300, false}, kNoNoise, &spare);
    run_search(search, *this->evaluator, this->batch);
    search.start(root, {600, false}, kNoNoise, &spare);
    if (search.is_settled()) return;
    EXPECT_GT(this->fill(search), 1u);
    this->batch.clear();
    search.start(root, {300, false}, kNoNoise, &spare);
    EXPECT_GE(search.visits(), 300u);  // and those that needed no answers
    expect_sound_counts(search);
    search.forget();
    search.start(root, {300, false}, kNoNoise, &spare);
    run_search(search, *this->evaluator, this->batch);
    EXPECT_EQ(signature(search.decision()), signature(fresh.decision()));
  }
}

TYPED_TEST(Leaves, EndWhenTheTreeIsFull) {
  using G = TypeParam;
  for (const std::uint32_t room : {20u, 50u, 200u}) {
    Search<G> search(this->settings(16), this->limits(room));
    search.start(first_decision<G>(), {100000, false}, kNoNoise);
    run_search(search, *this->evaluator, this->batch);
    EXPECT_TRUE(search.is_full() || search.is_settled());
    EXPECT_GE(search.visits(), 1u);
    expect_sound_counts(search);
  }
}

// A position that two paths reach waits for one answer, whatever the path.
TEST(LeavesInFlight, AreDifferentPositions) {
  using G = TicTacToe;
  const auto evaluator = hash_evaluator<G>(64);
  Batch batch(64, row_size<G>());
  Search<G> search({.leaves = 16}, limits_for<G>(2000, Evaluates::kPosition));
  search.start(G(), {2000, false}, kNoNoise);
  std::size_t shared = 0;  // leaves in flight that several visited edges lead to
  for (;;) {
    std::size_t found = 0;
    Step step = Step::kPaused;
    while (!search.waits() && step != Step::kDone) {
      step = search.gather(batch);
      found += step == Step::kWaiting ? 1 : 0;
    }
    const Tree<G>& tree = search.tree();
    std::map<NodeId, int> edges_to;  // visited edges
    for (NodeId id = 0; id < tree.size(); ++id) {
      for (std::uint32_t edge = 0; edge < tree[id].opened; ++edge) {
        const NodeId child = tree.hot(tree[id]).child(edge);
        if (child != kNoNode && tree.edge_visits(tree[id], edge) > 0) ++edges_to[child];
      }
    }
    std::size_t in_flight = 0;
    for (NodeId id = 0; id < tree.size(); ++id) {
      if (!(tree[id].flags & kInFlight)) continue;
      ++in_flight;
      shared += edges_to[id] > 1 ? 1 : 0;
    }
    EXPECT_EQ(in_flight, found);
    if (step == Step::kDone) break;
    evaluator->forward(batch);
    batch.clear();
    while (search.has_leaf()) search.absorb();
    expect_sound_counts(search);
  }
  EXPECT_GT(shared, 0u);
}

// Each roll of the dice has its share of the visits, also counting those in flight: D'Hondt's rule
// gives each at least the whole part of its share.
TEST(LeavesInFlight, KeepTheQuotasOfTheDice) {
  using G = Backgammon;
  for (const std::uint32_t leaves : {1u, 16u}) {
    const SearchSettings settings{.evaluates = Evaluates::kAfterstates, .leaves = leaves};
    const auto evaluator = hash_evaluator<G>(256);
    Batch batch(256, row_size<G>());
    Search<G> search(settings, limits_for<G>(3000, settings.evaluates));
    search.start(first_decision<G>(), {3000, false}, kNoNoise);
    run_search(search, *evaluator, batch);
    const Tree<G>& tree = search.tree();
    std::size_t dice = 0;
    for (NodeId id = 0; id < tree.size(); ++id) {
      const Node& node = tree[id];
      if (turn_of(node) != Turn::kChance || node.n < 50) continue;
      ++dice;
      for (std::uint32_t edge = 0; edge < node.edges; ++edge) {
        const float p = unpack_share(tree.cold(node)[edge].prior);
        const std::uint32_t n = edge < node.opened ? tree.edge_visits(node, edge) : 0;
        EXPECT_GT(static_cast<float>(n) + 1.01f, p * static_cast<float>(node.n)) << id << leaves;
        EXPECT_LT(static_cast<float>(n), p * static_cast<float>(node.n) + 3) << id << leaves;
      }
    }
    EXPECT_GT(dice, 0u);
  }
}

// Proofs that arrive while other leaves are in flight are as exact as ever.
TYPED_TEST(Leaves, ProofsAreExact) {
  using G = TypeParam;
  if (player_count(G{}) == 1) return;  // has no proofs
  std::size_t equal = 0, together = 0;
  for (std::uint64_t game = 0; game < 20; ++game) {
    Random draw(3, game, 0, Purpose::kTest);
    std::vector<G> decisions;
    for (G state; state.turn() != Turn::kOver; state.play(draw_action(state, draw))) {
      if (is_decision(state.turn())) decisions.push_back(state);
    }
    for (const std::size_t from_end : {1u, 5u, 8u}) {
      // With dice, only last decisions are proven.
      if (decisions.size() < from_end || (has_dice(G{}) && from_end > 1)) continue;
      float value[2] = {0, 0};
      bool is_proven[2] = {false, false};
      for (const bool many : {false, true}) {
        Search<G> search(this->settings(many ? 16 : 1), this->limits(3000));
        search.start(decisions[decisions.size() - from_end], {3000, false}, kNoNoise);
        together += this->proving_passes(search);
        const Decision<G> decision = search.decision();
        value[many] = decision.value;
        is_proven[many] = decision.proven;
        expect_sound_counts(search);
      }
      if (!is_proven[0] || !is_proven[1]) continue;
      EXPECT_EQ(value[0], value[1]) << game << " " << from_end;
      ++equal;
    }
  }
  EXPECT_GT(equal, 3u);
  if (!has_dice(G{})) {
    EXPECT_GT(together, 10u);
  }
}

TYPED_TEST(Leaves, NoiseDependsOnItsSeedOnly) {
  using G = TypeParam;
  const auto run = [&](std::uint64_t seed) {
    Search<G> search(this->settings(8), this->limits(400));
    search.start(first_decision<G>(), {400, true}, Random(seed, 0, 0, Purpose::kNoise));
    run_search(search, *this->evaluator, this->batch);
    return signature(search.decision());
  };
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(3), run(4));
}

}  // namespace
}  // namespace senet
