// A host's own allocator and log: what goes through them, and what happens when memory runs out.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "senet/senet.hpp"

namespace senet {
namespace {

// Counts every block, and fails after a given number of them.
class Host {
 public:
  senet_config config() {
    senet_config config = api::default_config();
    config.user = this;
    config.alloc = [](void* user, std::size_t size, std::size_t alignment) {
      return static_cast<Host*>(user)->alloc(size, alignment);
    };
    config.release = [](void* user, void* memory, std::size_t size, std::size_t alignment) {
      static_cast<Host*>(user)->release(memory, size, alignment);
    };
    config.log = [](void* user, senet_text line) {
      Host& host = *static_cast<Host*>(user);
      const std::lock_guard lock(host.mutex_);
      host.lines_.emplace_back(line.data, line.size);
    };
    return config;
  }
  std::size_t live() const { return live_; }
  std::size_t blocks() const { return blocks_.size(); }
  void fail_after(long blocks) { good_ = blocks; }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  void release(void* memory, std::size_t size, std::size_t alignment) {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(memory);
    ASSERT_NE(block, blocks_.end());
    EXPECT_EQ(block->second, std::pair(size, alignment));
    blocks_.erase(block);
    live_ -= size;
    std::free(memory);
  }

 private:
  void* alloc(std::size_t size, std::size_t alignment) {
    const std::lock_guard lock(mutex_);
    if (good_-- == 0) return nullptr;
    void* const memory =
        std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    EXPECT_TRUE(blocks_.emplace(memory, std::pair(size, alignment)).second);
    live_ += size;
    return memory;
  }
  std::mutex mutex_;
  std::map<void*, std::pair<std::size_t, std::size_t>> blocks_;
  std::size_t live_ = 0;
  long good_ = -1;
  std::vector<std::string> lines_;
};

TEST(HostHeap, NearlyAllOfItGoesThere) {
  Host host;
  {
    auto config = host.config();
    config.sessions = 64;
    api::Engine engine(config);
    const std::uint64_t threads = engine.memory();  // and small allocations, reserved at the start
    for (const char* game : {"connect_four", "backgammon"}) {
      engine.use(engine.builtin(game));
      std::vector<api::Session> sessions;
      for (int i = 0; i < 32; ++i) sessions.push_back(engine.open_session(game));
      if (std::string_view(game) == "backgammon") sessions[0].play(3);
      sessions[0].search({.visits = 20});  // makes an evaluator
      const std::uint64_t promised = engine.memory() - threads;
      EXPECT_LE(host.live(), promised);
      // Not all of it: weights for an exchange are not packed yet, and results are lists.
      EXPECT_GT(host.live(), promised * 75 / 100) << game;
    }
    EXPECT_LE(engine.memory(), api::default_config().memory);
  }
  EXPECT_EQ(host.live(), 0u);
  EXPECT_EQ(host.blocks(), 0u);
}

TEST(HostHeap, NoMoreOfItAtAnyMoment) {
  int failures = 0;
  for (long good = 0;; ++good) {
    Host host;
    host.fail_after(good);
    const auto play = [&]() -> api::Answer<api::Found> {
      auto engine = api::Engine::try_open(host.config());
      if (!engine) return engine.error();
      auto model = engine.value().try_builtin("connect_four");
      if (!model) return model.error();
      if (auto used = engine.value().try_use(model.value()); !used) return used.error();
      auto session = engine.value().try_open_session("connect_four");
      if (!session) return session.error();
      return session.value().try_search({.visits = 30});
    };
    const auto found = play();
    EXPECT_EQ(host.blocks(), 0u) << good;
    if (found) break;
    EXPECT_EQ(found.error().status(), SENET_NO_MEMORY) << found.error().reason();
    ++failures;
  }
  EXPECT_GT(failures, 30);
}

// release is called in destructors, where exceptions cannot be handled.
TEST(HostHeap, WhatReleaseThrowsIsLost) {
  Host host;
  senet_config config = host.config();
  config.release = [](void* user, void* memory, std::size_t size, std::size_t alignment) {
    static_cast<Host*>(user)->release(memory, size, alignment);
    throw std::runtime_error("not today");
  };
  {
    api::Engine engine(config);
    engine.use(engine.untrained("connect_four"));
    senet_session* session = nullptr;
    ASSERT_EQ(senet_session_open(engine.handle(), {"connect_four", 12}, &session, nullptr),
              SENET_OK);
    const std::size_t blocks = host.blocks();
    senet_session_close(session);
    EXPECT_LT(host.blocks(), blocks);
  }
  EXPECT_EQ(host.blocks(), 0u);
}

TEST(HostHeap, BothFunctionsOrNone) {
  Host host;
  senet_config config = host.config();
  config.release = nullptr;
  EXPECT_EQ(api::Engine::try_open(config).error().status(), SENET_BAD_ARGUMENT);
}

TEST(HostLog, HearsOfWeightsAndFailures) {
  Host host;
  api::Engine engine(host.config());
  const auto model = engine.builtin("connect_four");
  engine.use(model);
  ASSERT_EQ(host.lines().size(), 1u);
  EXPECT_NE(host.lines()[0].find("connect_four: weights "), std::string::npos);
  auto session = engine.open_session("connect_four");
  engine.use(model);  // the next search packs the weights
  host.fail_after(0);
  EXPECT_EQ(session.try_search({.visits = 5}).error().status(), SENET_NO_MEMORY);
  EXPECT_EQ(host.lines().back(), "searches failed: the system is out of memory");
  session.begin_search({.visits = 5}, [](void*, senet_session*) { throw 1; });
  session.wait();
  EXPECT_EQ(host.lines().back(), "a callback threw an exception");
}

}  // namespace
}  // namespace senet
