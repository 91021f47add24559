// senet selfplay with many workers, and for long: short here, long by tools/faults.sh.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tests/effort.hpp"
#include "tests/tools/run/checked_run.hpp"

namespace senet {
namespace {

class LongRun : public CheckedRun {};

TEST_F(LongRun, FourteenWorkersLoseNoGame) {
  const double minutes = asked("SENET_SECONDS", 1) / 60;
  expect_finished(run_senet(tiny({"--workers", "14", "--minutes", std::to_string(minutes)})));
  const std::uint64_t played = checkpoint().games;
  EXPECT_GT(played, 14u);
  expect_whole(played);
  std::printf("14 workers, %.0f s: %llu games, %llu steps\n", 60 * minutes,
              static_cast<unsigned long long>(played),
              static_cast<unsigned long long>(checkpoint().trainer.steps));
}

/// What a process has of something: the least and the most of all looks.
struct Range {
  double least = 1e300, most = -1e300;

  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

/// The number after "name:" in /proc/PROCESS/status.
double status_of(pid_t process, const std::string& name) {
  std::ifstream lines("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1));
  }
  return 0;
}

double handles_of(pid_t process) {
  std::error_code unknown;
  const std::filesystem::path open = "/proc/" + std::to_string(process) + "/fd";
  return static_cast<double>(std::distance(std::filesystem::directory_iterator(open, unknown), {}));
}

// The replay buffer is soon full; after that nothing may grow. Memory is that of the process alone:
// of the history of metrics.map it has more pages every minute.
TEST_F(LongRun, MemoryHandlesAndThreadsStayAsTheyAre) {
  const double seconds = asked("SENET_SECONDS", 9);
  const double warm_up = std::min(seconds / 3, 600.0), period = std::min(seconds / 45, 30.0);
  constexpr double kMostHandles = 2;
  const double most_mib = effort(2) == 2 ? 32 : 1024;  // a sanitizer keeps freed memory for a while
  // With so many visits hours have no more games than memory has room for.
  BackgroundProgram program(tiny({"--visits", "400", "--checkpoint-seconds", "2", "--replay",
                                  "2000", "--kept-networks", "10"}));
  Range mib[2], handles[2], threads[2];  // until the warm-up ends, and later
  for (double time = 0; time < seconds; time += period) {
    ::usleep(static_cast<unsigned>(period * 1e6));
    ASSERT_TRUE(program.running()) << program.err();
    const int part = time < warm_up ? 0 : 1;
    mib[part].add(status_of(program.process(), "RssAnon") / 1024);
    threads[part].add(status_of(program.process(), "Threads"));
    handles[part].add(handles_of(program.process()));
  }
  program.send(SIGINT);
  EXPECT_EQ(program.wait_for(60), 0) << program.err();
  EXPECT_LE(mib[1].most, mib[0].most + most_mib);
  EXPECT_LE(handles[1].most, handles[0].most + kMostHandles);
  EXPECT_LE(threads[1].most, threads[0].most);
  EXPECT_GE(threads[1].least, 3);
  const Checkpoint done = checkpoint();
  std::printf(
      "after %.0f of %.0f s: %.1f .. %.1f MiB, %.0f .. %.0f handles, %.0f .. %.0f threads; a "
      "checkpoint every 2 s, %llu games, %llu steps, %llu networks\n",
      warm_up, seconds, mib[1].least, mib[1].most, handles[1].least, handles[1].most,
      threads[1].least, threads[1].most, static_cast<unsigned long long>(done.games),
      static_cast<unsigned long long>(done.trainer.steps),
      static_cast<unsigned long long>(done.iterations));
}

}  // namespace
}  // namespace senet
