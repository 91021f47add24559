// senet analyse as a program behind pipes: requests, answers, order, cancelling and errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/play/conversation.hpp"
#include "tests/tools/program.hpp"

namespace senet {
namespace {

using Json = nlohmann::json;

std::vector<Json> answers_to(const std::vector<std::string>& requests,
                             std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {"analyse", "--game", "connect_four", "--visits", "300"});
  Conversation senet(arguments);
  for (const std::string& request : requests) senet.send(request + "\n");
  senet.end_input();
  std::vector<Json> answers;
  for (const std::string& line : senet.rest()) answers.push_back(Json::parse(line));
  EXPECT_EQ(senet.wait(), 0);
  return answers;
}

TEST(AnalyseCommand, AnswersWithTheMoveItsLineAndAllOthers) {
  const auto answers =
      answers_to({R"({"id": 7, "position": "startpos", "moves": "4 4", "lines": 2})"});
  ASSERT_EQ(answers.size(), 1u);
  const Json& answer = answers[0];
  EXPECT_EQ(answer["id"], 7);
  EXPECT_EQ(answer["turn"], 2);
  EXPECT_EQ(answer["position"], "7/7/7/7/3O3/3X3");
  EXPECT_EQ(answer["visits"], 300);
  EXPECT_EQ(answer["ending"], "limit");
  ASSERT_EQ(answer["moves"].size(), 7u);
  EXPECT_EQ(answer["moves"][0]["move"], answer["move"]);
  EXPECT_EQ(answer["moves"][0]["pv"][0], answer["move"]);
  EXPECT_TRUE(answer["moves"][1].contains("pv"));
  EXPECT_FALSE(answer["moves"][2].contains("pv"));
  int visits = 1;
  for (const Json& move : answer["moves"]) visits += move["visits"].get<int>();
  EXPECT_EQ(visits, 300);
  double sum = 0, value = 0;
  for (const auto& [points, probability] : answer["outcomes"].items()) {
    sum += probability.get<double>();
    value += std::stod(points) * probability.get<double>();
  }
  EXPECT_NEAR(sum, 1, 1e-3);
  EXPECT_NEAR(value, answer["value"].get<double>(), 1e-3);
}

// Whole games and single positions, in one process on several threads and one after the other.
TEST(AnalyseCommand, AnAnswerDependsOnItsRequestOnly) {
  const std::string game =
      R"({"id": "all", "moves": "4 4 5 3 2 2 6", "turns": "all", "visits": 200})";
  std::map<std::size_t, Json> together;
  for (const Json& answer : answers_to({game}, {"--workers", "2", "--at-once", "5"})) {
    together[answer["turn"]] = answer;
  }
  ASSERT_EQ(together.size(), 8u);
  // With memory for few searches at once, the others wait.
  EXPECT_EQ(answers_to({game}, {"--memory", "16", "--at-once", "4000"}).size(), 8u);
  std::string moves;
  for (std::size_t turn = 0; turn < 8; ++turn) {
    const std::string alone =
        R"({"id": "all", "moves": "4 4 5 3 2 2 6", "visits": 200, "turns": [)" +
        std::to_string(turn) + "]}";
    const auto answer = answers_to({alone}, {"--workers", "1", "--at-once", "1"});
    ASSERT_EQ(answer.size(), 1u);
    EXPECT_EQ(answer[0], together[turn]) << turn;
  }
}

TEST(AnalyseCommand, BackgammonPositionsHaveDiceAndOutcomes) {
  Conversation senet({"analyse", "--game", "backgammon", "--visits", "50"});
  senet.send(
      R"({"id": 1, "position": "gnubgid 4HPwATDgc/ABMA", "moves": "31 8/5 6/5 62", "turns": "all"})"
      "\n"
      R"({"id": 2, "position": "gnubgid 4HPwATDgc/ABMA"})"
      "\n");
  senet.end_input();
  std::vector<std::size_t> turns;
  for (const std::string& line : senet.rest()) {
    const Json answer = Json::parse(line);
    if (answer["id"] == 2) {
      EXPECT_EQ(answer["error"], "turn 0: the dice are not known");
      continue;
    }
    EXPECT_EQ(answer["outcomes"].size(), 6u);
    turns.push_back(answer["turn"]);
  }
  std::ranges::sort(turns);
  EXPECT_EQ(turns, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(senet.wait(), 0);
}

TEST(AnalyseCommand, LimitsAndMovesAreThoseOfTheRequest) {
  const auto answers = answers_to({R"({"id": 1, "visits": 20})", R"({"id": 2, "depth": 2})",
                                   R"({"id": 3, "searchmoves": ["1", "7"]})",
                                   R"({"id": 4, "position": "startpos moves 1 2 1 2 1"})"});
  ASSERT_EQ(answers.size(), 4u);
  for (const Json& answer : answers) {
    const int id = answer["id"];
    if (id == 1) {
      EXPECT_EQ(answer["visits"], 20);
    }
    if (id == 2) {
      EXPECT_EQ(answer["depth"], 2);
    }
    if (id == 3) {
      EXPECT_TRUE(answer["move"] == "1" || answer["move"] == "7");
    }
    if (id == 4) {
      EXPECT_EQ(answer["turn"], 5);
    }
  }
}

TEST(AnalyseCommand, HighPriorityBeginsFirst) {
  std::vector<std::string> requests;
  for (int i = 0; i < 6; ++i) requests.push_back(R"({"id": "low", "priority": "low"})");
  requests.push_back(R"({"id": "high", "priority": "high"})");
  const auto answers = answers_to(requests, {"--at-once", "1", "--workers", "1"});
  ASSERT_EQ(answers.size(), 7u);
  EXPECT_NE(answers.back()["id"], "high");
}

TEST(AnalyseCommand, ReportsAndCancels) {
  Conversation senet({"analyse", "--game", "connect_four", "--visits", "1000000", "--at-once", "1",
                      "--memory", "4096"});
  senet.send(R"({"id": "long", "report_ms": 5})"
             "\n"
             R"({"id": "waiting"})"
             "\n");
  const Json report = Json::parse(senet.line());
  EXPECT_EQ(report["id"], "long");
  EXPECT_EQ(report["partial"], true);
  EXPECT_FALSE(report.contains("ending"));
  senet.send(R"({"cancel": "waiting"})"
             "\n"
             R"({"cancel": "long"})"
             "\n");
  senet.end_input();
  std::map<std::string, std::string> endings;
  for (const std::string& line : senet.rest()) {
    const Json answer = Json::parse(line);
    if (!answer.contains("partial")) endings[answer["id"]] = answer["ending"];
  }
  EXPECT_EQ(endings,
            (std::map<std::string, std::string>{{"waiting", "cancelled"}, {"long", "stopped"}}));
  EXPECT_EQ(senet.wait(), 0);
}

TEST(AnalyseCommand, ARequestThatIsWrongHasOneErrorAndTheOthersTheirAnswers) {
  const std::vector<std::string> wrong = {
      "nonsense",
      "[1, 2]",
      R"({"id": 1, "speed": 3})",
      R"({"id": 1, "visits": 0})",
      R"({"id": 1, "visits": 301})",
      R"({"id": 1, "visits": "many"})",
      R"({"id": 1, "position": "startpos moves 9"})",
      R"({"id": 1, "moves": [4]})",
      R"({"id": 1, "moves": "1 1 1 1 1 1 1"})",
      R"({"id": 1, "turns": [1]})",
      R"({"id": 1, "turns": "some"})",
      R"({"id": 1, "turns": []})",
      R"({"id": 1, "moves": "4", "turns": [1, 1]})",
      R"({"id": [[[]]]})",
      R"({"cancel": [[[]]]})",
      R"({"cancel": null})",
      R"({"cancel": 1, "visits": 5})",
      R"({"id": 1, "priority": "urgent"})",
      R"({"id": 1, "searchmoves": "8"})",
      R"({"id": 1, "moves": "1 2 1 2 1 2 1"})",
  };
  std::vector<std::string> requests = wrong;
  requests.insert(requests.begin() + 3, R"({"id": "right", "visits": 10})");
  const auto answers = answers_to(requests);
  ASSERT_EQ(answers.size(), requests.size());
  std::size_t errors = 0;
  for (const Json& answer : answers) {
    if (answer.contains("error")) {
      ++errors;
      EXPECT_TRUE(answer["line"].is_number()) << answer;
    } else {
      EXPECT_EQ(answer["id"], "right");
    }
  }
  EXPECT_EQ(errors, wrong.size());
}

TEST(AnalyseCommand, AWrongCommandLineIsAUsageError) {
  expect_failure(run_senet({"analyse"}), 2, "analyse", "--game");
  expect_failure(run_senet({"analyse", "--game", "chess"}), 2, "analyse", "chess");
  expect_failure(run_senet({"analyse", "--game", "connect_four", "--visits", "0"}), 2, "analyse",
                 "--visits");
  expect_failure(run_senet({"analyse", "--game", "connect_four", "--weights", "/nowhere"}), 2,
                 "analyse", "/nowhere");
  expect_failure(
      run_senet({"analyse", "--game", "connect_four", "--visits", "1000000", "--memory", "16"}), 2,
      "analyse", "16 MiB are too few for an analysis of 1000000 visits");
}

}  // namespace
}  // namespace senet
