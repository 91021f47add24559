// Tests the example server through its API: whole games, every error, and its shutdown.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/examples/running_server.hpp"
#include "tests/repository.hpp"
#include "tests/tools/program.hpp"

namespace senet {
namespace {

using nlohmann::json;

int sum(const json& numbers) {
  int total = 0;
  for (const json& number : numbers) total += number.get<int>();
  return total;
}

/// Checks the "search" field of an answer.
void check_search(const json& state, int player) {
  const json& search = state["search"];
  ASSERT_TRUE(search.is_object()) << state;
  EXPECT_EQ(search["player"], player);
  EXPECT_GE(search["visits"].get<int>(), 1);
  double outcomes = 0;
  for (const auto& [name, share] : search["outcomes"].items()) outcomes += share.get<double>();
  EXPECT_NEAR(outcomes, 1, 0.002) << search;
  ASSERT_GE(search["candidates"].size(), 1u);
  for (std::size_t i = 0; i < search["candidates"].size(); ++i) {
    const json& candidate = search["candidates"][i];
    EXPECT_FALSE(candidate["move"].get<std::string>().empty());
    if (i < 2) continue;  // the first is the best, even with fewer visits
    EXPECT_LE(candidate["visits"].get<int>(), search["candidates"][i - 1]["visits"].get<int>());
  }
}

/// Waits until a request uses a game.
void wait_for_search(RunningServer& server) {
  while (server.metric("games", "busy") < 1) usleep(1000);
}

TEST(GameServer, PlaysAWholeGameOfConnectFour) {
  RunningServer server({"--rate", "0"});
  const std::string game = server.open_game("connect_four");
  json state = server.get(game).json();
  EXPECT_EQ(state["board"]["rows"], json(std::vector<std::string>(6, ".......")));
  EXPECT_EQ(state["dice"], nullptr);
  int moves = 0;
  while (state["result"].is_null()) {
    ASSERT_LT(moves, 42);
    EXPECT_EQ(state["ply"], moves);
    EXPECT_EQ(state["turn"], moves % 2);
    // The user plays the leftmost free column.
    const bool person = moves % 2 == 0;
    const HttpAnswer played = server.post(
        game + "/move", person ? json{{"move", state["legal"][0]}} : json{{"visits", 50}});
    ASSERT_EQ(played.status, 200) << played.body;
    const json before = std::exchange(state, played.json());
    ++moves;
    EXPECT_EQ(state["history"].back()["player"], (moves - 1) % 2);
    if (person) {
      EXPECT_EQ(state["search"], nullptr);
    } else {
      check_search(state, 1);
      EXPECT_EQ(state["search"]["played"], state["history"].back()["move"]);
    }
    int stones = 0;
    for (const json& row : state["board"]["rows"]) {
      for (const char cell : row.get<std::string>()) stones += cell != '.';
    }
    EXPECT_EQ(stones, moves);
  }
  EXPECT_EQ(state["result"], json({{"winner", 1}, {"points", 1}, {"how", "line"}}))
      << "the engine beats a player who fills columns from the left";
  EXPECT_EQ(state["turn"], nullptr);
  EXPECT_EQ(state["legal"], json::array());
  for (const char* action : {"/move", "/analyse"}) {
    const HttpAnswer refused = server.post(game + action, json::object());
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.reason(), "the game is over");
  }
  EXPECT_EQ(server.metric("games", "finished"), 1);
}

TEST(GameServer, PlaysAWholeGameOfBackgammon) {
  RunningServer server({"--rate", "0", "--seed", "3"});
  const std::string game = server.open_game("backgammon");
  json state = server.get(game).json();
  EXPECT_NE(state["dice"][0], state["dice"][1]) << "an opening roll is not a double";
  int moves = 0;
  while (state["result"].is_null()) {
    ASSERT_LT(moves, 1000);
    ASSERT_EQ(state["turn"], moves % 2);
    ASSERT_GE(state["legal"].size(), 1u);
    // The user plays the last legal move.
    const bool person = moves % 2 == 0;
    const HttpAnswer played =
        server.post(game + "/move", person ? json{{"move", state["legal"].back()}, {"ply", moves}}
                                           : json{{"visits", 1}});
    ASSERT_EQ(played.status, 200) << played.body;
    const json before = std::exchange(state, played.json());
    ++moves;
    const json& turn = state["history"].back();
    EXPECT_NE(std::ranges::find(before["legal"], turn["move"]), before["legal"].end()) << turn;
    EXPECT_EQ(turn["dice"], std::to_string(before["dice"][0].get<int>()) +
                                std::to_string(before["dice"][1].get<int>()));
    for (const json& side : state["board"]["players"]) {
      EXPECT_EQ(sum(side["points"]) + side["bar"].get<int>() + side["off"].get<int>(), 15);
    }
    if (!person) check_search(state, 1);
  }
  const json& result = state["result"];
  EXPECT_EQ(state["board"]["players"][result["winner"].get<std::size_t>()]["off"], 15) << state;
  EXPECT_GE(result["points"].get<int>(), 1);
  EXPECT_LE(result["points"].get<int>(), 3);
}

TEST(GameServer, AnalysesWithoutPlayingAndResigns) {
  RunningServer server;
  const std::string game = server.open_game("backgammon");
  const json before = server.get(game).json();
  const json after = server.post(game + "/analyse", {{"visits", 30}}).json();
  check_search(after, 0);
  EXPECT_EQ(after["search"]["visits"], 30);
  EXPECT_FALSE(after["search"].contains("played"));
  for (const char* field : {"position", "legal", "ply", "dice", "board"}) {
    EXPECT_EQ(before[field], after[field]) << field;
  }
  const json resigned = server.post(game + "/resign", {{"player", 0}}).json();
  EXPECT_EQ(resigned["result"], json({{"winner", 1}, {"points", 1}, {"how", "resignation"}}));
  EXPECT_EQ(server.post(game + "/resign", {{"player", 1}}).status, 409);
  EXPECT_EQ(server.ask("DELETE", game).status, 200);
  EXPECT_EQ(server.get(game).status, 404);
}

TEST(GameServer, TakesMovesBackAndRollsTheSameDice) {
  RunningServer server({"--rate", "0"});
  const std::string game = server.open_game("backgammon");
  std::vector<json> states = {server.get(game).json()};
  for (int i = 0; i < 6; ++i) {
    states.push_back(server.post(game + "/move", {{"move", states.back()["legal"][0]}}).json());
  }
  for (const int ply : {5, 2, 0}) {
    EXPECT_EQ(server.post(game + "/undo", {{"ply", ply}}).json(), states[ply]) << ply;
    EXPECT_EQ(server.get(game).json(), states[ply]) << ply;
  }
  for (std::size_t i = 0; i < 6; ++i) {
    const json again = server.post(game + "/move", {{"move", states[i]["legal"][0]}}).json();
    EXPECT_EQ(again, states[i + 1]) << "the same moves have the same dice";
  }
  // A resignation is taken back too.
  EXPECT_EQ(server.post(game + "/resign", {{"player", 1}}).json()["turn"], nullptr);
  EXPECT_EQ(server.post(game + "/undo", {{"ply", 6}}).json(), states[6]);
}

TEST(GameServer, KeepsTheLast200Turns) {
  RunningServer server({"--rate", "0", "--seed", "1"});
  // Random players who hit when they can often need more than 200 turns.
  std::mt19937 random(1);
  std::string game;
  json state = {{"ply", 0}, {"result", "none"}};
  for (int turns = 0; state["ply"] < 205; ++turns) {
    ASSERT_LT(turns, 20'000);
    if (!state["result"].is_null()) {
      if (!game.empty()) server.ask("DELETE", game);
      game = server.open_game("backgammon");
      state = server.get(game).json();
    }
    json move = state["legal"][random() % state["legal"].size()];
    for (const json& hit : state["legal"]) {
      if (hit.get<std::string>().find('*') != std::string::npos) move = hit;
    }
    state = server.post(game + "/move", {{"move", move}}).json();
  }
  ASSERT_EQ(state["ply"], 205);
  EXPECT_EQ(state["history"].size(), 200u);
  EXPECT_EQ(server.post(game + "/undo", {{"ply", 4}}).reason(),
            "\"ply\" is not a whole number from 5 to 205");
  EXPECT_EQ(server.post(game + "/analyse", {{"ply", 5}, {"visits", 1}}).json()["ply"], 5);
  const json first = server.post(game + "/undo", {{"ply", 5}}).json();
  EXPECT_EQ(first["ply"], 5);
  EXPECT_EQ(first["history"], json::array());
}

TEST(GameServer, AnalysesEarlierPositions) {
  RunningServer server({"--rate", "0"});
  for (const char* name : {"connect_four", "backgammon"}) {
    const std::string game = server.open_game(name);
    std::vector<json> states = {server.get(game).json()};
    while (states.back()["result"].is_null()) {
      states.push_back(server.post(game + "/move", {{"move", states.back()["legal"][0]}}).json());
    }
    const json& last = states.back();
    for (std::size_t ply = 0; ply + 1 < states.size(); ply += 3) {
      json then = server.post(game + "/analyse", {{"ply", ply}, {"visits", 60}}).json();
      const json search = std::exchange(then["search"], nullptr);
      EXPECT_EQ(then, states[ply]) << "the state at that ply";
      const json& candidates = search["candidates"];
      EXPECT_EQ(search["played"], last["history"][ply]["move"]);
      EXPECT_TRUE(std::ranges::any_of(candidates, [&](const json& one) {
        return one["move"] == search["played"];
      })) << search;
      EXPECT_EQ(server.get(game).json(), last) << "the game has not changed";
    }
    EXPECT_EQ(server.post(game + "/analyse", {{"ply", last["ply"]}}).status, 409);
    EXPECT_EQ(server.post(game + "/analyse", {{"ply", states.size()}}).status, 400);
    EXPECT_EQ(server.ask("DELETE", game).status, 200);
  }
}

// X wins at once in column 4.
TEST(GameServer, ValuesAndLinesFollowTheBestMoves) {
  RunningServer server({"--rate", "0"});
  const json opened =
      server.post("/api/games", {{"game", "connect_four"}, {"position", "414142"}}).json();
  ASSERT_EQ(opened["turn"], 0);
  EXPECT_EQ(opened["ply"], 0);
  const std::string game = "/api/games/" + opened.value("id", "");
  const json search = server.post(game + "/analyse", {{"visits", 200}}).json()["search"];
  ASSERT_EQ(search["candidates"].size(), 7u);
  for (const json& candidate : search["candidates"]) {
    const json& line = candidate["line"];
    if (candidate["move"] == "4") {
      EXPECT_EQ(candidate["value"], 1);
      EXPECT_EQ(line, json::array()) << "the game is over";
      continue;
    }
    EXPECT_LE(line.size(), 6u);
    ASSERT_GE(line.size(), 1u);
    // The line is legal.
    std::string position = "414142" + candidate["move"].get<std::string>();
    for (const json& move : line) position += move.get<std::string>();
    EXPECT_EQ(server.post("/api/games", {{"game", "connect_four"}, {"position", position}}).status,
              201)
        << position;
    EXPECT_LE(candidate["value"], 1);
  }
  EXPECT_EQ(search["candidates"][0]["move"], "4");
}

TEST(GameServer, OpensAPosition) {
  RunningServer server({"--rate", "0"});
  const auto open = [&](const char* game, const char* position) {
    return server.post("/api/games", {{"game", game}, {"position", position}});
  };
  json state = open("backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10").json();
  EXPECT_EQ(state["position"], "4HPwATDgc/ABMA:0:31");
  EXPECT_EQ(state["dice"], json({3, 1}));
  state = open("backgammon", "4HPwATDgc/ABMA:1:-").json();
  EXPECT_EQ(state["turn"], 1);
  EXPECT_NE(state["dice"], nullptr) << "the server rolls where the position has no dice";
  state = open("connect_four", "4433").json();
  EXPECT_EQ(state["board"]["rows"].back(), "..XX...");
  EXPECT_EQ(open("connect_four", state["position"].get<std::string>().c_str()).json()["board"],
            state["board"]);
  state = open("connect_four", "4141414").json();
  EXPECT_EQ(state["result"], json({{"winner", 0}, {"points", 1}, {"how", "line"}}));
  EXPECT_EQ(open("backgammon", "rubbish").reason(),
            "a position id has 14 characters, 'rubbish' has 7");
  EXPECT_EQ(open("connect_four", "8").status, 400);
  EXPECT_EQ(server.metric("games", "open"), 5);
}

TEST(GameServer, RefusesWhatMakesNoSense) {
  RunningServer server({"--rate", "0", "--visits", "100"});
  const std::string game = server.open_game("connect_four");
  const std::string move = game + "/move";
  struct Case {
    std::string path;
    json body;
    int status;
    std::string words;
  };
  const std::vector<Case> cases = {
      {"/api/games", json::object(), 400, "\"game\" must be one of"},
      {"/api/games", {{"game", "chess"}}, 400, "connect_four"},
      {"/api/games", {{"game", "tic_tac_toe"}}, 400, "connect_four"},
      {"/api/games", {{"game", 7}}, 400, "\"game\" is not a string"},
      {"/api/games", {{"game", std::string(200, 'x')}}, 400, "128 bytes"},
      {"/api/games", {{"game", "backgammon"}, {"stake", 5}}, 400, "unknown field \"stake\""},
      {"/api/games", json::array({1}), 400, "not a JSON object"},
      {move, {{"move", "8"}}, 400, "not a column"},
      {move, {{"move", ""}}, 400, "not a column"},
      {move, {{"move", "4"}, {"visits", 5}}, 400, "unknown field \"visits\""},
      {move, {{"visits", 0}}, 400, "\"visits\" is not a whole number from 1 to 100"},
      {move, {{"visits", 101}}, 400, "\"visits\" is not a whole number from 1 to 100"},
      {move, {{"visits", 1.5}}, 400, "whole number"},
      {move, {{"visits", "many"}}, 400, "whole number"},
      {move, {{"visits", -1}}, 400, "whole number"},
      {move, {{"time_ms", 2001}}, 400, "\"time_ms\" is not a whole number from 1 to 2000"},
      {move, {{"temperature", 3}}, 400, "\"temperature\" is not a number from 0.0 to 2.0"},
      {move, {{"move", "4"}, {"ply", 3}}, 409, "the game is at ply 0, not 3"},
      {game + "/resign", json::object(), 400, "\"player\" is missing"},
      {game + "/undo", json::object(), 400, "\"ply\" is missing"},
      {game + "/undo", {{"ply", 1}}, 400, "\"ply\" is not a whole number from 0 to 0"},
      {game + "/analyse", {{"ply", 1}}, 400, "\"ply\" is not a whole number from 0 to 0"},
      {game + "/resign", {{"player", 2}}, 400, "\"player\" is not a whole number from 0 to 1"},
      {game + "/nothing", json::object(), 404, "there is no /api/games/"},
      {"/api/games/" + std::string(32, 'a'), json::object(), 404, "there is no"},
      {"/api/games/" + std::string(32, 'a') + "/move", {{"move", "4"}}, 404, "no game with this"},
      {"/api/games/../../etc/passwd", json::object(), 404, "there is no"},
  };
  for (const Case& wrong : cases) {
    const HttpAnswer refused = server.post(wrong.path, wrong.body);
    EXPECT_EQ(refused.status, wrong.status) << wrong.path << ' ' << wrong.body << refused.body;
    EXPECT_NE(refused.reason().find(wrong.words), std::string::npos) << refused.body;
    EXPECT_EQ(refused.reason().find('\n'), std::string::npos);
  }
  for (const char* body :
       {"{", "nothing", "{\"game\":\"\xff\"}", "[[[[[[[[[[", "{\"a\":1}{\"b\":2}"}) {
    EXPECT_EQ(server.ask("POST", "/api/games", body).reason(), "the body is not JSON") << body;
  }
  const std::string deep(4000, '[');
  EXPECT_EQ(server.ask("POST", "/api/games", deep).status, 400);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(server.post(move, {{"move", "4"}}).status, 200);
  EXPECT_EQ(server.post(move, {{"move", "4"}}).reason(), "column 4 is full");
  EXPECT_EQ(server.get(game).json()["ply"], 6) << "no refused move was played";
  EXPECT_EQ(server.metric("requests", "answered_5xx"), 0);
}

TEST(GameServer, AGameIsUsedByOneRequestAtATime) {
  RunningServer server({"--rate", "0", "--games", "4", "--visits", "20000", "--time-ms", "1500"});
  const std::string game = server.open_game("backgammon");
  HttpConnection searching(server.port());
  searching.send(request("POST", game + "/analyse", R"({"visits":20000})"));
  wait_for_search(server);
  const HttpAnswer other = server.get(game);
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.reason(), "this game is busy with another request");
  EXPECT_EQ(searching.receive().status, 200);
  EXPECT_EQ(server.get(game).status, 200);
}

// Closing a game stops its search, which could take a minute, instead of waiting for it.
TEST(GameServer, ClosesAGameThatIsSearched) {
  RunningServer server({"--rate", "0", "--games", "1", "--visits", "20000", "--time-ms", "60000"});
  const std::string game = server.open_game("backgammon");
  HttpConnection searching(server.port());
  searching.send(request("POST", game + "/analyse", R"({"visits":20000})"));
  wait_for_search(server);
  EXPECT_EQ(server.ask("DELETE", game).status, 200);
  const HttpAnswer searched = searching.receive();
  EXPECT_EQ(searched.status, 200);
  EXPECT_EQ(searched.json()["search"]["ended_by"], "stop");
  EXPECT_EQ(server.get(game).status, 404);
  EXPECT_EQ(server.metric("games", "open"), 0);
  server.open_game("backgammon");  // its place is free
}

TEST(GameServer, HasOnePlaceForEachGame) {
  RunningServer server({"--games", "2"});
  const std::string first = server.open_game("connect_four");
  server.open_game("backgammon");
  const HttpAnswer refused = server.post("/api/games", {{"game", "connect_four"}});
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.reason(), "all 2 games are in use: try again later");
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_EQ(server.ask("DELETE", first).status, 200);
  server.open_game("connect_four");
}

