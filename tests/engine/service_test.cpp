// Many sessions on a few workers: the same results as one search alone, all kinds of endings,
// memory bounds, and closing at any time.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "engine/lanes/analyse.hpp"
#include "nn/evaluator.hpp"
#include "tests/all_games.hpp"
#include "tests/engine/services.hpp"

namespace senet {
namespace {

// The choices that an Analysis of this single position finds.
template <Game G>
std::vector<Choice> found_alone(const Weights& weights, const G& state, std::uint32_t visits,
                                EvaluatorKind kind = EvaluatorKind::kFused,
                                std::uint32_t leaves = 1) {
  const auto evaluator = make_evaluator(kind, weights, 16);
  const SearchSettings settings{.evaluates = *weights.spec().evaluates,
                                .policy_temperature = kPlayersPolicyTemperature,
                                .leaves = leaves};
  Analysis<G> analysis(**evaluator, settings, visits, 1, 16);
  std::vector<Choice> choices;
  analysis.run(std::span(&state, 1), {.visits = visits}, 0,
               [&](std::size_t, const Decision<G>& decision, const Search<G>&) {
                 choices.assign(decision.choices.begin(), decision.choices.end());
               });
  return choices;
}

void expect_same(const std::vector<Choice>& a, const std::vector<Choice>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].action, b[i].action) << i;
    EXPECT_EQ(a[i].visits, b[i].visits) << i;
    EXPECT_EQ(a[i].value, b[i].value) << i;
  }
}

// Threads share the rows of the leaves in flight, and sessions share batches: neither shows.
TEST(Service, SeveralLeavesInFlightGiveTheSameOnAnyThreads) {
  constexpr std::uint32_t kVisits = 600;
  const Weights weights(small_network<ConnectFour>(1));
  for (const std::uint32_t leaves : {4u, 16u}) {
    std::vector<std::vector<Choice>> alone;
    for (Action column = 0; column < 3; ++column) {
      ConnectFour state;
      state.play(column);
      alone.push_back(found_alone(weights, state, kVisits, EvaluatorKind::kFused, leaves));
    }
    struct Threads {
      std::uint32_t workers, helpers;
    };
    for (const auto [workers, helpers] : {Threads{0, 0}, {0, 1}, {0, 3}, {1, 0}, {2, 0}, {4, 0}}) {
      for (const std::size_t sessions : {1, 3, 20}) {
        ServiceSettings settings{
            .workers = workers, .helpers = helpers, .sessions = 20, .visits = kVisits};
        settings.evaluation.batch_rows = 16;
        settings.search.leaves = leaves;
        const auto service = open_service(settings);
        use_small_network<ConnectFour>(*service, 1);
        std::vector<Session*> open;
        for (std::size_t i = 0; i < sessions; ++i) {
          open.push_back(&open_session(*service, "connect_four"));
          ASSERT_TRUE(open.back()->play(static_cast<Action>(i % 3)));
          ASSERT_TRUE(service->search(*open.back(), {.visits = kVisits}, nullptr));
        }
        for (std::size_t i = 0; i < sessions; ++i) {
          ASSERT_TRUE(service->wait(*open[i], kPatience));
          const auto result = open[i]->result();
          ASSERT_TRUE(result);
          EXPECT_EQ(result->ending, Ending::kVisits);
          expect_same(result->choices, alone[i % 3]);
        }
      }
    }
  }
}

// A limit of depth is looked at between the leaves, wherever the batch ends.
TEST(Service, DepthEndsSearchesOfSeveralLeavesAlike) {
  const auto choices = [](std::size_t sessions, std::uint32_t workers, std::size_t rows) {
    ServiceSettings settings{.workers = workers, .sessions = 8, .visits = 4000};
    settings.evaluation.batch_rows = rows;
    settings.search.leaves = 8;
    const auto service = open_service(settings);
    use_small_network<ConnectFour>(*service, 1);
    std::vector<Session*> open;
    for (std::size_t i = 0; i < sessions; ++i) {
      open.push_back(&open_session(*service, "connect_four"));
      EXPECT_TRUE(service->search(*open.back(), {.depth = 5}, nullptr));
    }
    std::vector<std::vector<Choice>> found;
    for (Session* const session : open) {
      EXPECT_TRUE(service->wait(*session, kPatience));
      const auto result = session->result();
      EXPECT_TRUE(result);
      EXPECT_GE(result->depth, 5u);
      EXPECT_EQ(result->ending, Ending::kVisits);
      found.push_back(result->choices);
    }
    return found;
  };
  const auto alone = choices(1, 1, 32);
  for (const auto& crowd : {choices(8, 1, 5), choices(8, 2, 32), choices(3, 0, 9)}) {
    for (const auto& found : crowd) expect_same(found, alone[0]);
  }
}

