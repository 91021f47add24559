// What a search returns besides its move: lines of play, progress, the network's own evaluation;
// and the settings of a service.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "engine/lanes/analyse.hpp"
#include "nn/own_evaluators.hpp"
#include "tests/all_games.hpp"
#include "tests/engine/services.hpp"

namespace senet {
namespace {

double sum_of(std::span<const float> shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

TEST(ServiceSearch, LinesBeginWithTheChoicesAndAreLegal) {
  const auto service = open_service({.workers = 1, .visits = 400, .lines = 3});
  use_small_network<ConnectFour>(*service, 1);
  Session& session = open_session(*service, "connect_four");
  ASSERT_TRUE(session.set("4453", {}));
  EXPECT_EQ(search(*service, session, {.visits = 100}).lines(), 0u);
  EXPECT_EQ(search(*service, session, {.visits = 200, .lines = 2}).lines(), 2u);
  const SessionResult found = search(*service, session, {.visits = 400, .lines = 100});
  ASSERT_EQ(found.lines(), 3u);
  for (std::size_t i = 0; i < found.lines(); ++i) {
    const SessionResult::Line line = found.line(i);
    ASSERT_FALSE(line.actions.empty());
    EXPECT_EQ(line.actions.front(), found.choices[i].action);
    AnyState state = session.position();
    for (const Action action : line.actions) {
      std::vector<Action> legal;
      state.legal(legal);
      ASSERT_TRUE(std::ranges::binary_search(legal, action)) << state.text();
      EXPECT_TRUE(state.try_action_text(action));
      state.play(action);
    }
    EXPECT_NEAR(sum_of(line.outcomes), 1, 1e-5);
    EXPECT_NEAR(line.outcomes[0] - line.outcomes[2], found.choices[i].value, 1e-4);
  }
  EXPECT_GT(found.line(0).actions.size(), 1u);
  EXPECT_EQ(session.action_text(9).error().status(), SENET_BAD_ACTION);
}

TEST(ServiceSearch, ByPliesItEndsWhenTheLastPlyIsComplete) {
  ServiceSettings settings{.workers = 1, .lines = 2};
  settings.search.plies.ply = 2;
  const auto service = open_service(settings);
  const Network network = small_network<Backgammon>(1, Evaluates::kAfterstates);
  ASSERT_TRUE(service->use(shared(network.clone())));
  Session& session = open_session(*service, "backgammon");
  constexpr std::string_view kOpening = "4HPwATDgc/ABMA:0:31";
  ASSERT_TRUE(session.set(kOpening, {}));
  const auto at_ply = [&](std::uint32_t ply) {
    SearchSettings alone{.evaluates = Evaluates::kAfterstates};
    alone.plies.ply = ply;
    const Weights weights(network.clone());
    const auto evaluator = make_evaluator(EvaluatorKind::kFused, weights, 64);
    Analysis<Backgammon> analysis(**evaluator, alone, 1, 1, 64);
    const Backgammon state = *Backgammon::from_text(kOpening);
    float value = 0;
    analysis.run(std::span(&state, 1), {}, 0,
                 [&](std::size_t, const Decision<Backgammon>& found, const Search<Backgammon>&) {
                   value = found.value;
                 });
    return value;
  };
  for (const std::uint32_t visits : {0, 3, 800}) {
    const SessionResult found = search(*service, session, {.visits = visits, .lines = 2});
    EXPECT_EQ(found.ending, Ending::kVisits);
    EXPECT_EQ(found.visits, 3u);
    EXPECT_EQ(found.value, at_ply(2));
    EXPECT_EQ(found.choices.size(), session.legal().size());
    EXPECT_EQ(found.line(1).actions.front(), found.choices[1].action);
    EXPECT_NEAR(sum_of(found.line(1).outcomes), 1, 1e-5);
  }
  EXPECT_EQ(search(*service, session, {.visits = 2}).value, at_ply(1));
  EXPECT_EQ(search(*service, session, {.visits = 1}).visits, 1u);
  // A deadline that has passed leaves the plies completed until then.
  const SessionResult late = search(*service, session, {.time = microseconds(1)});
  EXPECT_EQ(late.ending, Ending::kTime);
  EXPECT_GE(late.visits, 1u);
  EXPECT_LT(late.visits, 3u);
  // A progress report may stop it.
  SessionLimits limits;
  limits.progress_every = microseconds(1);
  limits.progress = [&](const SessionResult&) { session.stop(); };
  EXPECT_EQ(search(*service, session, limits).ending, Ending::kStopped);
}

TEST(ServiceSearch, PliesNeedAfterstates) {
  ServiceSettings settings{.workers = 1};
  settings.search.plies.ply = 1;
  const auto service = open_service(settings);
  const auto used = service->use(shared(small_network<ConnectFour>(1)));
  ASSERT_FALSE(used);
  EXPECT_EQ(used.error().status(), SENET_BAD_ARGUMENT);
  EXPECT_EQ(used.error().reason(),
            "ply: a search by plies values afterstates, but this network does not");
  settings.search.plies.ply = 7;
  const auto too_deep = Service::open(settings);
  ASSERT_FALSE(too_deep);
  EXPECT_EQ(too_deep.error().reason(), "ply takes a whole number 0 .. 6, not \"7\"");
}

TEST(ServiceSearch, TellsItsProgressAndCanBeStoppedThere) {
  const auto service =
      open_service({.workers = 1, .visits = 1'000'000, .lines = 1, .memory = std::size_t{1} << 30});
  use_small_network<ConnectFour>(*service, 1);
  Session& session = open_session(*service, "connect_four");
  std::vector<std::uint32_t> visits;
  bool was_right = true;
  SessionLimits limits;
  limits.lines = 1;
  limits.progress_every = microseconds(500);
  limits.progress = [&](const SessionResult& so_far) {
    visits.push_back(so_far.visits);
    was_right = was_right && service->in_callback() && so_far.lines() == 1 &&
                so_far.choices.size() == 7 && session.turn() == Turn::kPlayer0 &&
                session.result()->visits == so_far.visits;
    if (visits.size() == 4) session.stop();
    throw 7;  // is lost
  };
  ASSERT_TRUE(service->search(session, limits, nullptr));
  ASSERT_TRUE(service->wait(session, kPatience));
  EXPECT_TRUE(was_right);
  ASSERT_EQ(visits.size(), 4u);
  EXPECT_TRUE(std::ranges::is_sorted(visits));
  EXPECT_GT(visits.front(), 0u);
  const auto result = session.result();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ending, Ending::kStopped);
  EXPECT_GE(result->visits, visits.back());
  // The next search does not report progress.
  EXPECT_EQ(search(*service, session, {.visits = result->visits + 100}).ending, Ending::kVisits);
  EXPECT_EQ(visits.size(), 4u);
}

/// A host's own evaluator: answers like HashEvaluator and counts the rows.
class CountingEvaluator final : public HashEvaluator {
 public:
  explicit CountingEvaluator(std::atomic<std::size_t>& rows) : rows_(rows) {}
  using Evaluator::forward;
  void forward(Batch& batch, std::size_t first, std::size_t last) override {
    rows_ += last - first;
    HashEvaluator::forward(batch, first, last);
  }

