// senet solve as a program behind pipes: positions, solutions, ids and errors.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "games/cube2/cube2.hpp"
#include "tests/effort.hpp"
#include "tests/repository.hpp"
#include "tests/tools/play/conversation.hpp"
#include "tests/tools/program.hpp"

namespace senet {
namespace {

std::vector<nlohmann::json> solutions_of(const std::vector<std::string>& lines,
                                         std::vector<std::string> arguments = {},
                                         const char* weights = "untrained") {
  arguments.insert(arguments.begin(), {"solve", "--game", "cube2", "--weights", weights});
  Conversation senet(arguments);
  for (const std::string& line : lines) senet.send(line + "\n");
  senet.end_input();
  std::vector<nlohmann::json> answers;
  for (const std::string& line : senet.rest()) answers.push_back(nlohmann::json::parse(line));
  EXPECT_EQ(senet.wait(), 0);
  return answers;
}

// Few moves are found by search alone.
TEST(SolveCommand, SolvesWhatIsNear) {
  for (const char* const at_once : {"1", "2", "1000"}) {
    const auto answers =
        solutions_of({"R", "", R"({"id": 7, "position": "U R2"})", "6054231/1111110 40", "F' U'"},
                     {"--visits", "2000", "--at-once", at_once});
    ASSERT_EQ(answers.size(), 4u);
    const std::vector<std::size_t> lines = {1, 3, 4, 5};
    for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i]["line"], lines[i]);
    EXPECT_EQ(answers[0]["moves"], nlohmann::json({"R'"}));
    EXPECT_EQ(answers[0]["length"], 1);
    EXPECT_FALSE(answers[0].contains("id"));
    EXPECT_EQ(answers[1]["id"], 7);
    EXPECT_EQ(answers[1]["moves"], nlohmann::json({"R2", "U'"}));
    EXPECT_EQ(answers[3]["moves"], nlohmann::json({"U", "F"}));
    EXPECT_EQ(answers[2]["solved"], answers[2]["length"] < 40);
    for (const nlohmann::json& answer : answers) {
      Cube2 state = *Cube2::from_text(answer["position"].get<std::string>());
      for (const std::string move : answer["moves"]) state.play(*state.action_from_text(move));
      EXPECT_EQ(state.is_solved(), answer["solved"].get<bool>());
    }
  }
}

// Alone it solves nearly all scrambles, and with a search nearly all by a shortest way.
TEST(SolveCommand, TheBuiltInNetworkSolvesScrambles) {
  std::ifstream labels(repository_path("tests/data/cube2/labels_A.csv"));
  std::vector<std::string> scrambles;
  std::vector<int> shortest;
  std::string line;
  for (std::getline(labels, line); std::getline(labels, line);) {
    scrambles.push_back(line.substr(0, line.find(',')));
    shortest.push_back(std::stoi(line.substr(scrambles.back().size() + 1)));
  }
  ASSERT_EQ(scrambles.size(), 500u);
  scrambles.resize(effort(scrambles.size()));
  std::size_t solved = 0;
  for (const auto& answer : solutions_of(scrambles, {"--visits", "0"}, "builtin")) {
    solved += answer["solved"].get<bool>() ? 1 : 0;
  }
  EXPECT_GE(solved, scrambles.size() * 98 / 100);
  const auto searched = solutions_of(scrambles, {}, "builtin");
  ASSERT_EQ(searched.size(), scrambles.size());
  std::size_t shortest_ways = 0;
  for (std::size_t i = 0; i < searched.size(); ++i) {
    EXPECT_TRUE(searched[i]["solved"]) << scrambles[i];
    EXPECT_GE(searched[i]["length"], shortest[i]) << scrambles[i];
    shortest_ways += searched[i]["length"] == shortest[i] ? 1 : 0;
  }
  EXPECT_GE(shortest_ways, searched.size() * 99 / 100);
}

TEST(SolveCommand, ErrorsNameTheLine) {
  const auto answers =
      solutions_of({"X", R"({"id": "a", "position": "0000000/0000000"})", R"({"id": 2})", "R", "{"},
                   {"--visits", "100", "--most-moves", "1"});
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[0]["line"], 1);
  EXPECT_NE(answers[0]["error"].get<std::string>().find("\"X\" does not begin with a move"),
            std::string::npos);
  EXPECT_EQ(answers[1]["id"], "a");
  EXPECT_NE(answers[1]["error"].get<std::string>().find("twice"), std::string::npos);
  EXPECT_EQ(answers[2]["error"], "the object has no text \"position\"");
  EXPECT_TRUE(answers[3]["solved"]);
  EXPECT_EQ(answers[4]["error"], "invalid JSON");
}

TEST(SolveCommand, IsForOnePlayer) {
  const ProgramRun two = run_program(SENET_PROGRAM, {"solve", "--game", "connect_four"});
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_NE(two.err.find("connect_four is a game of two players"), std::string::npos) << two.err;
  const ProgramRun match = run_program(
      SENET_PROGRAM, {"match", "--game", "cube2", "--first", "random", "--second", "random"});
  EXPECT_EQ(match.exit_code, 2);
  EXPECT_NE(match.err.find("cube2 is a game of one player and has no matches"), std::string::npos)
      << match.err;
  const ProgramRun run = run_program(SENET_PROGRAM, {"selfplay", "--game", "cube2", "--run",
                                                     "/nowhere", "--strength-minutes", "1"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("strength-minutes: cube2 has one player"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace senet
