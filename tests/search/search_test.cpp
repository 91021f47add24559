// Requirements for searches of every game: budgets, limits, tables, afterstates, tree reuse, and
// trees that never change by accident.
#include "search/search.hpp"

#include <gtest/gtest.h>

#include "games/random_moves.hpp"
#include "tests/all_games.hpp"
#include "tests/game_types.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

// Every outcome equally likely, every action equally good.
class UniformEvaluator final : public Evaluator {
 public:
  std::string_view name() const override { return "uniform"; }
  void load(const Weights&) override {}
  using Evaluator::forward;
  void forward(Batch& batch, std::size_t first, std::size_t last) override {
    for (std::size_t row = first; row < last; ++row) {
      const RowResult& answer = batch.answer(row);
      const auto ends = static_cast<float>(answer.outcomes.size());
      std::fill(answer.outcomes.begin(), answer.outcomes.end(), 1.0f / ends);
      std::fill_n(answer.logits, answer.wanted.size(), 0.0f);
    }
  }
};

// Plays a whole game, searching every decision; returns the signature of all decisions.
template <Game G>
std::uint64_t game_signature(const SearchSettings& settings, std::uint32_t visits, bool reuse,
                             std::size_t batch_rows) {
  const TreeLimits limits = limits_for<G>(visits, settings.evaluates);
  Search<G> search(settings, limits);
  auto spare = std::make_unique<Tree<G>>(limits);
  const auto evaluator = hash_evaluator<G>(batch_rows);
  Batch batch(batch_rows, row_size<G>());
  std::uint64_t sign = 0;
  G state;
  for (std::uint32_t ply = 0; ply < 60 && state.turn() != Turn::kOver; ++ply) {
    if constexpr (StochasticGame<G>) {
      if (state.turn() == Turn::kChance) {
        std::array<float, kMaxChance<G>> probability;
        const auto outcomes = static_cast<std::uint32_t>(state.chance(probability));
        state.play(static_cast<Action>(Random(7, 0, ply, Purpose::kTest).below(outcomes)));
        continue;
      }
    }
    search.start(state, {visits, true}, Random(7, 0, ply, Purpose::kNoise),
                 reuse ? &spare : nullptr);
    run_search(search, *evaluator, batch);
    const Decision<G> decision = search.decision();
    EXPECT_TRUE(decision.visits >= visits || decision.proven) << ply;
    EXPECT_FALSE(decision.full);
    EXPECT_LE(std::abs(decision.value), G::kValueRange);
    float sum = 0;
    for (const float share : decision.outcomes) sum += share;
    EXPECT_NEAR(sum, 1.0f, 1e-4f);
    sign = signature(decision, sign);
    state.play(decision.best());
  }
  return sign;
}

template <class G>
class EveryGame : public testing::Test {};
TYPED_TEST_SUITE(EveryGame, GameTypes, GameName);

