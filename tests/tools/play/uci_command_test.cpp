// senet uci as a program behind pipes: startup, answers and exit.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "tests/tools/play/conversation.hpp"
#include "tests/tools/program.hpp"

namespace senet {
namespace {

using Lines = std::vector<std::string>;

std::size_t count(const Lines& lines, const std::string& start) {
  std::size_t found = 0;
  for (const std::string& line : lines) found += line.starts_with(start);
  return found;
}

TEST(UciCommand, AnswersLineByLineUntilQuit) {
  Conversation senet({"uci", "--visits", "5", "--weights", "untrained"});
  senet.send("ubgi\n");
  EXPECT_EQ(count(senet.until("ubgiok"), "option name Visits type spin default 5 "), 1u);
  senet.send("isready\n");
  EXPECT_EQ(senet.until("readyok").size(), 2u);  // with a note that it is untrained
  senet.send("position gnubgid 4HPwATDgc/ABMA\ndice 3 1\ngo role chequer\n");
  EXPECT_EQ(senet.until("bestmove ").size(), 2u);
  senet.send("nonsense\nisready\n");
  EXPECT_TRUE(senet.line().starts_with("error unknown_command "));
  EXPECT_EQ(senet.line(), "readyok");
  senet.send("quit\nisready\n");
  EXPECT_EQ(senet.rest(), Lines{});
  EXPECT_EQ(senet.wait(), 0);
}

TEST(UciCommand, StopEndsASearchWithoutLimits) {
  for (const std::string game : {"tic_tac_toe", "connect_four", "backgammon"}) {
    Conversation senet({"uci", "--game", game, "--hash", "64"});
    if (game == "backgammon") senet.send("dice 5 3\n");
    senet.send("go infinite\nisready\n");
    EXPECT_EQ(count(senet.until("readyok"), "bestmove "), 0u) << game;
    senet.send("stop\nisready\n");
    EXPECT_EQ(count(senet.until("readyok"), "bestmove "), 1u) << game;
    EXPECT_EQ(senet.wait(), 0) << game;
  }
}

TEST(UciCommand, AScriptIsAnsweredToItsEnd) {
  Conversation senet({"uci", "--game", "connect_four"});
  senet.send("go nodes 2000\r\nposition 44\r\ngo nodes 300\r\ngo infinite");
  senet.end_input();
  const Lines answer = senet.rest();
  EXPECT_EQ(count(answer, "bestmove "), 3u);
  EXPECT_EQ(count(answer, "error "), 0u);
  // Slow searches print progress before the last info.
  const auto first = std::ranges::find_if(
      answer, [](const std::string& line) { return line.starts_with("bestmove "); });
  ASSERT_NE(first, answer.begin());
  EXPECT_NE(std::prev(first)->find(" nodes 2000 "), std::string::npos) << *std::prev(first);
  EXPECT_EQ(senet.wait(), 0);
}

TEST(UciCommand, EndsQuietlyWhenItsInputEnds) {
  Conversation senet({"uci"});
  senet.end_input();
  EXPECT_EQ(senet.rest(), Lines{});
  EXPECT_EQ(senet.wait(), 0);
}

TEST(UciCommand, GarbageIsRefusedAndTheSessionLivesOn) {
  Conversation senet({"uci", "--game", "connect_four"});
  std::string garbage;
  for (int i = 0; i < 2000; ++i) garbage += static_cast<char>(i * 37 % 256);
  senet.send(garbage + "\n" + std::string(3'000'000, 'x') + "\nisready\n");
  const Lines answer = senet.until("readyok");
  EXPECT_GT(count(answer, "error "), 1u);
  EXPECT_EQ(count(answer, "error "), answer.size() - 1);
}

TEST(UciCommand, BadOptionsEndItBeforeTheFirstWord) {
  expect_failure(run_senet({"uci", "--game", "chess"}), 2, "uci", "unknown game \"chess\"");
  expect_failure(run_senet({"uci", "--weights", "/nowhere.safetensors"}), 2, "uci", "/nowhere");
  expect_failure(run_senet({"uci", "--evaluator", "fast"}), 2, "uci", "fast");
  expect_failure(run_senet({"uci", "--visits", "-1"}), 2, "uci", "--visits");
  expect_failure(run_senet({"uci", "--lanes", "4"}), 2, "uci", "--lanes");
  expect_failure(run_senet({"uci", "--game", "connect_four", "--mode", "afterstates"}), 2, "uci",
                 "--mode: connect_four has no afterstates");
}

}  // namespace
}  // namespace senet
