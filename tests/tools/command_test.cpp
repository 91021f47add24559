// The command line as people meet it: help, its width, and sentences for mistakes.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "nn/network.hpp"
#include "tests/repository.hpp"
#include "tests/tools/program.hpp"

namespace senet {
namespace {

const std::vector<std::string> kCommands = {"selfplay", "match", "uci",   "analyse", "eval",
                                            "label",    "perft", "bench", "inspect"};

TEST(CommandLine, AloneItPrintsHelp) {
  const ProgramRun alone = run_senet({});
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_EQ(alone.out, run_senet({"--help"}).out);
  EXPECT_EQ(alone.out, run_senet({"help"}).out);
  std::size_t at = 0;
  for (const char* group : {"Train:", "Play:", "Judge:", "Measure and inspect:"}) {
    at = alone.out.find(group, at);
    EXPECT_NE(at, std::string::npos) << group << " is missing, or not in its place";
  }
  for (const std::string& command : kCommands) {
    EXPECT_NE(alone.out.find("\n  " + command + " "), std::string::npos) << command;
  }
}

TEST(CommandLine, HelpAndVersionAreCommandsToo) {
  for (const std::string& command : kCommands) {
    EXPECT_EQ(run_senet({"help", command}).out, run_senet({command, "--help"}).out);
  }
  EXPECT_EQ(run_senet({"help", "bench", "tree"}).out, run_senet({"bench", "tree", "--help"}).out);
  EXPECT_EQ(run_senet({"version"}).out, run_senet({"--version"}).out);
  EXPECT_TRUE(run_senet({"version"}).out.starts_with("senet "));
}

TEST(CommandLine, HelpFitsEightyColumnsAndShowsValues) {
  for (std::vector<std::string> command : {std::vector<std::string>{},
                                           {"bench", "peak"},
                                           {"bench", "forward"},
                                           {"bench", "tree"},
                                           {"bench", "playout"},
                                           {"bench", "selfplay"},
                                           {"bench", "train"},
                                           {"bench", "overlap"},
                                           {"bench", "sessions"},
                                           {"selfplay"},
                                           {"match"},
                                           {"uci"},
                                           {"eval"},
                                           {"label"},
                                           {"perft"},
                                           {"bench"},
                                           {"inspect"}}) {
    command.emplace_back("--help");
    const ProgramRun help = run_senet(command);
    EXPECT_EQ(help.exit_code, 0);
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_EQ(help.out.find("\n\n\n"), std::string::npos) << help.out;
    // Types say what is expected; numbers are written as people write them.
    EXPECT_EQ(help.out.find("TEXT"), std::string::npos) << help.out;
    EXPECT_EQ(help.out.find("e-0"), std::string::npos) << help.out;
    EXPECT_EQ(help.out.find("(default"), std::string::npos) << help.out;
  }
  const std::string match = run_senet({"match", "--help"}).out;
  EXPECT_NE(match.find("  --c-puct X                  PUCT exploration constant "
                       "[0 .. 1000; default 1.5]\n"),
            std::string::npos)
      << match;
  EXPECT_NE(match.find("[required]"), std::string::npos) << match;
  const std::string selfplay = std::regex_replace(run_senet({"selfplay", "--help"}).out,
                                                  std::regex("\\s+"), " ");  // without wrapping
  EXPECT_NE(selfplay.find("[0 .. 1000; default 0.2]"), std::string::npos) << selfplay;
  EXPECT_NE(selfplay.find("[at least 0 s; default 60]"), std::string::npos) << selfplay;
  // Where the recipes of games differ, each has its default.
  EXPECT_NE(selfplay.find("default position, backgammon afterstates, cube2"), std::string::npos)
      << selfplay;
}

TEST(CommandLine, WeightsOfAnotherGameAreRefusedForThatReason) {
  const TemporaryFolder folder;
  const std::string file = folder / "w.safetensors";
  ASSERT_TRUE(save_network(initial_network(reference_spec<TicTacToe>(), 1), file));
  const std::string run = folder / "run",
                    reason = "the network plays tic_tac_toe, not connect_four";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"selfplay", "--run", run, "--weights", file},
        {"match", "--second", "random", "--first", file},
        {"eval", "--labels", repository_path("tests/data/connect_four/labels_A.csv"), "--weights",
         file},
        {"uci", "--weights", file},
        {"bench", "--network", file}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--game", "connect_four"});
    expect_failure(run_senet(all), 2, words[0], file + ": " + reason);
  }
  EXPECT_FALSE(std::filesystem::exists(run));
}

