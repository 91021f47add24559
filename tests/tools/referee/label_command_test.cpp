// senet label: its output can be read by senet eval, is reproducible from the seed, and agrees with
// the shipped labels.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "games/backgammon/board.hpp"
#include "tests/repository.hpp"
#include "tests/tools/program.hpp"
#include "tools/play/child_process.hpp"
#include "tools/referee/games/backgammon/gnubg.hpp"

namespace senet {
namespace {

using Json = nlohmann::json;

const std::string kLabels = repository_path("tests/data/backgammon/labels_A.jsonl");

ProgramRun label(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "label");
  return run_senet(std::move(arguments));
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

class LabelCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_gnubg()) {
      GTEST_SKIP() << "GNU BACKGAMMON IS NOT INSTALLED: senet label was not tested";
    }
  }
};

using Plays = std::map<std::string, Json>;

Plays plays_of(const Json& label) {
  Plays plays;
  for (const Json& play : label["moves"]) plays[play[1]] = play;
  return plays;
}

/// Expects the same position, dice, class and plays. Adds the differences of the plays' equities.
void compare(const Json& made, const Json& shipped, std::vector<double>& differences) {
  for (const char* key : {"posid", "board", "dice", "cls", "n1"}) {
    EXPECT_EQ(made[key], shipped[key]) << key << " of " << shipped["id"];
  }
  // gnubg's answers are reproducible on one machine, but its contact network differs slightly
  // between machines, and more if two replies in its search are so close that it chooses the other
  // one. In the other classes all digits agree.
  const bool is_contact = shipped["cls"] == "contact" || shipped["cls"] == "crashed";
  const double most = is_contact ? 2e-3 : 1.5e-5;
  const Plays ours = plays_of(made), wanted = plays_of(shipped);
  ASSERT_EQ(ours.size(), wanted.size()) << shipped["id"];
  for (const auto& [after, play] : wanted) {
    ASSERT_TRUE(ours.contains(after)) << shipped["id"] << " " << after;
    const Json& our = ours.at(after);
    const double difference = std::abs(our[2].get<double>() - play[2].get<double>());
    EXPECT_LE(difference, most) << shipped["id"] << play;
    if (is_contact) differences.push_back(difference);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(our[3][i].get<double>(), play[3][i].get<double>(), most + 1e-4) << play;
    }
  }
  const double best = wanted.at(made["moves"][0][1])[2].get<double>();
  EXPECT_NEAR(best, shipped["moves"][0][2].get<double>(), most) << shipped["id"];
}

