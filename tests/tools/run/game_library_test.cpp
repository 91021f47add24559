// Games from shared objects: senet --game-library FILE.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/play/conversation.hpp"
#include "tests/tools/program.hpp"
#include "tests/tools/run/tiny_run.hpp"

namespace senet {
namespace {

/// The shared object of breakthrough_library.cpp with this fault; 0: the good one.
std::string library(int fault) {
  return std::string(SENET_GAME_LIBRARIES "/breakthrough_") + std::to_string(fault) + ".so";
}

class GameLibrary : public TinyRun {};

TEST_F(GameLibrary, ItsGameIsPlayedTrainedAndInspected) {
  const Arguments own = {"--game-library", library(0)};
  const ProgramRun counted = run_senet(with({"perft", "breakthrough", "4"}, own));
  EXPECT_TRUE(counted.out.starts_with("leaves 23084\n")) << counted.out << counted.err;

  const Arguments arguments =
      with({"selfplay", "--game", "breakthrough", "--run", run().string(), "--games", "60",
            "--workers", "1", "--begin-after", "100", "--train-batch", "32"},
           own);
  const ProgramRun trained = run_senet(arguments);
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  const std::string weights = run() / "weights" / "latest.safetensors";
  // What it proposes next names the library.
  EXPECT_NE(trained.err.find("senet match --game-library " + library(0)), std::string::npos)
      << trained.err;
  EXPECT_NE(text_of(run() / "config.json").find("\"width\": 16"), std::string::npos);

  const ProgramRun match = run_senet(with({"match", "--game", "breakthrough", "--first", weights,
                                           "--second", "one-ply", "--visits", "8", "--pairs", "4"},
                                          own));
  EXPECT_EQ(match.exit_code, 0) << match.err;
  EXPECT_NE(match.out.find("4 of 4 pairs"), std::string::npos) << match.out;

  const std::string labels = run() / "labels";
  write_text(labels, R"({"position": "0:oooooooooo.....xxxxxxxxxx", "best": ["a2a3"]})");
  const ProgramRun graded = run_senet(
      with({"eval", "--game", "breakthrough", "--labels", labels, "--weights", weights}, own));
  EXPECT_EQ(graded.exit_code, 0) << graded.err;
  EXPECT_NE(graded.out.find("on 1 positions"), std::string::npos) << graded.out;

  const std::string log = run() / "games.senet";
  const ProgramRun shown = run_senet(with({"inspect", log, "--game-number", "7"}, own));
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find("0:oooooooooo.....xxxxxxxxxx"), std::string::npos) << shown.out;
  EXPECT_EQ(run_senet({"inspect", log, "--game-number", "7"}).exit_code, 2);

