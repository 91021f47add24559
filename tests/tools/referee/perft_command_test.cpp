// senet perft, and the behaviour common to all commands: help, version, errors on one line.
#include <gtest/gtest.h>

#include "tests/tools/program.hpp"

namespace senet {
namespace {

TEST(PerftCommand, KnownCounts) {
  const auto leaves = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "perft");
    const ProgramRun run = run_senet(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_NE(run.out.find("leaves/s"), std::string::npos);
    return run.out.substr(0, run.out.find('\n'));
  };
  EXPECT_EQ(leaves({"tic_tac_toe", "9"}), "leaves 127872");
  EXPECT_EQ(leaves({"connect_four", "0"}), "leaves 1");
  EXPECT_EQ(leaves({"connect_four", "7"}), "leaves 823536");
  EXPECT_EQ(leaves({"connect_four", "1", "--position", "111111"}), "leaves 6");
  EXPECT_EQ(leaves({"backgammon", "1"}), "plays_21 447  plays_36 637");
  EXPECT_EQ(leaves({"backgammon", "2"}), "plays_21 202782  plays_36 419783");
  EXPECT_EQ(leaves({"backgammon", "1", "--position", "3LZtAAC3GTEATA"}),
            "plays_21 120  plays_36 155");
}

TEST(PerftCommand, DivideAddsUp) {
  const ProgramRun moves = run_senet({"perft", "connect_four", "5", "--divide"});
  std::istringstream lines(moves.out);
  std::uint64_t sum = 0;
  for (int i = 0; i < 7; ++i) {
    std::string move, word;
    std::uint64_t count = 0;
    lines >> move >> word >> count;
    EXPECT_EQ(move, std::to_string(i + 1));
    sum += count;
  }
  std::string word;
  std::uint64_t total = 0;
  lines >> word >> total;
  EXPECT_EQ(sum, total);
  EXPECT_EQ(total, 16807u);

  // The numbers of distinct plays of some first rolls.
  const ProgramRun rolls = run_senet({"perft", "backgammon", "1", "--divide"});
  for (const std::string expected : {"21 plays_21 15 plays_36 15", "65 plays_21 7 plays_36 7",
                                     "11 plays_21 42 plays_36 42", "33 plays_21 73 plays_36 73"}) {
    std::istringstream roll_lines(rolls.out);
    int found = 0;
    for (std::string line; std::getline(roll_lines, line);) {
      std::istringstream words(line);
      std::string squeezed;
      for (std::string part; words >> part;) squeezed += (squeezed.empty() ? "" : " ") + part;
      found += squeezed == expected;
    }
    EXPECT_EQ(found, 1) << expected << " in\n" << rolls.out;
  }
}

TEST(PerftCommand, BadInputIsOneLine) {
  expect_failure(run_senet({"perft", "go", "3"}), 2, "perft",
                 "unknown game \"go\"; known games: tic_tac_toe, connect_four");
  expect_failure(run_senet({"perft", "connect_four", "3", "--position", "19"}), 2, "perft",
                 "--position");
  expect_failure(run_senet({"perft", "connect_four", "x"}), 2, "perft", "depth");
  expect_failure(run_senet({"perft", "connect_four", "-1"}), 2, "perft", "");
  expect_failure(run_senet({"perft", "connect_four"}), 2, "perft", "depth is required");
  expect_failure(run_senet({"perft", "connect_four", "3", "--bogus"}), 2, "perft", "--bogus");
  expect_failure(run_senet({"perft", "connect_four", "3", "--position", "a\nb\x1b"}), 2, "perft",
                 "");
}

TEST(Program, HelpAndVersion) {
  const ProgramRun version = run_senet({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("senet ")) << version.out;
  const ProgramRun help = run_senet({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const std::string command : {"perft", "inspect", "eval", "match"}) {
    EXPECT_NE(help.out.find("\n  " + command), std::string::npos) << help.out;
    const ProgramRun own = run_senet({command, "--help"});
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_NE(own.out.find("Usage: senet " + command), std::string::npos) << own.out;
  }
}

}  // namespace
}  // namespace senet
