// Thread teams: every member runs once per run, no thread remains, and shares have no gap or
// overlap.
#include "engine/lanes/thread_team.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <system_error>
#include <vector>

namespace senet {
namespace {

TEST(ThreadTeam, EveryMemberWorksOnceARun) {
  for (const std::size_t members : {1u, 2u, 5u}) {
    ThreadTeam team(members);
    std::vector<int> runs(members);
    for (int run = 1; run <= 1000; ++run) {
      team.run([&](std::size_t member) { ++runs[member]; });
      for (const int done : runs) ASSERT_EQ(done, run);
    }
  }
}

TEST(ThreadTeam, MembersRunAtOnceAndTheFirstIsTheCaller) {
  ThreadTeam team(3);
  std::vector<std::thread::id> who(3);
  std::atomic<int> inside = 0;
  team.run([&](std::size_t member) {
    who[member] = std::this_thread::get_id();
    ++inside;
    while (inside < 3) std::this_thread::yield();  // would hang if run one by one
  });
  EXPECT_EQ(who[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(who.begin(), who.end()).size(), 3u);
}

TEST(ThreadTeam, SharesCoverEverythingOnce) {
  for (const std::size_t members : {1u, 2u, 3u, 7u}) {
    const ThreadTeam team(members);
    for (const std::size_t size : {0u, 1u, 5u, 16u, 17u, 1000u}) {
      for (const std::size_t grain : {1u, 16u}) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < members; ++i) {
          const Share share = team.share(size, grain, i);
          EXPECT_EQ(share.begin, next);
          EXPECT_TRUE(share.begin % grain == 0 || share.begin == size);
          EXPECT_LE(share.size(), (size + grain - 1) / grain / members * grain + grain);
          next = share.end;
        }
        EXPECT_EQ(next, size);
      }
    }
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Threads that were started must not wait forever for those that were not. (The memory of
// sanitizers does not fit below such a limit.)
TEST(ThreadTeam, MembersThatCannotBeStartedAreAnError) {
  const auto child = [] {
    const rlimit two_gigabytes{std::size_t{2} << 30, std::size_t{2} << 30};
    setrlimit(RLIMIT_AS, &two_gigabytes);
    try {
      const ThreadTeam team(1000);  // 8 MB of stack each
    } catch (const std::system_error&) {
      std::_Exit(0);
    }
    std::_Exit(1);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace senet