// Labels decisions of every phase again at the same depth.
TEST_F(LabelCommand, ShippedLabelsComeOutAgain) {
  std::map<std::string, int> taken;
  std::vector<Json> shipped;
  std::ifstream file(kLabels);
  const TemporaryFolder folder;
  std::ofstream chosen(folder / "chosen.jsonl");
  for (std::string line; std::getline(file, line);) {
    const Json one = Json::parse(line);
    const std::size_t plays = one["moves"].size();
    // "shallow": decisions with so many plays that the last one is not evaluated at 2 ply.
    const std::string kind = one["n1"] == 0 ? one["cls"] : "shallow";
    if (kind == "shallow" ? plays != 81 || one["cls"] != "race" : plays < 3 || plays > 8) continue;
    if (taken[kind]++ >= 4) continue;
    shipped.push_back(one);
    chosen << line << "\n";
  }
  chosen.close();
  ASSERT_EQ(shipped.size(), 17u);
  const ProgramRun run = label({"--from", folder / "chosen.jsonl", "--ply", "2"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<Json> made = lines_of(run.out);
  ASSERT_EQ(made.size(), shipped.size());
  std::vector<double> differences;
  for (std::size_t i = 0; i < made.size(); ++i) compare(made[i], shipped[i], differences);
  // Another ply or the pruning networks would change most equities by more than this.
  EXPECT_GT(differences.size(), 30u);
  const auto small = std::ranges::count_if(differences, [](double d) { return d < 6e-5; });
  EXPECT_GE(small, static_cast<std::ptrdiff_t>(differences.size() * 8 / 10));
}

TEST_F(LabelCommand, EvalReadsThem) {
  const TemporaryFolder folder;
  const ProgramRun run = label({"--count", "30", "--ply", "0"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(lines_of(run.out).size(), 30u);
  write_text(folder / "labels.jsonl", run.out);
  const ProgramRun eval = run_senet({"eval", "--game", "backgammon", "--labels",
                                     folder / "labels.jsonl", "--player", "random", "--json"});
  ASSERT_EQ(eval.exit_code, 0) << eval.err;
  EXPECT_EQ(eval.metric("backgammon", "positions"), 30);
  EXPECT_EQ(eval.metric("backgammon", "unmatched"), 0);
  EXPECT_GT(eval.metric("backgammon", "loss_millipoints"), 100);
}

TEST_F(LabelCommand, SeedsFixThemAndProcessesDoNot) {
  const auto labels = [](const std::string& seed, const std::string& processes,
                         const std::string& from) {
    const ProgramRun run = label(
        {"--count", "25", "--ply", "0", "--seed", seed, "--processes", processes, "--from", from});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  };
  const std::string first = labels("1", "1", "random");
  EXPECT_EQ(first, labels("1", "3", "random"));
  EXPECT_NE(first, labels("2", "1", "random"));
  EXPECT_NE(first, labels("1", "1", "gnubg"));
}

// One phase only, no repetitions, at least two plays each, sorted from the best.
TEST_F(LabelCommand, ChoosesDecisions) {
  const ProgramRun run =
      label({"--count", "60", "--ply", "0", "--phase", "bearoff", "--one-in", "1"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::set<std::string> ids, decisions;
  for (const Json& one : lines_of(run.out)) {
    EXPECT_EQ(one["cls"], "bearoff");
    ids.insert(one["id"]);
    decisions.insert(one["posid"].dump() + one["dice"].dump());
    EXPECT_GE(one["moves"].size(), 2u);
    EXPECT_TRUE(std::ranges::is_sorted(one["moves"], std::ranges::greater(),
                                       [](const Json& play) { return play[2].get<double>(); }));
  }
  EXPECT_EQ(ids.size(), 60u);
  EXPECT_EQ(decisions.size(), 60u);
}

TEST_F(LabelCommand, RecordedGames) {
  const TemporaryFolder folder;
  const std::string log = folder / "run";
  ASSERT_EQ(run_senet({"selfplay", "--game", "backgammon", "--run", log, "--games", "2", "--visits",
                       "1", "--workers", "1"})
                .exit_code,
            0);
  const ProgramRun run =
      label({"--from", log + "/games.senet", "--one-in", "3", "--ply", "0", "--count", "20"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(lines_of(run.out).size(), 20u);
}

// The printed labels are complete, the reason contains their number, and no files remain.
TEST_F(LabelCommand, CanBeStopped) {
  const TemporaryFolder folder;
  auto run = ChildProcess::start({"env", "TMPDIR=" + folder.path().string(), SENET_PROGRAM, "label",
                                  "--count", "100000", "--ply", "0", "--one-in", "1"});
  ASSERT_TRUE(run) << run.error().reason();
  const auto deadline = ChildProcess::Clock::now() + std::chrono::minutes(5);
  Result<std::string> line = run->read_line(deadline);
  ASSERT_TRUE(line) << line.error().reason();
  EXPECT_GT(folder.files(), 0);
  ::kill(run->id(), SIGINT);
  for (; line; line = run->read_line(deadline)) {
    EXPECT_TRUE(Json::parse(*line, nullptr, false).is_object()) << *line;
  }
  EXPECT_NE(line.error().reason().find("senet label: stopped with "), std::string::npos)
      << line.error().reason();
  EXPECT_EQ(folder.files(), 0);
}

// It stops at the first failed write, not after a million labels.
TEST_F(LabelCommand, StopsWhenTheDiskIsFull) {
  const ProgramRun run = run_program(
      "/bin/sh", {"-c", SENET_PROGRAM " label --from random --count 1000000 --ply 0 >/dev/full"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(run.err.starts_with("senet label: cannot write to ")) << run.err;
  EXPECT_TRUE(run.err.ends_with(": No space left on device\n")) << run.err;
}

TEST_F(LabelCommand, BadInputIsOneLine) {
  expect_failure(label({"--from", "/nowhere"}), 2, "label", "/nowhere");
  expect_failure(label({"--from", "/nowhere.jsonl"}), 2, "label", "/nowhere.jsonl");
  expect_failure(label({"--ply", "3"}), 2, "label", "--ply");
  expect_failure(label({"--count", "0"}), 2, "label", "--count");
  expect_failure(label({"--phase", "opening"}), 2, "label", "--phase");
  expect_failure(label({"--from", repository_path("README.md")}), 1, "label", "README.md");
  const std::string wrong = repository_path("tests/data/connect_four/labels_A.csv");
  expect_failure(label({"--from", wrong}), 1, "label", "labels_A.csv");
}

}  // namespace
}  // namespace senet