  // A run resumes with the library only.
  const Arguments resumed = {"selfplay", "--run", run().string(), "--resume", "--games", "4"};
  expect_failure(run_senet(resumed), 2, "selfplay", "unknown game \"breakthrough\"");
  EXPECT_EQ(run_senet(with(own, resumed)).exit_code, 0);
}

// With dice, outcomes of six values, and afterstates.
TEST_F(GameLibrary, AGameInCIsPlayedAndTrained) {
  const Arguments own = {"--game-library", SENET_GAME_LIBRARIES "/race.so"};
  const ProgramRun counted = run_senet(with({"perft", "race_in_c", "2"}, own));
  EXPECT_EQ(counted.exit_code, 0) << counted.err;
  const ProgramRun trained =
      run_senet(with({"selfplay", "--game", "race_in_c", "--run", run().string(), "--games", "300",
                      "--workers", "2", "--begin-after", "200", "--train-batch", "32"},
                     own));
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_NE(text_of(run() / "config.json").find("\"mode\": \"afterstates\""), std::string::npos);
  const ProgramRun match = run_senet(
      with({"match", "--game", "race_in_c", "--first", run() / "weights" / "latest.safetensors",
            "--second", "random", "--visits", "8", "--pairs", "10"},
           own));
  EXPECT_EQ(match.exit_code, 0) << match.err;
  EXPECT_NE(match.out.find("10 of 10 pairs"), std::string::npos) << match.out;
}

// A game of one player: it learns from scrambles, and is solved.
TEST_F(GameLibrary, OnePlayerSolvesIt) {
  const std::string lights_out = SENET_GAME_LIBRARIES "/lights_out.so";
  const ProgramRun trained =
      run_senet({"selfplay", "--game-library", lights_out, "--game", "lights_out", "--run",
                 run().string(), "--games", "400", "--workers", "1", "--begin-after", "50",
                 "--train-batch", "32", "--curriculum", "0.5", "--curriculum-games", "20"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_NE(trained.err.find("senet solve --game-library"), std::string::npos) << trained.err;
  Conversation senet({"solve", "--game-library", lights_out, "--game", "lights_out", "--weights",
                      run() / "weights" / "latest.safetensors"});
  senet.send("-----/--X--/-XXX-/--X--/----- 40\n");
  senet.end_input();
  const std::vector<std::string> answers = senet.rest();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_NE(answers[0].find("\"solved\":true,\"length\":1,\"moves\":[\"12\"]"), std::string::npos)
      << answers[0];
  EXPECT_EQ(senet.wait(), 0);
}

// In the protocol, its positions may contain blanks; a session can change to a listed game and
// back.
TEST_F(GameLibrary, ItsGameIsPlayedInTheProtocol) {
  Conversation senet({"uci", "--game-library", SENET_GAME_LIBRARIES "/race.so",
                      "--game-library=" + library(0), "--game", "race_in_c", "--visits", "16"});
  const auto ask = [&](const std::string& line, const std::string& answer) {
    senet.send(line + "\n");
    return senet.until(answer);
  };
  const auto options = ask("uci", "uciok");
  const std::string games =
      "option name Game type combo default race_in_c var tic_tac_toe var connect_four var "
      "backgammon var cube2 var race_in_c var breakthrough";
  EXPECT_NE(std::ranges::find(options, games), options.end());
  EXPECT_EQ(ask("position aa lm 1 2 moves\ngo nodes 30", "bestmove").back(), "bestmove l");
  EXPECT_EQ(ask("position fen ll ll 0 3\ngo", "bestmove").back(), "bestmove l");
  EXPECT_EQ(ask("position startpos\ngo", "error").back(),
            "error missing_context the dice are not known: end the moves of the position with the "
            "roll");
  EXPECT_NE(ask("position aa lm 1 9", "error").back().find("illegal_position"), std::string::npos);
  ask("setoption name Game value breakthrough\nposition startpos moves 8 8\ngo nodes 50",
      "bestmove");
  ask("setoption name Game value connect_four\nposition startpos\ngo nodes 2", "bestmove");
  EXPECT_EQ(ask("setoption name Game value race_in_c\nposition ll ll 0 3\ngo", "bestmove").back(),
            "bestmove l");
  senet.send("quit\n");
  EXPECT_EQ(senet.wait(), 0);
}

TEST_F(GameLibrary, ItsPositionsAreAnalysed) {
  Conversation senet({"analyse", "--game-library", SENET_GAME_LIBRARIES "/race.so", "--game",
                      "race_in_c", "--visits", "40", "--workers", "2"});
  senet.send("{\"id\": 1, \"position\": \"ll ll 0 3\"}\n{\"id\": 2, \"position\": \"x\"}\n");
  senet.end_input();
  std::map<int, nlohmann::json> answers;
  for (const std::string& line : senet.rest()) {
    const auto answer = nlohmann::json::parse(line);
    answers[answer["id"]] = answer;
  }
  EXPECT_EQ(senet.wait(), 0);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1]["move"], "l");
  EXPECT_EQ(answers[1]["position"], "ll ll 0 3");
  EXPECT_TRUE(answers[2].contains("error")) << answers[2];
}

TEST_F(GameLibrary, HelpKnowsItsGame) {
  const ProgramRun help = run_senet({"selfplay", "--help", "--game-library=" + library(0)});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("breakthrough 16"), std::string::npos) << help.out;
}

TEST_F(GameLibrary, SeveralGamesDoNotMix) {
  const Arguments own = {"--game-library", library(8), "--game-library=" + library(9),
                         "--game-library", SENET_GAME_LIBRARIES "/race.so"};
  for (const std::string name : {"first_game", "second_game", "race_in_c", "connect_four"}) {
    const ProgramRun run = run_senet(with({"perft", name, "1"}, own));
    EXPECT_EQ(run.exit_code, 0) << name << ": " << run.err;
  }
}

TEST_F(GameLibrary, RefusesWhatItCannotUse) {
  const auto refuses = [](const std::string& file, const std::string& reason) {
    const ProgramRun run = run_senet({"perft", "connect_four", "1", "--game-library", file});
    EXPECT_EQ(run.exit_code, 2) << file;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(run.err.starts_with("senet: --game-library: ")) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
    EXPECT_NE(run.err.find(reason), std::string::npos) << run.err;
  };
  refuses("no_such_file.so", "no_such_file.so: cannot open shared object file");
  refuses(SENET_PROGRAM, "cannot dynamically load");
  refuses(SENET_GAME_LIBRARIES "/no_game.so", "no_game.so: it exports no senet_exported_game");
  refuses(library(1), "breakthrough: play: the key stays the same");
  refuses(library(2), "there is already a game \"connect_four\"");
  refuses(library(3), "the recipe of breakthrough: visits takes a whole number");
  refuses(library(4), "its recipe: \"visits\" is not a name and a value");
  refuses(library(5), "its version is 99; this program reads version 1");
  refuses(library(6), "senet_game_table is NULL");
  refuses(library(7), "struct_size is 0");
  refuses("", "1 required FILE missing");
  const ProgramRun missing = run_senet({"perft", "connect_four", "1", "--game-library"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.err, "senet: --game-library: 1 required FILE missing\n");
  const ProgramRun twice = run_senet(
      {"perft", "breakthrough", "1", "--game-library", library(0), "--game-library", library(0)});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_NE(twice.err.find("there is already a game \"breakthrough\""), std::string::npos);
}

}  // namespace
}  // namespace senet
