// The senet program where memory is limited: it is refused or ends in one sentence.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "engine/lanes/machine.hpp"
#include "tests/tools/program.hpp"
#include "tests/tools/run/tiny_run.hpp"

namespace senet {
namespace {

TEST(MemoryLimit, OfControlGroups) {
  const TemporaryFolder folder;
  const std::filesystem::path groups = folder / "cgroup";
  const std::string root = folder.path().string();
  const auto limit = [&](const std::string& lines) {
    write_text(groups, lines);
    return control_group_memory(groups, root);
  };
  const double none = std::numeric_limits<double>::infinity();
  for (const char* const group : {"a/b", "memory/c"}) {
    std::filesystem::create_directories(folder / group);
  }
  EXPECT_EQ(limit("0::/a/b\n"), none);
  write_text(folder / "a/b/memory.max", "max\n");
  EXPECT_EQ(limit("0::/a/b\n"), none);
  write_text(folder / "a/memory.max", "4096000\n");
  EXPECT_EQ(limit("0::/a/b\n"), 4096000);  // of the group above
  write_text(folder / "a/b/memory.max", "1000\n");
  EXPECT_EQ(limit("0::/a/b\n"), 1000);
  EXPECT_EQ(limit("0::/\n"), none);
  write_text(folder / "memory.max", "5000000\n");
  EXPECT_EQ(limit("0::/\n"), 5000000);
  EXPECT_EQ(limit("0::/a/b/missing\n"), 1000);
  EXPECT_EQ(limit("0::/../../missing\n"), 5000000);
  // Version 1: one hierarchy for each controller.
  write_text(folder / "memory/memory.limit_in_bytes", "9223372036854771712\n");
  write_text(folder / "memory/c/memory.limit_in_bytes", "2000\n");
  EXPECT_EQ(limit("3:cpu,memory:/c\n1:name=systemd:/a\n"), 2000);
  EXPECT_EQ(limit("3:cpu:/c\n"), none);
  EXPECT_EQ(limit("no line of this kind\n:\n"), none);
}

TEST(MemoryLimit, AWantThatIsTooLargeIsNamed) {
  const MemoryLimit limit{1 << 30, "that a test allows"};
  EXPECT_TRUE(check_memory(0.79 * (1 << 30), "hash: the tree", limit));
  const Result<void> refused = check_memory(1.5 * (1 << 30), "hash: the tree", limit);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().reason(),
      "hash: the tree would take 1.5 GiB: at most 80 % of the 1 GiB that a test allows can be "
      "used");
}

// Sanitizers reserve terabytes of addresses.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

class LittleMemory : public TinyRun {
 protected:
  /// Runs senet with at most so many MiB of addresses, and kills it if it hangs.
  static ProgramRun run_in(int mib, Arguments arguments) {
    const std::string script =
        "ulimit -v " + std::to_string(mib * 1024) + " && exec timeout -s KILL 300 \"$0\" \"$@\"";
    arguments.insert(arguments.begin(), {"-c", script, SENET_PROGRAM});
    return run_program("/bin/sh", arguments);
  }
  /// Success, or one sentence and the exit code of a failure; 127: the libraries could not be
  /// loaded.
  static void expect_in_words(const ProgramRun& run, int mib) {
    if (run.exit_code == 0) return;
    EXPECT_TRUE(run.exit_code == 1 || run.exit_code == 2 || run.exit_code == 127)
        << mib << " MiB: " << run.exit_code << " " << run.err;
    const std::size_t last = run.err.rfind('\n', run.err.size() - 2) + 1;
    EXPECT_TRUE(run.err.compare(last, 5, "senet") == 0 || run.exit_code == 127)
        << mib << " MiB: " << run.err;
    EXPECT_TRUE(run.err.ends_with('\n')) << mib << " MiB: " << run.err;
  }
};

TEST_F(LittleMemory, EndsARunInWords) {
  int good = 0, refused = 0;
  for (const int mib : {40, 60, 80, 100, 120, 140, 160, 180, 200, 240, 280, 320, 400, 500, 640, 800,
                        1000, 2000, 4000}) {
    std::filesystem::remove_all(run());
    const ProgramRun run_of =
        run_in(mib, {"selfplay", "--run", run().string(), "--game", "connect_four", "--games", "2",
                     "--visits", "2000", "--workers", "4", "--lanes", "16", "--quiet"});
    expect_in_words(run_of, mib);
    good += run_of.exit_code == 0;
    refused += run_of.exit_code == 2;
    if (run_of.exit_code == 2) {
      EXPECT_NE(run_of.err.find("ulimit -v"), std::string::npos) << run_of.err;
      EXPECT_FALSE(std::filesystem::exists(run()));
    }
  }
  EXPECT_GT(good, 0);
  EXPECT_GT(refused, 0);
}

// The replay buffer and the trainer count, not only the trees.
TEST_F(LittleMemory, TheReplayBufferCounts) {
  const ProgramRun run_of = run_in(2000, tiny({"--replay", "100000000"}));
  expect_failure(run_of, 2, "selfplay", "--replay: with these visits, workers and lanes");
  EXPECT_NE(run_of.err.find("ulimit -v"), std::string::npos) << run_of.err;
  EXPECT_FALSE(std::filesystem::exists(run()));
  expect_failure(run_in(2000, {"selfplay", "--run", run().string(), "--game", "connect_four",
                               "--width", "2048", "--blocks", "30"}),
                 2, "selfplay", "--width: with these visits, workers and lanes");
}

// A run that was begun on a larger machine.
TEST_F(LittleMemory, ARunCanBeMadeSmaller) {
  const ProgramRun begun = run_senet(tiny({"--games", "3"}));
  ASSERT_EQ(begun.exit_code, 0) << begun.err;
  std::string config = text_of(run() / "config.json");
  const std::size_t at = config.find("\"replay\": ") + 10;
  config.replace(at, config.find(',', at) - at, "100000000");
  write_text(run() / "config.json", config);
  const Arguments more = {"selfplay", "--run", run().string(), "--games", "3", "--quiet"};
  expect_failure(run_in(2000, more), 2, "selfplay", "--replay: with these visits");
  const ProgramRun smaller = run_in(2000, with(more, {"--replay", "2000"}));
  EXPECT_EQ(smaller.exit_code, 0) << smaller.err;
}

TEST_F(LittleMemory, EndsASessionInWords) {
  for (const int mib : {40, 60, 80, 100, 150, 200, 250, 300, 400, 600, 1000}) {
    expect_in_words(run_in(mib, {"uci", "--game", "connect_four"}), mib);
  }
  expect_failure(run_in(1000, {"uci", "--hash", "2000"}), 2, "uci",
                 "--hash: the tree would take 2 GiB: at most 80 % of the ");
  // The session continues with the tree that it has.
  const Arguments script = {"-c",
                            "printf 'setoption name Hash value %s\\nsetoption name Threads value "
                            "2\\nsetoption name Hash value 500\\nisready\\n' 1048576 | (ulimit -v "
                            "1000000 && \"$0\" uci --game connect_four --hash 400)",
                            SENET_PROGRAM};
  const ProgramRun session = run_program("/bin/sh", script);
  EXPECT_EQ(session.exit_code, 0) << session.err;
  EXPECT_TRUE(session.out.starts_with(
      "error bad_argument hash: the tree would take 1024 GiB: at most 80 % of the "))
      << session.out;
  EXPECT_TRUE(session.out.ends_with(" can be used\nreadyok\n")) << session.out;
  EXPECT_EQ(std::ranges::count(session.out, '\n'), 2) << session.out;
}

#endif

}  // namespace
}  // namespace senet