// Three searches share one scratch and find the same as each finds alone.
TYPED_TEST(EveryGame, SearchesCanShareAScratch) {
  using G = TypeParam;
  constexpr std::uint32_t kVisits = 40;
  for (const Evaluates evaluates : {Evaluates::kPosition, Evaluates::kAfterstates}) {
    if (evaluates == Evaluates::kAfterstates && !G::kHasAfterstates) continue;
    const SearchSettings settings{.evaluates = evaluates};
    const TreeLimits limits = limits_for<G>(kVisits, evaluates);
    const auto evaluator = hash_evaluator<G>(7);
    Batch batch(7, row_size<G>());  // smaller than many positions' afterstates
    const auto noise = [](std::uint64_t i) { return Random(i, 0, 0, Purpose::kNoise); };
    ScratchPool<G> scratches(1);
    std::vector<std::unique_ptr<Search<G>>> searches;
    std::vector<std::uint64_t> alone;
    for (std::uint64_t i = 0; i < 3; ++i) {
      Search<G> own(settings, limits);
      own.start(G(), {kVisits, true}, noise(i));
      run_search(own, *evaluator, batch);
      alone.push_back(signature(own.decision(), 0));
      searches.push_back(std::make_unique<Search<G>>(settings, limits, default_heap()));
      searches.back()->share_scratches(scratches);
      searches.back()->start(G(), {kVisits, true}, noise(i));
    }
    for (bool any = true; any;) {
      any = false;
      for (const auto& search : searches) {
        Step step;
        do {
          step = search->gather(batch);
          evaluator->forward(batch);
          batch.clear();
          search->absorb();
        } while (search->has_leaf());
        any |= step != Step::kDone;
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(signature(searches[i]->decision(), 0), alone[i]) << i;
    }
  }
}

TYPED_TEST(EveryGame, ProvenRootsAreExact) {
  if (player_count(TypeParam{}) == 1) return;  // has no proofs: one_player_test.cpp
  // The last decision of a random playout: there a search finds the result, by proof unless dice
  // intervene.
  std::size_t proofs = 0;
  for (std::uint64_t game = 0; game < 20; ++game) {
    Random draw(3, game, 0, Purpose::kTest);
    TypeParam state, last;
    while (state.turn() != Turn::kOver) {
      if (is_decision(state.turn())) last = state;
      state.play(draw_action(state, draw));
    }
    Search<TypeParam> search({}, limits_for<TypeParam>(4000, Evaluates::kPosition));
    const auto evaluator = hash_evaluator<TypeParam>(8);
    Batch batch(8, row_size<TypeParam>());
    search.start(last, {4000, false}, kNoNoise);
    run_search(search, *evaluator, batch);
    const Decision<TypeParam> decision = search.decision();
    const Player mover = last.turn() == Turn::kPlayer1 ? 1 : 0;
    // The player who ended the playout can get at least that result; a proof may promise more,
    // never less.
    proofs += decision.proven;
    if (decision.proven) {
      EXPECT_GE(decision.value, final_value(state, mover));
    }
  }
  EXPECT_GE(proofs, kMaxChance<TypeParam> > 0 ? 1u : 20u);
}

TYPED_TEST(EveryGame, StopsWhenTheTreeIsFullAndSaysSo) {
  const SearchSettings settings;
  Search<TypeParam> search(settings, limits_for<TypeParam>(30, settings.evaluates));
  const auto evaluator = hash_evaluator<TypeParam>(4);
  Batch batch(4, row_size<TypeParam>());
  TypeParam state;
  if constexpr (StochasticGame<TypeParam>) {
    if (state.turn() == Turn::kChance) state.play(0);
  }
  search.start(state, {100'000, false}, kNoNoise);
  run_search(search, *evaluator, batch);
  EXPECT_TRUE(search.decision().full);
  EXPECT_GE(search.decision().visits, 20u);
  EXPECT_LE(search.tree().size(), search.tree().limits().nodes);
  EXPECT_LE(search.tree().used_words(), search.tree().limits().words);
}

// A ponderhit, for example, continues with all that pondering has found.
TYPED_TEST(EveryGame, KeepsAFullTreeOfTheSamePosition) {
  const SearchSettings settings{.reuse_tree = true};
  const TreeLimits limits = limits_for<TypeParam>(30, settings.evaluates);
  Search<TypeParam> search(settings, limits);
  auto spare = std::make_unique<Tree<TypeParam>>(limits);
  const auto evaluator = hash_evaluator<TypeParam>(4);
  Batch batch(4, row_size<TypeParam>());
  const TypeParam state = first_decision<TypeParam>();
  std::uint32_t before = 0;
  for (int time = 0; time < 2; ++time) {
    search.start(state, {100'000, false}, kNoNoise, &spare);
    EXPECT_EQ(search.visits(), before);
    run_search(search, *evaluator, batch);
    EXPECT_TRUE(search.decision().full);
    before = search.visits();
  }
  EXPECT_GE(before, 20u);
}

TYPED_TEST(EveryGame, FitAnswersWhatTheTreeReserves) {
  for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{16} << 20}) {
    const auto size = [](std::uint32_t n) {
      return Tree<TypeParam>::bytes(limits_for<TypeParam>(n, Evaluates::kPosition));
    };
    const auto fits = [&](std::uint32_t n) { return size(n) <= bytes; };
    const auto visits = largest_that_fits(1u << 24, fits);
    ASSERT_GT(visits, 0u);
    EXPECT_LE(size(visits), bytes);
    EXPECT_GT(size(visits + 1), bytes);
  }
  EXPECT_EQ(largest_that_fits(1u << 24, [](std::uint32_t) { return false; }), 0u);
}

TEST(Search, AFamilyMaySpanForwardPasses) {
  SearchSettings settings;
  settings.evaluates = Evaluates::kAfterstates;
  const auto whole = game_signature<Backgammon>(settings, 20, false, 512);
  EXPECT_EQ(whole, game_signature<Backgammon>(settings, 20, false, 1));
  EXPECT_EQ(whole, game_signature<Backgammon>(settings, 20, false, 7));
}

TEST(Search, OneVisitExpandsTheRootAndPlaysTheBestAfterstate) {
  SearchSettings settings;
  settings.evaluates = Evaluates::kAfterstates;
  Search<Backgammon> search(settings, limits_for<Backgammon>(1, settings.evaluates));
  const auto evaluator = hash_evaluator<Backgammon>(64);
  Batch batch(64, row_size<Backgammon>());
  Backgammon state;
  state.play(3);
  ActionList<Backgammon::kMaxLegal> legal;
  state.legal(legal);
  search.start(state, {1, false}, kNoNoise);
  run_search(search, *evaluator, batch);
  const Decision<Backgammon> decision = search.decision();
  EXPECT_EQ(decision.visits, 1u);
  EXPECT_EQ(decision.evaluations, legal.size());
  for (const Choice& choice : decision.choices) {
    EXPECT_LE(choice.value, decision.choices.front().value);
    const float mean = mean_value(state, search.outcomes_after(choice.action));
    EXPECT_NEAR(mean, choice.value, 2e-4f);
  }
  EXPECT_NEAR(decision.value, decision.choices.front().value, 2e-4f);
}

TEST(Search, ReusedTreesKeepTheirVisits) {
  const TreeLimits limits = limits_for<ConnectFour>(400, Evaluates::kPosition);
  Search<ConnectFour> search({}, limits);
  auto spare = std::make_unique<Tree<ConnectFour>>(limits);
  const auto evaluator = hash_evaluator<ConnectFour>(8);
  Batch batch(8, row_size<ConnectFour>());
  ConnectFour state;
  search.start(state, {400, false}, kNoNoise, &spare);
  run_search(search, *evaluator, batch);
  const Decision<ConnectFour> first = search.decision();
  const Choice best = first.choices.front();
  state.play(best.action);
  search.start(state, {1, false}, kNoNoise, &spare);
  run_search(search, *evaluator, batch);
  const Decision<ConnectFour> second = search.decision();
  EXPECT_GE(second.visits, best.visits);
  EXPECT_EQ(second.evaluations, 0u);
  // Nothing was evaluated, yet the expected outcome agrees with the value.
  EXPECT_NEAR(mean_value(state, second.outcomes), second.value, 1e-4f);
  EXPECT_NEAR(second.value, -best.value, 1e-4f);
}

// The move to play has the highest lower confidence bound of those with enough visits; proven
// values are certain.
TYPED_TEST(EveryGame, TheSurestMoveIsPlayed) {
  using G = TypeParam;
  const auto evaluator = hash_evaluator<G>(8);
  Batch batch(8, row_size<G>());
  Search<G> search({}, limits_for<G>(60, Evaluates::kPosition));
  std::size_t not_the_most_visited = 0;
  for (std::uint64_t game = 0; game < 10; ++game) {
    G state;
    for (std::uint32_t ply = 0; ply < 30 && state.turn() != Turn::kOver; ++ply) {
      if (state.turn() == Turn::kChance) {
        state.play(static_cast<Action>(Random(3, game, ply, Purpose::kTest).below(15)));
        continue;
      }
      search.start(state, {60, true}, Random(3, game, ply, Purpose::kNoise));
      run_search(search, *evaluator, batch);
      const Decision<G> decision = search.decision();
      const Choice& played = decision.choices.front();
      if (!decision.proven) {
        const auto lower_bound = [&](const Choice& choice) {
          return choice.value -
                 kChoiceRadius * G::kValueRange / std::sqrt(static_cast<float>(choice.visits));
        };
        const auto most = static_cast<float>(
            std::ranges::max_element(decision.choices, {}, &Choice::visits)->visits);
        not_the_most_visited += static_cast<float>(played.visits) < most;
        for (const Choice& choice : decision.choices) {
          if (choice.visits == 0 || static_cast<float>(choice.visits) < kChoiceShare * most) {
            continue;
          }
          const bool may_be_proven = played.value == std::round(played.value);
          EXPECT_LE(lower_bound(choice), may_be_proven ? played.value : lower_bound(played));
        }
      }
      state.play(decision.choices[ply % decision.choices.size()].action);
    }
  }
  EXPECT_GT(not_the_most_visited, 0u);
}

// Checks that a search lists every legal move of its root once, unsound moves last.
void expect_all_legal(const ConnectFour& state, const Decision<ConnectFour>& decision) {
  std::vector<Action> listed;
  for (const Choice& choice : decision.choices) listed.push_back(choice.action);
  ActionList<ConnectFour::kMaxLegal> sound;
  state.sound(sound);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    EXPECT_EQ(std::ranges::binary_search(sound, listed[i]), i < sound.size()) << state.text();
  }
  std::ranges::sort(listed);
  ActionList<ConnectFour::kMaxLegal> legal;
  state.legal(legal);
  EXPECT_TRUE(std::ranges::equal(listed, legal)) << state.text();
}

// The player to move must block three in the first column, and every other move loses: X in the
// first position, O in the second.
TEST(Search, MovesThatLoseAtOnceGetNoThoughtButAreTold) {
  const auto evaluator = hash_evaluator<ConnectFour>(8);
  Batch batch(8, row_size<ConnectFour>());
  for (const char* const moves : {"217161", "12171"}) {
    const ConnectFour state = *ConnectFour::from_text(moves);
    Search<ConnectFour> search({}, limits_for<ConnectFour>(200, Evaluates::kPosition));
    search.start(state, {200, true}, kNoNoise);
    run_search(search, *evaluator, batch);
    const Decision<ConnectFour> decision = search.decision();
    expect_all_legal(state, decision);
    EXPECT_EQ(state.action_text(decision.best()), "1");
    EXPECT_EQ(decision.choices.front().visits, decision.visits - 1);
    EXPECT_EQ(decision.choices.front().prior, 1.0f);
    for (const Choice& choice : decision.choices.subspan(1)) {
      EXPECT_EQ(choice.visits, 0u);
      EXPECT_EQ(choice.prior, 0.0f);
      EXPECT_EQ(choice.value, -1.0f);
      EXPECT_EQ(mean_value(state, search.outcomes_after(choice.action)), -1.0f);
    }
  }
}

TEST(Search, AmongGivenMovesListsNoOthers) {
  const auto evaluator = hash_evaluator<ConnectFour>(8);
  Batch batch(8, row_size<ConnectFour>());
  const ConnectFour state = *ConnectFour::from_text("217161");
  Search<ConnectFour> search({}, limits_for<ConnectFour>(200, Evaluates::kPosition));
  for (const std::vector<Action>& only : {std::vector<Action>{0}, {1, 2}}) {
    search.start(state, {.visits = 50, .only = only}, kNoNoise);
    run_search(search, *evaluator, batch);
    std::vector<Action> listed;
    for (const Choice& choice : search.decision().choices) listed.push_back(choice.action);
    std::ranges::sort(listed);
    EXPECT_EQ(listed, only);
  }
}

// An immediate win, and a position in which every move loses, are proven with a single evaluation.
TEST(Search, OneSoundMoveMayDecideTheGame) {
  const auto evaluator = hash_evaluator<ConnectFour>(8);
  Batch batch(8, row_size<ConnectFour>());
  struct Case {
    const char* moves;
    float value;
  };
  for (const auto& [moves, value] : {Case{"112233", 1}, Case{"22334", -1}}) {
    const ConnectFour state = *ConnectFour::from_text(moves);
    Search<ConnectFour> search({}, limits_for<ConnectFour>(200, Evaluates::kPosition));
    search.start(state, {200, false}, kNoNoise);
    run_search(search, *evaluator, batch);
    const Decision<ConnectFour> decision = search.decision();
    expect_all_legal(state, decision);
    EXPECT_TRUE(decision.proven) << moves;
    EXPECT_EQ(decision.value, value) << moves;
    EXPECT_EQ(decision.evaluations, 1u) << moves;
  }
}

// Forced replies have no nodes; the tree behind them is kept nevertheless, whether the next search
// starts before or after them.
TEST(Search, ReuseReachesThroughForcedReplies) {
  const TreeLimits limits = limits_for<ConnectFour>(400, Evaluates::kPosition);
  const auto evaluator = hash_evaluator<ConnectFour>(8);
  Batch batch(8, row_size<ConnectFour>());
  const ConnectFour state = *ConnectFour::from_text("1213");  // X can threaten four in a row
  ConnectFour forced = state;
  forced.play(0);
  ConnectFour behind = forced;
  behind.play(0);
  for (const ConnectFour& next : {forced, behind}) {
    Search<ConnectFour> search({}, limits);
    auto spare = std::make_unique<Tree<ConnectFour>>(limits);
    search.start(state, {400, false}, kNoNoise, &spare);
    run_search(search, *evaluator, batch);
    const Decision<ConnectFour> first = search.decision();
    const auto choice = std::ranges::find(first.choices, Action{0}, &Choice::action);
    const Choice before = *choice;
    ASSERT_GT(before.visits, 10u);
    EXPECT_EQ(search.tree().find(forced.key()), kNoNode);
    search.start(next, {before.visits, false}, kNoNoise, &spare);
    run_search(search, *evaluator, batch);
    const Decision<ConnectFour> second = search.decision();
    EXPECT_GE(second.visits, before.visits);
    EXPECT_LE(second.evaluations, next == forced ? 1u : 0u);
    expect_all_legal(next, second);
  }
}

// A search that is abandoned after any number of forward passes, with or without rows in the batch,
// leaves nothing that affects the next one; with a reused tree, nothing that harms it.
TEST(Search, StartGivesUpASearchUnderWay) {
  const TreeLimits limits = limits_for<ConnectFour>(100, Evaluates::kPosition);
  const auto evaluator = hash_evaluator<ConnectFour>(8);
  Batch batch(8, row_size<ConnectFour>());
  Search<ConnectFour> fresh({}, limits);
  fresh.start(ConnectFour{}, {100, false}, kNoNoise);
  run_search(fresh, *evaluator, batch);
  const std::uint64_t expected = signature(fresh.decision());
  for (int passes = 0; passes < 40; ++passes) {
    for (const bool keeps_tree : {false, true}) {
      Search<ConnectFour> search({}, limits);
      auto spare = std::make_unique<Tree<ConnectFour>>(limits);
      search.start(ConnectFour{}, {100, false}, kNoNoise);
      for (int pass = 0; pass <= passes; ++pass) {
        ASSERT_EQ(search.gather(batch), Step::kWaiting);
        if (pass == passes) break;
        evaluator->forward(batch);
        batch.clear();
        search.absorb();
      }
      batch.clear();
      search.start(ConnectFour{}, {100, false}, kNoNoise, keeps_tree ? &spare : nullptr);
      run_search(search, *evaluator, batch);
      const Decision<ConnectFour> decision = search.decision();
      EXPECT_EQ(decision.visits, 100u) << passes;
      if (passes < 10) {
        EXPECT_GT(decision.evaluations, 0u) << passes;
      }
      if (!keeps_tree) {
        EXPECT_EQ(signature(decision), expected) << passes;
      }
    }
  }
}

TEST(Search, PolicyTemperatureMakesPriorsFlatter) {
  const auto evaluator = hash_evaluator<ConnectFour>(8);
  const auto priors = [&](float temperature) {
    const SearchSettings settings{.policy_temperature = temperature};
    Search<ConnectFour> search(settings, limits_for<ConnectFour>(1, Evaluates::kPosition));
    Batch batch(8, row_size<ConnectFour>());
    search.start(ConnectFour{}, {1, false}, kNoNoise);
    run_search(search, *evaluator, batch);
    std::array<double, 7> prior{};
    for (const Choice& choice : search.decision().choices) {
      prior[choice.action] = static_cast<double>(choice.prior);
    }
    return prior;
  };
  const auto plain = priors(1), flat = priors(2);
  double sum = 0;
  for (const double prior : plain) sum += std::sqrt(prior);
  EXPECT_GT(std::ranges::max(plain), std::ranges::max(flat) + 0.01);
  // Priors are stored in 16 bits.
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(flat[i], std::sqrt(plain[i]) / sum, 1e-3);
}

TEST(Search, NoiseChangesTheRootOnly) {
  Search<ConnectFour> search({}, limits_for<ConnectFour>(100, Evaluates::kPosition));
  const auto evaluator = hash_evaluator<ConnectFour>(8);
  Batch batch(8, row_size<ConnectFour>());
  const auto priors = [&](bool noise, std::uint64_t seed) {
    search.start(ConnectFour{}, {100, noise}, Random(seed, 0, 0, Purpose::kNoise));
    run_search(search, *evaluator, batch);
    std::array<float, 7> prior{};
    for (const Choice& choice : search.decision().choices) prior[choice.action] = choice.prior;
    return std::pair(prior, signature(search.decision()));
  };
  EXPECT_EQ(priors(true, 1).first, priors(false, 1).first);  // the reported prior is without noise
  EXPECT_EQ(priors(true, 1).second, priors(true, 1).second);
  EXPECT_NE(priors(true, 1).second, priors(true, 2).second);
  EXPECT_EQ(priors(false, 1).second, priors(false, 2).second);
}

// Values are for the player to move: positions with a win in one have the right value for either
// player, regardless of the network.
TEST(Search, ConnectFourTactics) {
  struct Case {
    const char* moves;
    float value;
    const char* best;
  };
  for (const auto& [moves, value, best] : {Case{"112233", 1, "4"}, Case{"4455", 1, nullptr},
                                           Case{"44556", -1, nullptr}, Case{"7112233", 1, "4"}}) {
    Search<ConnectFour> search({}, limits_for<ConnectFour>(20'000, Evaluates::kPosition));
    UniformEvaluator evaluator;
    Batch batch(8, row_size<ConnectFour>());
    const Result<ConnectFour> state = ConnectFour::from_text(moves);
    ASSERT_TRUE(state) << moves;
    ASSERT_NE(state->turn(), Turn::kOver) << moves;
    search.start(*state, {20'000, false}, kNoNoise);
    run_search(search, evaluator, batch);
    const Decision<ConnectFour> decision = search.decision();
    EXPECT_TRUE(decision.proven) << moves;
    EXPECT_EQ(decision.value, value) << moves;
    if (best != nullptr) {
      EXPECT_EQ(state->action_text(decision.best()), best) << moves;
    }
  }
}

TEST(Search, TicTacToeIsADraw) {
  Search<TicTacToe> search({}, limits_for<TicTacToe>(200'000, Evaluates::kPosition));
  UniformEvaluator evaluator;
  Batch batch(8, row_size<TicTacToe>());
  search.start(TicTacToe{}, {200'000, false}, kNoNoise);
  run_search(search, evaluator, batch);
  EXPECT_NEAR(search.decision().value, 0.0f, 0.02f);
  EXPECT_LE(search.tree().size(), 5478u);  // transpositions share a node
}

// The target to the power of 1 / temperature; proven results are not put at risk.
TEST(DrawChoice, FollowsTheTarget) {
  std::array<Choice, 3> choices{};
  choices[0].action = 4, choices[0].target = 30;
  choices[1].action = 1, choices[1].target = 10;
  choices[2].action = 2;
  Decision<ConnectFour> decision{};
  decision.choices = choices;
  constexpr std::uint32_t kDraws = 10'000;
  const auto share_of_best = [&](float temperature) {
    std::size_t best = 0;
    for (std::uint32_t ply = 0; ply < kDraws; ++ply) {
      const Random draw(1, 0, ply, Purpose::kMove);
      const Action action = draw_choice(decision, temperature, draw);
      EXPECT_NE(action, 2);
      best += action == 4 ? 1 : 0;
    }
    return static_cast<double>(best) / kDraws;
  };
  EXPECT_NEAR(share_of_best(1), 3.0 / 4, 0.02);
  EXPECT_NEAR(share_of_best(0.5f), 9.0 / 10, 0.02);
  EXPECT_EQ(share_of_best(0), 1);
  decision.proven = true;
  EXPECT_EQ(share_of_best(1), 1);
}

// Visits and prior to the power of 1 / temperature; a move that is known to lose too much, or is
// not sound, is never drawn.
TEST(DrawAtLevel, DrawsGoodMovesOnly) {
  std::array<Choice, 6> choices{};
  choices[0] = {.action = 4, .visits = 20, .target = 0, .prior = 0.5f, .value = 0.4f};
  choices[1] = {.action = 1, .visits = 5, .target = 0, .prior = 0.125f, .value = 0.3f};
  choices[2] = {.action = 2, .visits = 4, .target = 0, .prior = 0.2f, .value = -0.3f};
  choices[3] = {.action = 3, .visits = 0, .target = 0, .prior = 0.175f, .value = -0.2f};
  choices[4] = {.action = 5, .visits = 0, .target = 0, .prior = 0, .value = -0.2f};  // not sound
  choices[5] = {.action = 0, .visits = 0, .target = 0, .prior = 0.3f, .value = -1};  // proven lost
  Decision<ConnectFour> decision{};
  decision.choices = choices;
  decision.value = -0.2f;  // also of a move without visits
  decision.visits = 30;
  constexpr std::uint32_t kDraws = 10'000;
  const auto shares = [&](const Level& level) {
    std::array<double, 6> share{};
    for (std::uint32_t ply = 0; ply < kDraws; ++ply) {
      const Random draw(1, 0, ply, Purpose::kMove);
      share[draw_at_level(decision, level, draw)] += 1.0 / kDraws;
    }
    return share;
  };
  const auto sharp = shares({.visits = 30, .temperature = 1, .most_loss = 0.5f});
  EXPECT_NEAR(sharp[1] / sharp[4], 0.25, 0.02);  // (5 + 0.125) / (20 + 0.5)
  EXPECT_GT(sharp[3], 0.001);
  for (const std::size_t never : {2u, 5u, 0u}) EXPECT_EQ(sharp[never], 0) << never;
  const auto flat = shares({.visits = 30, .temperature = 2, .most_loss = 1});
  EXPECT_NEAR(flat[1] / flat[4], 0.5, 0.05);
  EXPECT_GT(flat[2], 0.1);
  EXPECT_GT(flat[3], 0.02);
  EXPECT_EQ(flat[0], 0);
  EXPECT_NEAR(shares({.visits = 30})[4], 1, 1e-9);
  decision.visits = 1;  // the network alone: its policy, and the loss counts for every move
  for (Choice& choice : choices) choice.visits = 0;
  const auto alone = shares({.visits = 1, .temperature = 1, .most_loss = 0.5f});
  EXPECT_NEAR(alone[3] / alone[4], 0.35, 0.05);
  EXPECT_EQ(alone[2], 0);
  decision.proven = true;
  EXPECT_NEAR(shares({.visits = 1, .temperature = 9, .most_loss = 9})[4], 1, 1e-9);
}

// A change of these numbers means that searches behave differently: give the reason in the commit.
TEST(Search, GoldenTrees) {
  SearchSettings afterstates;
  afterstates.evaluates = Evaluates::kAfterstates;
  EXPECT_EQ(game_signature<TicTacToe>({}, 100, true, 16), 17141160699479829244u);
  EXPECT_EQ(game_signature<ConnectFour>({}, 200, true, 16), 7885343205134356565u);
  EXPECT_EQ(game_signature<Backgammon>({}, 100, true, 16), 9235046865772884840u);
  EXPECT_EQ(game_signature<Backgammon>(afterstates, 30, true, 64), 13388017403293869391u);
  afterstates.leaves = 8;
  EXPECT_EQ(game_signature<ConnectFour>({.leaves = 8}, 400, true, 64), 12597371350292711931u);
  EXPECT_EQ(game_signature<Backgammon>(afterstates, 300, true, 64), 14428937018042336779u);
}

}  // namespace
}  // namespace senet
