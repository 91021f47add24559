// Weights that are exchanged while searches run: which search uses which, and that no search waits.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/engine/services.hpp"

namespace senet {
namespace {

TEST(ServiceWeights, WeightsAreExchangedUnderLoad) {
  const auto service = open_service({.workers = 2, .sessions = 25, .visits = 60});
  use_small_network<ConnectFour>(*service, 0);
  std::vector<std::uint64_t> ids;
  for (std::uint64_t i = 0; i <= 50; ++i) ids.push_back(small_network<ConnectFour>(i).id());
  std::atomic<bool> stop = false;
  std::atomic<int> searches = 0;
  std::vector<std::jthread> players;
  for (int t = 0; t < 2; ++t) {
    players.emplace_back([&] {
      std::vector<Session*> sessions;
      for (int i = 0; i < 12; ++i) sessions.push_back(&open_session(*service, "connect_four"));
      while (!stop) {
        for (Session* const session : sessions) {
          EXPECT_TRUE(service->search(*session, {.visits = 60}, nullptr));
        }
        for (Session* const session : sessions) {
          ASSERT_TRUE(session->wait(kPatience));
          const auto result = session->result();
          ASSERT_TRUE(result);
          EXPECT_NE(std::ranges::find(ids, result->model), ids.end());
          ++searches;
          ASSERT_TRUE(session->set("", {}));
        }
      }
    });
  }
  for (std::uint64_t i = 1; i <= 50; ++i) {
    use_small_network<ConnectFour>(*service, i);
    const int before = searches;
    const auto late = ServiceClock::now() + kPatience;
    while (searches < before + 24 && ServiceClock::now() < late) std::this_thread::yield();
    EXPECT_GE(searches, before + 24);
  }
  stop = true;
  players.clear();
  // A search that begins now uses the newest weights.
  Session& session = open_session(*service, "connect_four");
  EXPECT_EQ(search(*service, session, {.visits = 60}).model, ids.back());
}

// Endless searches keep the weights that they began with. New searches still begin at once: while
// two older sets are in use, on the newer of them, and on the newest when one set becomes free.
TEST(ServiceWeights, EndlessSearchesOnOldWeightsHoldUpNobody) {
  const auto service = open_service(
      {.workers = 1, .sessions = 8, .visits = 2'000'000, .memory = std::size_t{8} << 30});
  use_small_network<ConnectFour>(*service, 0);
  Session& first = open_session(*service, "connect_four");
  Session& second = open_session(*service, "connect_four");
  Session& third = open_session(*service, "connect_four");
  ASSERT_TRUE(service->search(first, {}, nullptr));
  EXPECT_EQ(search(*service, third, {.visits = 10}).ending, Ending::kVisits);
  use_small_network<ConnectFour>(*service, 1);
  EXPECT_EQ(search(*service, third, {.visits = 10}).model, small_network<ConnectFour>(1).id());
  use_small_network<ConnectFour>(*service, 2);
  EXPECT_EQ(search(*service, third, {.visits = 10}).model, small_network<ConnectFour>(2).id());
  ASSERT_TRUE(service->search(second, {}, nullptr));
  while (second.wait(microseconds(0))) std::this_thread::yield();
  EXPECT_EQ(search(*service, third, {.visits = 20}).model, small_network<ConnectFour>(2).id());
  for (std::uint64_t storm = 3; storm < 103; ++storm) {
    use_small_network<ConnectFour>(*service, storm);
    const SessionResult found = search(*service, third, {.visits = 10, .noise = true});
    EXPECT_EQ(found.visits, 10u);
    EXPECT_EQ(found.model, small_network<ConnectFour>(2).id());
  }
  first.stop();
  ASSERT_TRUE(first.wait(kPatience));
  EXPECT_EQ(first.result()->model, small_network<ConnectFour>(0).id());
  EXPECT_EQ(search(*service, third, {.visits = 10}).model, small_network<ConnectFour>(102).id());
  second.stop();
}

}  // namespace
}  // namespace senet
