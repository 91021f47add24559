// Guarantees to hosts: callbacks, closing, waiting, signals, fairness. Tests count instead of
// measuring time.
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "tests/engine/services.hpp"

namespace senet {
namespace {

TEST(ServiceGuarantees, WaitReturnsBehindTheCallback) {
  const auto service = open_service({.workers = 1, .visits = 10});
  use_small_network<TicTacToe>(*service, 1);
  Session& session = open_session(*service, "tic_tac_toe");
  for (int i = 0; i < 200; ++i) {
    bool reported = false;  // not atomic: ThreadSanitizer reports a wait that returns early
    ASSERT_TRUE(service->search(session, {.visits = 2}, [&] {
      for (int pause = 0; pause < 20; ++pause) std::this_thread::yield();
      reported = true;
    }));
    ASSERT_TRUE(service->wait(session, kPatience));
    ASSERT_TRUE(reported);
    ASSERT_TRUE(session.set("", {}));
  }
}

TEST(ServiceGuarantees, CallbacksCannotWait) {
  const auto service = open_service({.workers = 1, .visits = 10});
  use_small_network<TicTacToe>(*service, 1);
  Session& session = open_session(*service, "tic_tac_toe");
  senet_status waited = SENET_OK, polled = SENET_OK;
  bool here = false;
  ASSERT_TRUE(service->search(session, {.visits = 2}, [&] {
    const auto wait = service->wait(session, kPatience);
    const auto poll = service->poll(microseconds(1));
    waited = wait ? SENET_OK : wait.error().status();
    polled = poll ? SENET_OK : poll.error().status();
    here = service->in_callback();
  }));
  ASSERT_TRUE(service->wait(session, kPatience));
  EXPECT_EQ(waited, SENET_BAD_STATE);
  EXPECT_EQ(polled, SENET_BAD_STATE);
  EXPECT_TRUE(here);
  EXPECT_FALSE(service->in_callback());
}

TEST(ServiceGuarantees, WhatACallbackThrowsIsLost) {
  const auto service = open_service({.workers = 1, .visits = 10});
  use_small_network<TicTacToe>(*service, 1);
  Session& session = open_session(*service, "tic_tac_toe");
  ASSERT_TRUE(service->search(session, {.visits = 2}, [] { throw 7; }));
  ASSERT_TRUE(service->wait(session, kPatience));
  EXPECT_FALSE(service->in_callback());
  EXPECT_EQ(search(*service, session, {.visits = 5}).visits, 5u);
}

// The only worker cannot end a search while it runs a callback, so closing must not wait there.
TEST(ServiceGuarantees, CallbacksMayCloseOtherSessions) {
  const auto service = open_service(
      {.workers = 1, .sessions = 2, .visits = 500'000, .memory = std::size_t{1} << 30});
  use_small_network<ConnectFour>(*service, 1);
  Session& endless = open_session(*service, "connect_four");
  Session& session = open_session(*service, "connect_four");
  ASSERT_TRUE(service->search(endless, {}, nullptr));
  ASSERT_TRUE(service->search(session, {.visits = 2}, [&] { service->close_session(&endless); }));
  ASSERT_TRUE(service->wait(session, kPatience));
  while (!service->open_session("connect_four")) std::this_thread::yield();  // gets the slot
}

TEST(ServiceGuarantees, WithoutWorkersWhoWaitsOrClosesSearches) {
  auto service = open_service({.workers = 0, .pollers = 1, .sessions = 4, .visits = 100});
  use_small_network<ConnectFour>(*service, 1);
  Session& session = open_session(*service, "connect_four");
  int reported = 0;
  ASSERT_TRUE(service->search(session, {.visits = 50}, [&] { ++reported; }));
  EXPECT_EQ(service->wait(session, microseconds(0)).error().status(), SENET_TIMEOUT);
  ASSERT_TRUE(service->wait(session, kPatience));
  EXPECT_EQ(session.result()->visits, 50u);
  ASSERT_TRUE(service->search(session, {}, [&] { ++reported; }));
  service->close_session(&session);
  EXPECT_EQ(reported, 2);
  // In a callback, which a poll calls.
  Session& other = open_session(*service, "connect_four");
  Session& last = open_session(*service, "connect_four");
  ASSERT_TRUE(service->search(other, {}, [&] { ++reported; }));
  ASSERT_TRUE(service->search(last, {.visits = 5}, [&] {
    ++reported;
    service->close_session(&other);
    service->close_session(&last);
  }));
  while (*service->poll(microseconds(100)) > 0) continue;
  EXPECT_EQ(reported, 4);
  for (int i = 0; i < 4; ++i) open_session(*service, "connect_four");
}

// Without workers the waiting thread searches, and a callback on it shows that it is in wait().
TEST(ServiceGuarantees, ClosingWaitsForThoseInsideAWait) {
  const auto service = open_service({.workers = 0, .pollers = 1, .sessions = 2, .visits = 20'000});
  use_small_network<ConnectFour>(*service, 1);
  for (int round = 0; round < 50; ++round) {
    Session& endless = open_session(*service, "connect_four");
    Session& other = open_session(*service, "connect_four");
    ASSERT_TRUE(service->search(endless, {}, nullptr));
    std::atomic<bool> inside = false, stopping = false;
    ASSERT_TRUE(service->search(other, {.visits = 1}, [&] { inside = true; }));
    std::jthread waiter([&] { EXPECT_TRUE(service->wait(endless, kPatience)); });
    while (!inside) std::this_thread::yield();
    std::jthread stopper([&] {
      endless.stop();
      stopping = true;
    });
    while (!stopping) std::this_thread::yield();
    service->close_session(&endless);
    service->close_session(&other);
  }
  for (int i = 0; i < 2; ++i) open_session(*service, "connect_four");  // both slots are free
}

// The callback that closes the session runs on the thread that waits for it.
TEST(ServiceGuarantees, ASessionMayBeClosedBelowItsOwnWait) {
  const auto service = open_service({.workers = 0, .pollers = 1, .sessions = 2, .visits = 20'000});
  use_small_network<ConnectFour>(*service, 1);
  Session& endless = open_session(*service, "connect_four");
  Session& other = open_session(*service, "connect_four");
  int reported = 0;
  ASSERT_TRUE(service->search(endless, {}, [&] { ++reported; }));
  ASSERT_TRUE(service->search(other, {.visits = 1}, [&] { service->close_session(&endless); }));
  EXPECT_TRUE(service->wait(endless, kPatience));
  EXPECT_EQ(reported, 1);
  open_session(*service, "connect_four");
}

// A poll also finishes the searches that its callbacks begin, on any worker.
TEST(ServiceGuarantees, APollGoesOnUntilNothingIsLeft) {
  for (const std::uint32_t pollers : {1u, 3u}) {
    const auto service = open_service({.workers = 0, .pollers = pollers, .visits = 50});
    use_small_network<ConnectFour>(*service, 1);
    std::vector<Session*> sessions;
    for (int i = 0; i < 8; ++i) sessions.push_back(&open_session(*service, "connect_four"));
    std::size_t begun = 0;
    const std::function<void()> begin_next = [&] {
      if (begun == sessions.size()) return;
      EXPECT_TRUE(service->search(*sessions[begun++], {.visits = 20}, begin_next));
    };
    begin_next();
    EXPECT_EQ(*service->poll(kPatience), 0u) << pollers;
    EXPECT_EQ(begun, sessions.size()) << pollers;
    for (Session* const session : sessions) EXPECT_TRUE(session->result()) << pollers;
  }
}

// One polling thread serves all pollers: neither of the two searches waits for the other.
TEST(ServiceGuarantees, APollServesAllPollers) {
  const auto service =
      open_service({.workers = 0, .pollers = 2, .visits = 500'000, .memory = std::size_t{1} << 30});
  use_small_network<ConnectFour>(*service, 1);
  Session& first = open_session(*service, "connect_four");
  Session& second = open_session(*service, "connect_four");
  ASSERT_TRUE(service->search(first, {}, nullptr));
  ASSERT_TRUE(service->search(second, {}, nullptr));
  ASSERT_EQ(*service->poll(microseconds(20'000)), 2u);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(service->poll(microseconds(0)));
  first.stop();
  second.stop();
  EXPECT_EQ(*service->poll(kPatience), 0u);
  const double rows = first.result()->evaluations;
  EXPECT_GE(rows, 6);
  EXPECT_NEAR(second.result()->evaluations, rows, 0.1 * rows + 2);
}

// A heap that blocks once, until go_on() is called or two minutes have passed.
class SlowHeap final : public Heap {
 public:
  void be_slow() { slow_ = true; }
  bool is_slow_now() const { return waits_; }
  void go_on() { may_go_on_ = true; }

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (slow_.exchange(false)) {
      waits_ = true;
      for (int i = 0; i < 120'000 && !may_go_on_; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      waits_ = false;
      may_go_on_ = false;
    }
    return default_heap().allocate(size, alignment);
  }
  void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
    default_heap().deallocate(memory, size, alignment);
  }
  bool do_is_equal(const Heap& other) const noexcept override { return this == &other; }

  std::atomic<bool> slow_ = false, waits_ = false, may_go_on_ = false;
};

// Opening a session and publishing a game's first weights allocate much memory, but do not block
// other calls.
TEST(ServiceGuarantees, SearchesDoNotWaitForAllocations) {
  SlowHeap heap;
  const auto service = open_service({.workers = 1, .sessions = 3, .visits = 50, .heap = &heap});
  use_small_network<ConnectFour>(*service, 1);
  Session& session = open_session(*service, "connect_four");
  search(*service, session, {.visits = 5});  // makes the evaluator
  const auto while_it_waits = [&](const auto& what, const auto& then) {
    heap.be_slow();
    std::jthread slow(what);
    while (!heap.is_slow_now()) std::this_thread::yield();
    ASSERT_TRUE(session.set("", {}));
    search(*service, session, {.visits = 20});
    then();
    EXPECT_TRUE(heap.is_slow_now());
    heap.go_on();
  };
  while_it_waits([&] { open_session(*service, "connect_four"); },
                 [&] {
                   open_session(*service, "connect_four");
                   // The session that is being opened has its slot already.
                   EXPECT_EQ(service->open_session("connect_four").error().status(), SENET_NO_SLOT);
                 });
  while_it_waits([&] { use_small_network<Backgammon>(*service, 1); },
                 [&] {
                   const Error error = service->open_session("backgammon").error();
                   EXPECT_EQ(error.status(), SENET_BAD_STATE);
                   EXPECT_EQ(error.reason(),
                             "no weights are in use for backgammon, only for connect_four");
                 });
  service->close_session(&session);
  open_session(*service, "backgammon");
}

TEST(ServiceGuarantees, ThreadsTakeNoSignals) {
  const auto service = open_service({.workers = 1, .visits = 10});
  use_small_network<TicTacToe>(*service, 1);
  Session& session = open_session(*service, "tic_tac_toe");
  sigset_t there, here;
  ASSERT_TRUE(service->search(session, {.visits = 2},
                              [&] { pthread_sigmask(SIG_BLOCK, nullptr, &there); }));
  ASSERT_TRUE(service->wait(session, kPatience));
  for (const int signal : {SIGTERM, SIGINT, SIGALRM, SIGCHLD, SIGUSR1}) {
    EXPECT_EQ(sigismember(&there, signal), 1) << signal;
  }
  EXPECT_EQ(sigismember(&there, SIGSEGV), 0);
  pthread_sigmask(SIG_BLOCK, nullptr, &here);
  EXPECT_EQ(sigismember(&here, SIGTERM), 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Not under sanitizers, whose memory exceeds this limit.
TEST(ServiceGuarantees, ThreadsThatCannotBeStartedAreAnError) {
  const auto child = [] {
    const rlimit two_gigabytes{std::size_t{2} << 30, std::size_t{2} << 30};
    setrlimit(RLIMIT_AS, &two_gigabytes);
    const auto service =
        Service::open({.workers = 1000, .memory = std::size_t{1} << 40});  // 8 MB of stack each
    const bool right = !service && service.error().status() == SENET_NO_MEMORY &&
                       service.error().reason().starts_with("cannot start thread ");
    std::_Exit(right ? 0 : 1);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}
#endif

// 300 searches share batches of 8 rows, so each has a turn only every 38 passes. A stop or deadline
// must not wait for that turn.
class EndsOfSearches : public testing::TestWithParam<std::uint32_t> {};

TEST_P(EndsOfSearches, AreLookedAtAfterEachForwardPass) {
  ServiceSettings settings{.workers = 0,
                           .sessions = 300,
                           .visits = 2000,
                           .evaluation = {.batch_rows = 8},
                           .memory = std::size_t{2} << 30};
  settings.search.leaves = GetParam();
  const auto service = open_service(settings);
  use_small_network<ConnectFour>(*service, 1);
  std::vector<Session*> sessions;
  for (int i = 0; i < 300; ++i) {
    sessions.push_back(&open_session(*service, "connect_four"));
    // Only the first has a limit; the others end when they are stopped.
    const auto time = i == 0 ? microseconds(1000) : microseconds(0);
    ASSERT_TRUE(service->search(*sessions.back(), {.time = time}, nullptr));
  }
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(service->poll(microseconds(0)));
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(service->poll(microseconds(0)));
  ASSERT_TRUE(sessions[0]->wait(microseconds(0)));
  EXPECT_EQ(sessions[0]->result()->ending, Ending::kTime);
  for (const std::size_t stopped : {7u, 150u, 299u}) {
    sessions[stopped]->stop();
    int polls = 0;
    while (!sessions[stopped]->wait(microseconds(0))) {
      ASSERT_TRUE(service->poll(microseconds(0)));
      ++polls;
    }
    EXPECT_LE(polls, 2) << stopped;
    EXPECT_EQ(sessions[stopped]->result()->ending, Ending::kStopped);
  }
}
INSTANTIATE_TEST_SUITE_P(Leaves, EndsOfSearches, testing::Values(1u, 8u));

// A new search gets a visit within one round of all searches.
TEST(ServiceGuarantees, NewcomersGetTheirTurn) {
  const auto service = open_service({.workers = 0,
                                     .sessions = 201,
                                     .visits = 1000,
                                     .evaluation = {.batch_rows = 8},
                                     .memory = std::size_t{2} << 30});
  use_small_network<ConnectFour>(*service, 1);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(service->search(open_session(*service, "connect_four"), {}, nullptr));
  }
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(service->poll(microseconds(0)));
  Session& newcomer = open_session(*service, "connect_four");
  ASSERT_TRUE(service->search(newcomer, {.visits = 2}, nullptr));
  int polls = 0;
  while (!newcomer.wait(microseconds(0))) {
    ASSERT_TRUE(service->poll(microseconds(0)));
    ++polls;
  }
  EXPECT_LE(polls, 2 * 201 / 8 + 4);
}

// With so few searches, each could have a row in every batch.
TEST(ServiceGuarantees, PriorityMattersAmongFew) {
  const auto service = open_service({.workers = 0, .visits = 4000});
  use_small_network<ConnectFour>(*service, 1);
  std::vector<Session*> sessions;
  for (const Priority priority : {Priority::kLow, Priority::kNormal, Priority::kHigh}) {
    sessions.push_back(&open_session(*service, "connect_four"));
    ASSERT_TRUE(service->search(*sessions.back(), {.priority = priority}, nullptr));
  }
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(service->poll(microseconds(0)));
  std::vector<std::uint32_t> rows;
  for (Session* const session : sessions) {
    session->stop();
    ASSERT_TRUE(service->wait(*session, kPatience));
    rows.push_back(session->result()->evaluations);
  }
  EXPECT_NEAR(rows[1], 2.0 * rows[0], 0.05 * rows[1]);
  EXPECT_NEAR(rows[2], 4.0 * rows[0], 0.05 * rows[2]);
  EXPECT_GT(rows[0], 50u);
}

}  // namespace
}  // namespace senet