 private:
  std::atomic<std::size_t>& rows_;
};

TEST(ServiceSearch, AHostsOwnEvaluatorAnswersBehindTheCache) {
  const auto found = [](Evaluation evaluation, std::size_t cache) {
    evaluation.batch_rows = 8;
    const auto service = open_service(
        {.workers = 2, .visits = 60, .evaluation = std::move(evaluation), .cache = cache});
    use_small_network<ConnectFour>(*service, 1);
    Session& session = open_session(*service, "connect_four");
    SessionResult last;
    for (int again = 0; again < 2; ++again) {
      EXPECT_TRUE(session.set("44", {}));
      last = search(*service, session, {.visits = 60, .noise = true});  // begins without a tree
    }
    return last;
  };
  std::atomic<std::size_t> rows{0};
  const EvaluatorMaker own = [&](const Weights&,
                                 std::size_t) -> Result<std::unique_ptr<Evaluator>> {
    return std::make_unique<CountingEvaluator>(rows);
  };
  const SessionResult expected = found({.kind = EvaluatorKind::kHash}, 0);
  const SessionResult asked = found({.own = own}, 0);
  const std::size_t without_cache = rows.exchange(0);
  const SessionResult remembered = found({.own = own}, std::size_t{1} << 20);
  for (const SessionResult& result : {asked, remembered}) {
    EXPECT_EQ(result.value, expected.value);
    EXPECT_EQ(result.outcomes, expected.outcomes);
    EXPECT_EQ(result.action, expected.action);
  }
  EXPECT_GT(without_cache, expected.evaluations);
  EXPECT_GT(rows, 0u);
  EXPECT_LT(rows, without_cache);
  const auto service = open_service(
      {.evaluation = {.own = [](const Weights&, std::size_t) -> Result<std::unique_ptr<Evaluator>> {
         return fail("no licence");
       }}});
  EXPECT_EQ(service->use(shared(small_network<ConnectFour>(1))).error().reason(),
            "evaluator: no licence");
}

TEST(ServiceSearch, ATreeByBytesIsFilledToItsEnd) {
  for (const std::size_t kib : {200, 2000}) {
    const auto service = open_service({.workers = 1, .visits = 10, .tree = kib << 10});
    use_small_network<ConnectFour>(*service, 1);
    Session& session = open_session(*service, "connect_four");
    const SessionResult found = search(*service, session, {});
    EXPECT_EQ(found.ending, Ending::kTreeFull);
    EXPECT_GT(found.visits, kib);  // a visit takes a few hundred bytes
    EXPECT_GT(found.tree_filled, 0.8);
    EXPECT_LE(found.tree_filled, 1.0);
  }
  const auto service = open_service({.workers = 1, .tree = 100});
  EXPECT_EQ(service->use(shared(small_network<ConnectFour>(1))).error().reason(),
            "tree is too small for a single visit");
}

TEST(ServiceSearch, WithoutReuseEverySearchBeginsWithAnEmptyTree) {
  const auto keeps = open_service({.workers = 1, .visits = 100});
  const auto forgets = open_service({.workers = 1, .visits = 100, .search = {.reuse_tree = false}});
  for (Service* const service : {keeps.get(), forgets.get()}) {
    use_small_network<ConnectFour>(*service, 1);
    Session& session = open_session(*service, "connect_four");
    const SessionResult first = search(*service, session, {.visits = 80});
    const SessionResult second = search(*service, session, {.visits = 80});
    EXPECT_EQ(second.evaluations, service == keeps.get() ? 0u : first.evaluations);
    EXPECT_EQ(second.value, first.value);
  }
}

TEST(ServiceSearch, TheModeIsTheServicesIfItSays) {
  const auto rows_of = [](std::optional<Evaluates> mode, std::optional<Evaluates> taught) {
    ServiceSettings settings{.workers = 1, .visits = 10};
    settings.evaluates = mode;
    const auto service = open_service(settings);
    NetworkSpec spec = reference_spec<Backgammon>();
    spec.width = 16;
    spec.blocks = 0;
    spec.evaluates = taught;
    EXPECT_TRUE(service->use(shared(initial_network(spec, 1))));
    Session& session = open_session(*service, "backgammon");
    EXPECT_TRUE(session.play(3));
    return search(*service, session, {.visits = 1}).evaluations;
  };
  EXPECT_EQ(rows_of(Evaluates::kPosition, Evaluates::kAfterstates), 1u);
  EXPECT_EQ(rows_of({}, Evaluates::kPosition), 1u);
  EXPECT_GT(rows_of({}, Evaluates::kAfterstates), 4u);
  EXPECT_GT(rows_of({}, {}), 4u);  // unset in both: afterstates, because the game has them
  // A dueling network: one row values all moves, in a search and without one.
  NetworkSpec dueling = reference_spec<ConnectFour>();
  dueling.width = 16;
  dueling.dueling = true;
  const auto moves = open_service({.workers = 1, .visits = 10});
  EXPECT_TRUE(moves->use(shared(initial_network(dueling, 1))));
  Session& session = open_session(*moves, "connect_four");
  const SessionResult found = search(*moves, session, {.visits = 1});
  EXPECT_EQ(found.evaluations, 1u);
  float value = 0;
  EXPECT_TRUE(moves->evaluate(
      "connect_four", 1, [](const AnyGame& rules, std::size_t) { return AnyState(rules); },
      [&](std::size_t, const Expectation& expected) { value = expected.value; }));
  EXPECT_NEAR(value, found.value, 1e-3);
  ServiceSettings settings{.workers = 1};
  settings.evaluates = Evaluates::kAfterstates;
  const auto service = open_service(settings);
  EXPECT_EQ(service->use(shared(small_network<ConnectFour>(1))).error().reason(),
            "mode: connect_four has no afterstates");
}

}  // namespace
}  // namespace senet