TEST(CommandLine, TyposGetASuggestion) {
  const auto suggests = [](const std::vector<std::string>& words, const std::string& text) {
    const ProgramRun run = run_senet(words);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_NE(run.err.find(text), std::string::npos) << run.err;
  };
  suggests({"slefplay"}, "there is no command \"slefplay\"; did you mean \"selfplay\"?");
  EXPECT_EQ(run_senet({"help", "help"}).out, run_senet({"--help"}).out);
  EXPECT_EQ(run_senet({"help", "version"}).out, run_senet({"--help"}).out);
  suggests({"help", "slefplay"}, "there is no command \"slefplay\"; did you mean \"selfplay\"?");
  suggests({"bench", "peek"}, "there is no command \"peek\"; did you mean \"peak\"?");
  suggests({"match", "--gmae", "x"}, "there is no option --gmae; did you mean \"--game\"?");
  suggests({"selfplay", "--vists=3"}, "there is no option --vists; did you mean \"--visits\"?");
  suggests({"uic"}, "did you mean \"uci\"?");                         // neighbours swapped
  suggests({"selfplay", "--wid", "8"}, "did you mean \"--width\"?");  // a third of the longer word
  suggests({"selfplay", "--zzzzzzzz"}, "there is no option --zzzzzzzz (see senet selfplay --help)");
  suggests({"bench", "--table", "epoch", "tree"}, "there is no option --table");
  suggests({"bogus"}, "senet: there is no command \"bogus\" (see senet --help)");
  suggests({"--bogus"}, "there is no option --bogus");
  suggests({"inspect", "a", "b"}, "unexpected argument \"b\"");
}

TEST(CommandLine, BadValuesGetASentence) {
  const auto says = [](std::vector<std::string> words, const std::string& text) {
    const bool is_nested = words.size() > 1 && words[0] == "bench" && !words[1].starts_with('-');
    expect_failure(run_senet(words), 2, is_nested ? words[0] + " " + words[1] : words[0], text);
  };
  const std::vector<std::string> match = {"match",  "--game",   "tic_tac_toe", "--first",
                                          "random", "--second", "random"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), match.begin(), match.end());
    return more;
  };
  says({"selfplay", "--minutes", "-1"},
       "--minutes takes a number of at least 0, for example --minutes 90, not \"-1\"");
  says({"selfplay", "--minutes", "x"},
       "--minutes takes a number of at least 0, for example --minutes 90, not \"x\"");
  says({"selfplay"}, "--run is required");
  says(with({"--sprt", "5"}), "--sprt takes two numbers A,B, for example --sprt 0,10, not \"5\"");
  says({"bench", "--repeat", "0"}, "--repeat takes a whole number 1 .. 1000, not \"0\"");
  says(with({"--pairs", "0"}), "--pairs takes a whole number 1 .. 10000000, not \"0\"");
  says(with({"--pairs"}), "--pairs needs a value");
  says(with({"--game", "backgammon"}), "--game takes one value, but is given several times");
  says({"bench", "tree", "--table", "x"}, "--table takes one of epoch, flat, not \"x\"");
}

// Messages that cannot be written change no exit code.
TEST(CommandLine, SurvivesAFullStderr) {
  const TemporaryFolder folder;
  const auto exit_code = [&](const std::string& words) {
    return run_program("/bin/sh", {"-c", "exec \"$0\" " + words + " 2>/dev/full", SENET_PROGRAM})
        .exit_code;
  };
  EXPECT_EQ(exit_code("unknown"), 2);
  EXPECT_EQ(exit_code("inspect /nowhere"), 2);
  const std::string run = folder / "run";
  EXPECT_EQ(exit_code("selfplay --game tic_tac_toe --workers 1 --games 3 --run " + run), 0);
}

}  // namespace
}  // namespace senet