// A stop while leaves are in flight: they are still answered, and the session can go on.
TEST(Service, StopsWithLeavesInFlight) {
  ServiceSettings settings{.workers = 1, .sessions = 1, .visits = 1'000'000};
  settings.search.leaves = 16;
  settings.memory = std::size_t{1} << 30;
  const auto service = open_service(settings);
  use_small_network<ConnectFour>(*service, 1);
  Session& session = open_session(*service, "connect_four");
  for (int times = 0; times < 20; ++times) {
    ASSERT_TRUE(session.set("", {}));
    ASSERT_TRUE(service->search(session, {.reuse_tree = false}, nullptr));
    std::this_thread::sleep_for(microseconds(300 * times));
    session.stop();
    ASSERT_TRUE(service->wait(session, kPatience));
    const auto stopped = session.result();
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->ending, Ending::kStopped);
    std::uint32_t through = 0;
    for (const Choice& choice : stopped->choices) through += choice.visits;
    EXPECT_EQ(through + 1, stopped->visits);
    EXPECT_EQ(search(*service, session, {.visits = stopped->visits + 40}).visits,
              stopped->visits + 40);
  }
}

/// The evaluator of a service.
struct Answering {
  const char* name;
  EvaluatorKind kind;
  std::size_t cache;
};

class ServiceEvaluators : public testing::TestWithParam<Answering> {};

TEST_P(ServiceEvaluators, ManySessionsFindWhatEachFindsAlone) {
  const Weights weights(small_network<ConnectFour>(1));
  std::vector<std::vector<Choice>> alone;
  for (Action column = 0; column < 7; ++column) {
    ConnectFour state;
    state.play(column);
    alone.push_back(found_alone(weights, state, 150, GetParam().kind));
  }
  const auto service = open_service({.workers = 2,
                                     .sessions = 100,
                                     .visits = 150,
                                     .evaluation = {.kind = GetParam().kind, .batch_rows = 16},
                                     .cache = GetParam().cache});
  use_small_network<ConnectFour>(*service, 1);
  std::vector<Session*> sessions;
  for (Action i = 0; i < 100; ++i) {
    Session& session = open_session(*service, "connect_four");
    ASSERT_TRUE(session.play(i % 7));
    sessions.push_back(&session);
  }
  // More searches than a batch has rows, of all priorities, so that they have to take turns.
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    ASSERT_TRUE(service->search(
        *sessions[i], {.visits = 150, .priority = static_cast<Priority>(i % 3)}, nullptr));
  }
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    ASSERT_TRUE(sessions[i]->wait(kPatience));
    const auto result = sessions[i]->result();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->ending, Ending::kVisits);
    EXPECT_EQ(result->visits, 150u);
    EXPECT_EQ(result->model, weights.id());
    EXPECT_EQ(result->action, result->choices.front().action);
    expect_same(result->choices, alone[i % 7]);
  }
}

INSTANTIATE_TEST_SUITE_P(, ServiceEvaluators,
                         testing::Values(Answering{"fused", EvaluatorKind::kFused, 0},
                                         Answering{"fused_cached", EvaluatorKind::kFused, 1 << 20},
                                         Answering{"reference", EvaluatorKind::kReference, 0},
                                         Answering{"hash_cached", EvaluatorKind::kHash, 1 << 16}),
                         [](const auto& answering) { return std::string(answering.param.name); });