TEST(GameServer, HasSoManyPlacesForAClient) {
  RunningServer server({"--client-games", "3"});
  std::string last;
  for (int i = 0; i < 3; ++i) last = server.open_game("connect_four");
  const HttpAnswer refused = server.post("/api/games", {{"game", "connect_four"}});
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.reason(), "you have 3 games open: close one of them");
  EXPECT_EQ(server.ask("DELETE", last).status, 200);
  server.open_game("connect_four");
}

TEST(GameServer, ClosesGamesThatNobodyAsksFor) {
  RunningServer server({"--idle-seconds", "1", "--rate", "0"});
  const std::string game = server.open_game("connect_four");
  while (server.metric("games", "timed_out") < 1) usleep(50'000);
  EXPECT_EQ(server.get(game).status, 404);
  EXPECT_EQ(server.metric("games", "open"), 0);
  server.open_game("connect_four");
}

TEST(GameServer, ServesAPageWithoutForeignResources) {
  RunningServer server;
  const HttpAnswer page = server.get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_NE(page.headers.at("content-security-policy").find("default-src 'none'"),
            std::string::npos);
  EXPECT_TRUE(page.body.starts_with("<!doctype html>"));
  EXPECT_NE(page.body.find("class BackgammonBoard"), std::string::npos);
  for (const char* foreign : {"src=", "@import", "url(http", "href=\"http"}) {
    EXPECT_EQ(page.body.find(foreign), std::string::npos) << foreign;
  }
  HttpConnection head(server.port());
  head.send("HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const HttpAnswer answer = head.receive();
  EXPECT_EQ(answer.headers.at("content-length"), page.headers.at("content-length"));
  EXPECT_EQ(answer.body, "");
}

TEST(GameServer, EndsCleanlyWithTheAnswersThatAreUnderWay) {
  for (const int signal : {SIGTERM, SIGINT}) {
    RunningServer server({"--games", "4", "--visits", "20000", "--time-ms", "1000", "--rate", "0"});
    const std::string game = server.open_game("backgammon");
    HttpConnection searching(server.port()), idle(server.port());
    searching.send(request("POST", game + "/analyse", R"({"visits":20000})"));
    wait_for_search(server);
    server.send(signal);
    EXPECT_EQ(searching.receive().status, 200);
    EXPECT_TRUE(idle.ends());
    EXPECT_EQ(server.wait(), 0);
  }
}

TEST(GameServer, PlaysWithTheWeightsOfAFile) {
  RunningServer server({repository_path("games/connect_four/model.safetensors")});
  for (const char* game : {"connect_four", "backgammon"}) {
    EXPECT_EQ(server.post(server.open_game(game) + "/move", {{"visits", 5}}).status, 200);
  }
}

// The memory must suffice if all games are of the larger kind, besides the fixed memory of both.
TEST(GameServer, StartsOnlyWithRoomForAllItsGames) {
  const auto options = [](int memory) {
    return std::vector<std::string>{
        "--games", "60",           "--client-games",      "60", "--rate", "0", "--visits",
        "300",     "--memory-mib", std::to_string(memory)};
  };
  const ProgramRun small = run_program(SENET_PROGRAM, options(40));
  EXPECT_EQ(small.exit_code, 2);
  const std::size_t found = small.err.find("they need ");
  ASSERT_NE(found, std::string::npos) << small.err;
  const int needed = std::atoi(small.err.c_str() + found + 10);
  EXPECT_EQ(run_program(SENET_PROGRAM, options(needed - 1)).exit_code, 2) << small.err;
  RunningServer server(options(needed));
  const std::string words = "for 60 games of 300 visits (";
  const std::size_t fitting = server.hello().find(words);
  ASSERT_NE(fitting, std::string::npos) << server.hello();
  const int fit = std::atoi(server.hello().c_str() + fitting + words.size());
  EXPECT_TRUE(fit >= 60 && fit <= 63) << fit;  // rounding up to a MiB adds room for one or two
  for (int i = 0; i < 60; ++i) {
    const std::string game = server.open_game("backgammon");
    EXPECT_EQ(server.post(game + "/move", {{"visits", 2}}).status, 200);
  }
}

TEST(GameServer, SaysHowMuchMemoryAndWhatDoesNotFit) {
  RunningServer server({"--games", "20", "--visits", "200", "--memory-mib", "128"});
  EXPECT_NE(server.hello().find("at most 128 MiB in the engine for 20 games of 200 visits"),
            std::string::npos)
      << server.hello();
  EXPECT_EQ(server.metric("engine", "memory_bound"), 128 << 20);
  for (int i = 0; i < 20; ++i) server.open_game(i % 2 == 0 ? "backgammon" : "connect_four");
  EXPECT_LE(server.metric("engine", "memory"), 128 << 20);

  struct Case {
    std::vector<std::string> arguments;
    std::string words;
  };
  const std::vector<Case> cases = {
      {{"--games", "10000", "--memory-mib", "100"}, "do not fit into 100 MiB"},
      {{"--port", "70000"}, "--port: Value 70000 not in range 0 to 65535"},
      {{"--port", "many"}, "--port: Value many not in range 0 to 65535"},
      {{"--port"}, "--port: 1 required N missing"},
      {{"--seed", "-1"}, "--seed: a seed must not be negative"},
      {{"--chess", "1"}, "not expected: --chess"},
      {{"--address", "localhost"}, "\"localhost\" is not a numeric address"},
      {{"--port", std::to_string(server.port())}, "cannot listen on 127.0.0.1"},
      {{"/nowhere/weights"}, "/nowhere/weights"},
      {{repository_path("README.md")}, "README.md"},
  };
  for (const Case& wrong : cases) {
    const ProgramRun run = run_program(SENET_PROGRAM, wrong.arguments);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    EXPECT_TRUE(run.err.starts_with("game_server: ")) << run.err;
    EXPECT_NE(run.err.find(wrong.words), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  }
}

}  // namespace
}  // namespace senet
