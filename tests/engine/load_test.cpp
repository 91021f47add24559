// A thousand sessions in the hands of four host threads that open, search, stop, wait and close at
// random, while weights are exchanged a hundred times: every search that began is told of once,
// none fails, the memory bound holds. SENET_LOAD_SECONDS=60 goes on for longer.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "games/random.hpp"
#include "senet/senet.hpp"

namespace senet {
namespace {

constexpr std::uint32_t kSessions = 1000, kHosts = 4, kSteps = 5000, kExchanges = 100;

struct Counts {
  std::atomic<std::uint64_t> begun{0}, told{0}, read{0}, refused{0};
};

void count(void* user, senet_session*) { ++static_cast<Counts*>(user)->told; }

// One host's share of the sessions.
class Host {
 public:
  Host(api::Engine& engine, Counts& counts, std::uint64_t number)
      : engine_(engine), counts_(counts), number_(number) {
    sessions_.reserve(kSessions / kHosts);
    while (sessions_.size() < kSessions / kHosts) open();
  }

  void step(std::uint32_t step) {
    Random draw(9, number_, step, Purpose::kTest);
    api::Session& session = sessions_[draw.below(static_cast<std::uint32_t>(sessions_.size()))];
    switch (draw.below(8)) {
      case 0:  // with whatever is under way
        session = std::move(sessions_.back());
        sessions_.pop_back();
        open();
        break;
      case 1:
        session.stop();
        break;
      case 2:
        session.wait(std::chrono::microseconds(draw.below(200)));
        break;
      case 3:
        read(session);
        break;
      default:
        search(session, draw);
    }
  }

 private:
  void open() {
    sessions_.push_back(
        engine_.open_session(sessions_.size() % 2 == 0 ? "connect_four" : "backgammon"));
  }
  void search(api::Session& session, Random& draw) {
    const api::Limits limits{.visits = 1 + draw.below(40),
                             .time = std::chrono::microseconds(draw.below(3) == 0 ? 500 : 0),
                             .noise = draw.below(2) == 0,
                             .priority = static_cast<int>(draw.below(3)) - 1};
    const auto begun = session.try_begin_search(limits, count, &counts_);
    if (begun) {
      ++counts_.begun;
      return;
    }
    ++counts_.refused;
    if (begun.error().status() == SENET_BUSY) return;
    ASSERT_EQ(begun.error().status(), SENET_BAD_STATE) << begun.error().reason();
    // The turn of chance, or the end.
    if (!session.try_play(static_cast<senet_action>(draw.below(15)))) session.set("");
  }
  void read(api::Session& session) {
    const auto found = session.try_result();
    if (!found) {
      const senet_status status = found.error().status();
      ASSERT_TRUE(status == SENET_BUSY || status == SENET_BAD_STATE) << found.error().reason();
      return;
    }
    ++counts_.read;
    static_cast<void>(session.try_play(found.value().action));
  }

  api::Engine& engine_;
  Counts& counts_;
  const std::uint64_t number_;
  std::vector<api::Session> sessions_;
};

TEST(Load, AThousandSessions) {
  const char* const told = std::getenv("SENET_LOAD_SECONDS");
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(told ? std::atoi(told) : 0);
  Counts counts;
  senet_config config = api::default_config();
  config.workers = 2;
  config.sessions = kSessions;
  config.memory = std::uint64_t{1} << 30;
  config.visits = 40;
  api::Engine engine(config);
  for (const char* game : {"connect_four", "backgammon"}) engine.use(engine.builtin(game));
  {
    std::vector<std::jthread> hosts;
    std::atomic<std::uint32_t> steps = 0;
    for (std::uint64_t number = 0; number < kHosts; ++number) {
      hosts.emplace_back([&, number] {
        Host host(engine, counts, number);
        for (std::uint32_t i = 0; i < kSteps || std::chrono::steady_clock::now() < end; ++i) {
          host.step(i);
          ++steps;
        }
      });
    }
    // In the middle of all that.
    for (std::uint32_t i = 1; i <= kExchanges; ++i) {
      while (steps < kHosts * kSteps / kExchanges * i) std::this_thread::yield();
      for (const char* game : {"connect_four", "backgammon"}) engine.use(engine.builtin(game));
      EXPECT_LE(engine.memory(), config.memory);
    }
  }  // all sessions are closed
  EXPECT_EQ(counts.told, counts.begun);
  EXPECT_GT(counts.begun, kHosts * kSteps / 8);
  EXPECT_GT(counts.read, 50u);
}

}  // namespace
}  // namespace senet