// The afterstates of one position span several batches.
TEST(Service, BackgammonFromAfterstates) {
  const Weights weights(small_network<Backgammon>(3, Evaluates::kAfterstates));
  const Backgammon state =
      *Backgammon::from_position_id("4HPwATDgc/ABMA", 0, backgammon::Dice{3, 3});
  const auto alone = found_alone(weights, state, 40);
  const auto service =
      open_service({.workers = 1, .sessions = 20, .visits = 40, .evaluation = {.batch_rows = 7}});
  use_small_network<Backgammon>(*service, 3, Evaluates::kAfterstates);
  std::vector<Session*> sessions;
  for (int i = 0; i < 20; ++i) {
    Session& session = open_session(*service, "backgammon");
    ASSERT_TRUE(session.set(state.text(), {}));
    ASSERT_TRUE(service->search(session, {.visits = 40}, nullptr));
    sessions.push_back(&session);
  }
  for (Session* const session : sessions) {
    ASSERT_TRUE(session->wait(kPatience));
    const auto result = session->result();
    expect_same(result->choices, alone);
    EXPECT_EQ(result->outcomes.size(), 6u);
  }
}

TEST(Service, EndsAsItWasTold) {
  const auto service = open_service({.workers = 1, .visits = 2000});
  use_small_network<ConnectFour>(*service, 1);
  Session& session = open_session(*service, "connect_four");
  EXPECT_EQ(search(*service, session, {.visits = 1}).visits, 1u);
  EXPECT_EQ(search(*service, session, {.visits = 100}).ending, Ending::kVisits);
  EXPECT_EQ(search(*service, session, {.time = microseconds(1)}).ending, Ending::kTime);
  EXPECT_EQ(search(*service, session, {}).ending, Ending::kTreeFull);
  // A won position is proven.
  ASSERT_TRUE(session.set("", std::vector<Action>{3, 0, 3, 0, 3, 0}));
  const SessionResult won = search(*service, session, {.visits = 2000});
  EXPECT_EQ(won.ending, Ending::kProven);
  EXPECT_EQ(won.action, 3);
  EXPECT_EQ(won.value, 1.0f);
  // The tree is kept over a move.
  ASSERT_TRUE(session.set("", {}));
  const SessionResult before = search(*service, session, {.visits = 500});
  ASSERT_TRUE(session.play(before.action));
  EXPECT_EQ(session.result().error().status(), SENET_BAD_STATE);
  const SessionResult after = search(*service, session, {.visits = 500});
  EXPECT_LT(after.evaluations, 450u);
  EXPECT_EQ(after.visits, 500u);
}

TEST(Service, StopsAndAnswersWithWhatItHas) {
  const auto service = open_service({.workers = 1, .visits = 500'000});
  use_small_network<ConnectFour>(*service, 1);
  Session& session = open_session(*service, "connect_four");
  ASSERT_TRUE(service->search(session, {}, nullptr));
  EXPECT_FALSE(session.wait(microseconds(100)));
  EXPECT_EQ(session.play(0).error().status(), SENET_BUSY);
  EXPECT_EQ(session.set("", {}).error().status(), SENET_BUSY);
  EXPECT_EQ(session.result().error().status(), SENET_BUSY);
  EXPECT_EQ(service->search(session, {}, nullptr).error().status(), SENET_BUSY);
  session.stop();
  ASSERT_TRUE(session.wait(kPatience));
  const auto result = session.result();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ending, Ending::kStopped);
  EXPECT_GE(result->visits, 1u);
  EXPECT_EQ(result->choices.size(), 7u);
}

// Several threads read the position while it is searched.
TEST(Service, PositionsAreReadDuringASearch) {
  const auto service = open_service({.workers = 1, .visits = 500'000});
  use_small_network<ConnectFour>(*service, 1);
  Session& session = open_session(*service, "connect_four");
  ASSERT_TRUE(session.play(3));
  ConnectFour expected;
  expected.play(3);
  std::atomic<bool> ended = false;
  ASSERT_TRUE(service->search(session, {}, [&] { ended = true; }));
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        EXPECT_EQ(session.text().value(), expected.text());
        EXPECT_EQ(session.turn(), Turn::kPlayer1);
        EXPECT_EQ(session.legal().size(), 7u);
        EXPECT_EQ(session.action_text(3).value(), "4");
        EXPECT_EQ(session.action_text(7).error().status(), SENET_BAD_ACTION);
        EXPECT_EQ(session.action_from_text("4").value(), 3);
        EXPECT_EQ(session.outcome().error().status(), SENET_BAD_STATE);
      }
    });
  }
  readers.clear();
  EXPECT_FALSE(ended);
  service->close_session(&session);
}

