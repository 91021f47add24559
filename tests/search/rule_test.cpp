// A rule is a type: a search runs with another one unchanged.
#include <gtest/gtest.h>

#include <cmath>

#include "games/connect_four/connect_four.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

// UCT (Kocsis and Szepesvari 2006), which uses no priors: argmax q + c sqrt(ln N / n), every edge
// once before any twice. The policy target is the played move alone.
class Uct {
 public:
  explicit Uct(float c) : c_(c) {}

  template <class AnyTree>
  void open_root(AnyTree& tree, Node& root, const SearchBudget&, Random&, std::span<float> memory) {
    EXPECT_EQ(memory.size(), root.edges);
    EXPECT_TRUE(root.flags & kEvaluated);
    EXPECT_TRUE(is_decision(turn_of(root)));
    EXPECT_GT(tree.size(), 0u);
    ++roots_opened;
  }

  template <class AnyTree>
  std::uint32_t select(const AnyTree& tree, const Node& node, std::uint32_t depth) {
    deepest = std::max(deepest, depth);
    if (node.opened < node.edges) return node.opened;
    const HotEdges edges = tree.hot(node);
    const float log_visits = std::log(static_cast<float>(node.n));
    std::uint32_t best = 0;
    float best_score = -1e30f;
    for (std::uint32_t i = 0; i < node.opened; ++i) {
      const bool settled = edges.p(i) == 0;  // more visits add nothing
      const float score =
          edges.q(i) + (settled ? 0 : c_ * std::sqrt(log_visits / static_cast<float>(edges.n(i))));
      if (score > best_score) best = i, best_score = score;
    }
    return best;
  }

  template <class AnyTree>
  void decide(const AnyTree&, const Node&, std::span<const Proof>, std::span<std::uint16_t> order,
              std::span<std::uint32_t> targets) {
    targets[order.front()] = 1;
  }

  int roots_opened = 0;
  std::uint32_t deepest = 0;

 private:
  float c_;
};

template <Game G>
struct UctPlayer {
  UctPlayer(std::uint32_t visits)
      : search({}, limits_for<G>(visits, Evaluates::kPosition), Uct(1.4f)),
        evaluator(hash_evaluator<G>(4)),
        batch(4, row_size<G>()) {}

  Decision<G> think(const G& state, std::uint32_t visits) {
    search.start(state, {.visits = visits}, Random(0, 0, 0, Purpose::kNoise));
    run_search(search, *evaluator, batch);
    return search.decision();
  }

  Search<G, Uct> search;
  std::unique_ptr<Evaluator> evaluator;
  Batch batch;
};

// The hash evaluator knows nothing about the game: correct results come from the rule.
TEST(Rule, AnotherOneSolvesTicTacToe) {
  UctPlayer<TicTacToe> player(20'000);
  struct Case {
    const char* moves;
    float value;
    const char* best;
  };
  for (const auto& [moves, value, best] :
       {Case{"a1b1a2b2", 1, "a3"}, Case{"a1c3a3", -1, nullptr}, Case{"a1b2", 0, nullptr},
        Case{"a1b1", 1, nullptr}, Case{"b2b1", 1, nullptr}, Case{"b2a1", 0, nullptr}}) {
    const TicTacToe state = *TicTacToe::from_text(moves);
    const Decision<TicTacToe> decision = player.think(state, 20'000);
    EXPECT_TRUE(decision.proven) << moves;
    EXPECT_EQ(decision.value, value) << moves;
    if (best != nullptr) {
      EXPECT_EQ(state.action_text(decision.best()), best) << moves;
    }
    EXPECT_EQ(decision.choices.front().target, 1u) << moves;
    for (const Choice& choice : decision.choices.subspan(1)) {
      EXPECT_EQ(choice.target, 0u) << moves;
    }
  }
}

// Unlike PUCT, which follows the priors, UCT visits every legal move of the root once before any
// twice.
TEST(Rule, DecidesWhatIsLookedAt) {
  constexpr std::uint32_t kVisits = 1 + 2 * ConnectFour::kMaxLegal;
  UctPlayer<ConnectFour> player(kVisits);
  for (const Choice& choice : player.think({}, kVisits).choices) EXPECT_GE(choice.visits, 1u);

  Search<ConnectFour> puct({}, limits_for<ConnectFour>(kVisits, Evaluates::kPosition));
  puct.start({}, {.visits = kVisits}, Random(0, 0, 0, Purpose::kNoise));
  run_search(puct, *player.evaluator, player.batch);
  const Decision<ConnectFour> decision = puct.decision();
  EXPECT_GT(decision.choices.front().visits, 4u);
  for (const Choice& choice : decision.choices) EXPECT_EQ(choice.target, choice.visits);
}

}  // namespace
}  // namespace senet