TEST(Service, NoTextIsTheStartOfEveryGame) {
  const auto service = open_service({.sessions = 2, .visits = 10});
  use_small_network<ConnectFour>(*service, 1);
  use_small_network<Backgammon>(*service, 1);
  for (const char* const game : {"connect_four", "backgammon"}) {
    Session& session = open_session(*service, game);
    const auto start = session.text();
    ASSERT_TRUE(start);
    const auto set = session.set("", {});
    ASSERT_TRUE(set) << set.error().reason();
    EXPECT_EQ(session.text().value(), *start);
  }
}

TEST(Service, SaysWhatIsWrong) {
  const auto service = open_service({.workers = 1, .sessions = 2});
  EXPECT_EQ(service->open_session("connect_four").error().status(), SENET_BAD_STATE);
  EXPECT_EQ(service->open_session("chess").error().status(), SENET_UNKNOWN_GAME);
  use_small_network<ConnectFour>(*service, 1);
  const auto other = shared(initial_network(reference_spec<ConnectFour>(), 1));
  EXPECT_EQ(service->use(other).error().status(), SENET_MODEL_MISMATCH);
  EXPECT_EQ(service->load("/no/such/file").error().status(), SENET_NO_FILE);
  Session& session = open_session(*service, "connect_four");
  EXPECT_EQ(session.play(7).error().status(), SENET_BAD_ACTION);
  EXPECT_EQ(session.set("nonsense", {}).error().status(), SENET_BAD_ARGUMENT);
  EXPECT_EQ(session.set("", std::vector<Action>{3, 9}).error().status(), SENET_BAD_ACTION);
  EXPECT_EQ(*session.text(), ConnectFour().text());
  EXPECT_EQ(session.outcome().error().status(), SENET_BAD_STATE);
  ASSERT_TRUE(session.set("", std::vector<Action>{3, 0, 3, 0, 3, 0, 3}));
  EXPECT_EQ(session.turn(), Turn::kOver);
  EXPECT_EQ(*session.outcome(), 0);
  EXPECT_TRUE(session.legal().empty());
  EXPECT_EQ(service->search(session, {}, nullptr).error().status(), SENET_BAD_STATE);
  open_session(*service, "connect_four");
  EXPECT_EQ(service->open_session("connect_four").error().status(), SENET_NO_SLOT);
  service->close_session(&session);
  EXPECT_TRUE(service->open_session("connect_four"));
}

TEST(Service, MemoryIsBounded) {
  ServiceSettings settings{.workers = 2, .sessions = 50, .memory = std::size_t{24} << 20};
  const NetworkSpec spec = small_network<ConnectFour>(1).spec();
  const auto visits = Service::most_that_fit(settings, spec, &ServiceSettings::visits);
  ASSERT_TRUE(visits) << visits.error().reason();
  ASSERT_GT(*visits, 10u);
  settings.visits = *visits;
  {
    const auto service = open_service(settings);
    use_small_network<ConnectFour>(*service, 1);
    for (int i = 0; i < 50; ++i) open_session(*service, "connect_four");
    EXPECT_LE(service->memory().used(), settings.memory);
    EXPECT_GT(service->memory().used(), settings.memory * 98 / 100);
  }
  settings.visits = *visits + *visits / 10;
  const auto service = open_service(settings);
  use_small_network<ConnectFour>(*service, 1);
  std::vector<Session*> sessions;
  for (;;) {
    const auto session = service->open_session("connect_four");
    if (!session) {
      EXPECT_EQ(session.error().status(), SENET_NO_MEMORY);
      break;
    }
    sessions.push_back(*session);
  }
  EXPECT_LT(sessions.size(), 50u);
  service->close_session(sessions.back());
  EXPECT_TRUE(service->open_session("connect_four"));
  EXPECT_EQ(Service::open({.memory = 1000}).error().status(), SENET_NO_MEMORY);
}

TEST(Service, HostsCanLendTheirThreads) {
  auto service = open_service({.workers = 0, .pollers = 2, .sessions = 41, .visits = 200});
  use_small_network<ConnectFour>(*service, 1);
  std::atomic<int> done = 0;
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(
        service->search(open_session(*service, "connect_four"), {.visits = 200}, [&] { ++done; }));
  }
  EXPECT_EQ(done, 0);
  std::vector<std::jthread> hosts;
  for (int i = 0; i < 3; ++i) {  // one more than can poll at once
    hosts.emplace_back([&] {
      while (*service->poll(microseconds(500)) > 0) continue;
    });
  }
  hosts.clear();
  EXPECT_EQ(done, 40);
  // The service ends its running searches when it is destroyed.
  ASSERT_TRUE(service->search(open_session(*service, "connect_four"), {}, [&] { ++done; }));
  service.reset();
  EXPECT_EQ(done, 41);
}

TEST(Service, SessionsMayBeClosedAndSearchedInTheirCallback) {
  const auto service = open_service({.workers = 2, .sessions = 60, .visits = 50});
  use_small_network<TicTacToe>(*service, 1);
  constexpr int kSessions = 30, kSearches = 20;
  std::latch closed(kSessions);
  struct Body {
    Service& service;
    std::latch& closed;
    Session* session;
    int left;
    void next() {
      if (left-- == 0) {
        service.close_session(session);
        closed.count_down();
        return;
      }
      const auto begun =
          service.search(*session, {.visits = 20, .noise = true}, [this] { next(); });
      EXPECT_TRUE(begun) << begun.error().reason();
    }
  };
  std::vector<std::unique_ptr<Body>> stories;
  for (int i = 0; i < kSessions; ++i) {
    stories.push_back(std::make_unique<Body>(
        Body{*service, closed, &open_session(*service, "tic_tac_toe"), kSearches}));
  }
  for (const auto& body : stories) body->next();
  closed.wait();
  for (int i = 0; i < kSessions; ++i) open_session(*service, "tic_tac_toe");
}

// Four threads open, search, stop and close sessions at random.
TEST(Service, Abuse) {
  const auto service = open_service({.workers = 2, .sessions = 64, .visits = 100});
  use_small_network<ConnectFour>(*service, 1);
  use_small_network<Backgammon>(*service, 1);
  std::atomic<int> ended = 0;
  std::vector<std::jthread> hosts;
  for (std::uint64_t t = 0; t < 4; ++t) {
    hosts.emplace_back([&, t] {
      std::vector<Session*> mine;
      for (std::uint32_t step = 0; step < 600; ++step) {
        Random draw(9, t, step, Purpose::kTest);
        const std::uint32_t what = draw.below(6);
        if (mine.empty() || what == 0) {
          const auto session =
              service->open_session(draw.below(2) == 0 ? "connect_four" : "backgammon");
          if (session) mine.push_back(*session);
          continue;
        }
        Session* const session = mine[draw.below(static_cast<std::uint32_t>(mine.size()))];
        switch (what) {
          case 1:
            session->stop();
            break;
          case 2:
            std::erase(mine, session);
            service->close_session(session);
            break;
          case 3: {
            const auto legal = session->legal();
            const auto turn = session->turn();
            if (turn == Turn::kChance) static_cast<void>(session->play(0));
            if (!legal.empty()) static_cast<void>(session->play(legal.front()));
            break;
          }
          default:
            static_cast<void>(service->search(
                *session,
                {.visits = draw.below(100), .time = microseconds(draw.below(2000)), .noise = true},
                [&] { ++ended; }));
        }
      }
    });
  }
  hosts.clear();
  EXPECT_GT(ended, 100);
}  // destroys the service while searches run

}  // namespace
}  // namespace senet
