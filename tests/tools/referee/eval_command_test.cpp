// senet eval: results on the shipped labels and on small handwritten ones, including malformed
// ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "games/backgammon/backgammon.hpp"
#include "games/connect_four/connect_four.hpp"
#include "nn/network.hpp"
#include "tests/repository.hpp"
#include "tests/tools/program.hpp"

namespace senet {
namespace {

const std::string kData = repository_path("tests/data");
const std::string kConnectFourLabels = kData + "/connect_four/labels_A.csv";
const std::string kBackgammonLabels = kData + "/backgammon/labels_A.jsonl";
const std::string kHeader = "moves,ply,s1,s2,s3,s4,s5,s6,s7,value,source\n";

ProgramRun eval(const std::string& game, const std::string& labels,
                std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"eval", "--game", game, "--labels", labels, "--json"});
  return run_senet(more);
}

ProgramRun eval_text(const std::string& game, const std::string& text,
                     std::vector<std::string> more = {}) {
  const TemporaryFolder folder;
  write_text(folder.path() / "labels", text);
  return eval(game, folder.path() / "labels", std::move(more));
}

/// The output without its first line, which describes the player.
std::string marks_of(const ProgramRun& run) { return run.out.substr(run.out.find('\n')); }

std::string first_lines(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < count; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

std::string first_backgammon_label() { return first_lines(text_of(kBackgammonLabels), 1); }

// The exact expectation over all legal moves, computed independently from the label file. (A single
// random choice of moves deviates from it by about 0.02 where the move matters, or 6 millipoints.)
TEST(EvalCommand, RandomConnectFour) {
  const ProgramRun run = eval("connect_four", kConnectFourLabels, {"--player", "random"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NEAR(run.metric("connect_four", "result_preserving"), 0.697266, 1e-6);
  EXPECT_NEAR(run.metric("connect_four", "result_preserving_where_it_matters"), 0.364576, 1e-6);
  EXPECT_NEAR(run.metric("connect_four", "optimal"), 0.396024, 1e-6);
  EXPECT_EQ(run.metric("connect_four", "positions"), 997);
  EXPECT_EQ(run.metric("connect_four", "positions_where_it_matters"), 475);
  EXPECT_NEAR(run.metric("connect_four", "optimal", "min"), 0.376, 0.01);
  EXPECT_NEAR(run.metric("connect_four", "optimal", "max"), 0.416, 0.01);
}

TEST(EvalCommand, RandomBackgammon) {
  const ProgramRun run = eval("backgammon", kBackgammonLabels, {"--player", "random"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NEAR(run.metric("backgammon", "loss_millipoints"), 255.064, 1e-3);
  EXPECT_NEAR(run.metric("backgammon/contact", "loss_millipoints"), 307.72, 0.01);
  EXPECT_NEAR(run.metric("backgammon/crashed", "loss_millipoints"), 221.71, 0.01);
  EXPECT_NEAR(run.metric("backgammon/race", "loss_millipoints"), 71.32, 0.01);
  EXPECT_NEAR(run.metric("backgammon/bearoff", "loss_millipoints"), 74.43, 0.01);
  EXPECT_EQ(run.metric("backgammon", "unmatched"), 0);
}

// For positions labelled only with their value, a solver grades the moves, with the same result.
TEST(EvalCommand, JudgesWhereColumnsAreNotTold) {
  std::istringstream labels(text_of(kConnectFourLabels));
  std::string line, columns = kHeader, values;
  while (std::getline(labels, line)) {
    std::vector<std::string> fields;
    std::istringstream words(line);
    for (std::string field; std::getline(words, field, ',');) fields.push_back(field);
    if (fields[0].size() < 16 || fields[0] == "moves") continue;
    columns += line + "\n";
    values += fields[0] + " " + fields[9] + "\n";
  }
  const ProgramRun reported = eval_text("connect_four", columns, {"--player", "random"});
  const ProgramRun judged = eval_text("connect_four", values, {"--player", "random"});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  for (const std::string figure : {"value", "min", "max"}) {
    EXPECT_EQ(judged.metric("connect_four", "result_preserving", figure),
              reported.metric("connect_four", "result_preserving", figure));
  }
  EXPECT_EQ(judged.out.find("optimal"), std::string::npos);
  EXPECT_EQ(judged.out.find("where_it_matters"), std::string::npos);
  const auto expect_reason = [](const std::string& text, const std::string& reason) {
    expect_failure(eval_text("connect_four", text), 2, "eval", reason);
  };
  expect_reason("4455 x\n", "begins neither with \"moves,ply,");
  expect_reason("4455 1\n4455\n", "line 2: the value after the moves is missing");
  expect_reason("4455 1\n4455 22\n", "line 2: value \"22\"");
  expect_reason("4455 1\n4458 2\n", "line 2: moves \"4458\"");
  expect_reason("1212121 1\n", "the game is over");
}

// X has three in column 1, O three in column 2: the player to move wins at once. The search proves
// it.
TEST(EvalCommand, SearchFindsTheWin) {
  const std::string label = kHeader + "121212,6,18,-18,-18,-18,-18,-18,-18,18,made\n";
  const ProgramRun search = eval_text("connect_four", label, {"--visits", "200"});
  ASSERT_EQ(search.exit_code, 0) << search.err;
  for (const std::string metric :
       {"optimal", "result_preserving", "result_preserving_where_it_matters"}) {
    EXPECT_EQ(search.metric("connect_four", metric), 1) << metric;
  }
  const ProgramRun random = eval_text("connect_four", label, {"--player", "random"});
  EXPECT_NEAR(random.metric("connect_four", "optimal"), 1 / 7.0, 1e-9);
}

TEST(EvalCommand, SearchBeatsRandomEvenUntrained) {
  const ProgramRun run = eval("connect_four", kConnectFourLabels, {"--visits", "60"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(run.metric("connect_four", "result_preserving_where_it_matters"), 0.45);
}

// Without --mode, a network is used in the mode it was trained for.
TEST(EvalCommand, AsksWhatTheNetworkLearnt) {
  const TemporaryFolder folder;
  const std::string labels = folder / "labels";  // few: a search by plies takes long
  write_text(labels, first_lines(text_of(kBackgammonLabels), 100));
  const auto loss = [&](std::optional<Evaluates> trained, std::vector<std::string> more) {
    NetworkSpec spec = reference_spec<Backgammon>();
    spec.evaluates = trained;
    const std::string file = folder / "trained.safetensors";
    EXPECT_TRUE(save_network(initial_network(spec, 3), file));
    more.insert(more.end(), {"--weights", file});
    const ProgramRun run = eval("backgammon", labels, more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.metric("backgammon", "loss_millipoints");
  };
  const double position = loss(std::nullopt, {"--mode", "position"});
  const double afterstates = loss(std::nullopt, {"--mode", "afterstates"});
  EXPECT_NE(position, afterstates);
  EXPECT_EQ(loss(Evaluates::kPosition, {}), position);
  EXPECT_EQ(loss(Evaluates::kAfterstates, {}), afterstates);
  EXPECT_EQ(loss(std::nullopt, {}), afterstates);
  EXPECT_EQ(loss(Evaluates::kPosition, {"--mode", "afterstates"}), afterstates);
  // By plies, visits do not matter.
  const double ply = loss(Evaluates::kAfterstates, {"--ply", "1"});
  EXPECT_NE(ply, afterstates);
  EXPECT_EQ(loss(Evaluates::kAfterstates, {"--ply", "1", "--visits", "3", "--lanes", "2"}), ply);
}

TEST(EvalCommand, SameSeedSameMarks) {
  const TemporaryFolder folder;
  const std::string labels = folder / "labels";
  write_text(labels, first_lines(text_of(kBackgammonLabels), 200));
  const auto marks = [&labels](const std::string& seed, const std::string& mode,
                               const std::string& lanes) {
    const ProgramRun run =
        eval("backgammon", labels, {"--seed", seed, "--mode", mode, "--lanes", lanes});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return marks_of(run);
  };
  const std::string first = marks("1", "afterstates", "64");
  EXPECT_EQ(first, marks("1", "afterstates", "3"));
  EXPECT_NE(first, marks("2", "afterstates", "64"));
  EXPECT_NE(first, marks("1", "position", "64"));
}

// Even an untrained network plays bear-offs without a loss; elsewhere nothing changes.
TEST(EvalCommand, AsksTheTablebase) {
  const TemporaryFolder folder;
  const auto graded = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--weights", "untrained", "--tablebase-folder", folder.path()});
    const ProgramRun run = eval("backgammon", kBackgammonLabels, std::move(more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run;
  };
  const auto loss = [](const ProgramRun& run, const std::string& phase) {
    return run.metric("backgammon/" + phase, "loss_millipoints");
  };
  const ProgramRun without = graded({}), with = graded({"--tablebase", "1"});
  EXPECT_GT(loss(without, "bearoff"), 20);
  EXPECT_LT(loss(with, "bearoff"), 0.5);
  EXPECT_EQ(loss(with, "contact"), loss(without, "contact"));
  EXPECT_EQ(without.out.find("tablebase"), std::string::npos);
  EXPECT_NE(with.out.find(", tablebase true"), std::string::npos);
  EXPECT_EQ(with.err, "");
  const ProgramRun searched = graded({"--tablebase", "1", "--mode", "position", "--visits", "5"});
  EXPECT_LT(loss(searched, "bearoff"), 0.5);
  // A folder that cannot be written is a note.
  const ProgramRun noted =
      eval("backgammon", kBackgammonLabels,
           {"--weights", "untrained", "--tablebase", "1", "--tablebase-folder", "/proc/nowhere"});
  EXPECT_EQ(noted.exit_code, 0);
  EXPECT_EQ(marks_of(noted), marks_of(with));
  EXPECT_TRUE(noted.err.starts_with("note: the tablebase of backgammon is kept in memory: "))
      << noted.err;
  expect_failure(eval("connect_four", kConnectFourLabels, {"--tablebase", "1"}), 2, "eval",
                 "--tablebase: there is none for connect_four");
}

TEST(EvalCommand, WeightsFromAFile) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "w.safetensors";
  ASSERT_TRUE(save_network(initial_network(reference_spec<ConnectFour>(), 8), file));
  const ProgramRun loaded = eval("connect_four", kConnectFourLabels, {"--weights", file});
  EXPECT_EQ(loaded.exit_code, 0) << loaded.err;
  EXPECT_EQ(marks_of(loaded), marks_of(eval("connect_four", kConnectFourLabels, {"--seed", "8"})));
  expect_failure(eval("backgammon", kBackgammonLabels, {"--weights", file}), 2, "eval",
                 "the network plays connect_four, not backgammon");
}

// A file without a value column, with Windows line ends and empty lines, is accepted.
TEST(EvalCommand, TakesHarmlessVariants) {
  const ProgramRun run =
      eval_text("connect_four", "moves,ply,s1,s2,s3,s4,s5,s6,s7\r\n\r\n,0,-2,-1,0,1,0,-1,-2\r\n",
                {"--player", "random"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NEAR(run.metric("connect_four", "result_preserving"), 1 / 7.0, 1e-9);
}

TEST(EvalCommand, BrokenConnectFourLabels) {
  const auto expect_reason = [](const std::string& lines, const std::string& reason) {
    expect_failure(eval_text("connect_four", kHeader + lines), 2, "eval", reason);
  };
  expect_reason("", "no labelled positions");
  expect_reason(",0,-2,-1,0,1,0,-1,-2,1,rnd\n1,1,2\n", "line 3: 3 fields");
  expect_reason("8,1,0,0,0,0,0,0,0,0,x\n", "line 2: moves \"8\"");
  expect_reason("1111111,7,0,0,0,0,0,0,0,0,x\n", "line 2: ");
  expect_reason("1,2,0,0,0,0,0,0,0,0,x\n", "ply 2 after 1 moves");
  expect_reason("1,x,0,0,0,0,0,0,0,0,x\n", "ply \"x\"");
  expect_reason("1,1,0,0,,0,0,0,0,0,x\n", "column 3 has no score");
  expect_reason("111111,6,0,0,0,0,0,0,0,0,x\n", "column 1 is full, but has a score");
  expect_reason("1,1,0,0,0,0,0,0,99999999999,0,x\n", "score \"99999999999\"");
  expect_reason("1,1,0,0,0,0,0,0,0,5,x\n", "value 5, but the best score is 0");
  expect_reason("1212121,7,1,1,1,1,1,1,1,1,x\n", "the game is over");
  expect_failure(eval_text("connect_four", std::string("\0\xff\xfe,\n", 6)), 2, "eval", "line 1");
  expect_failure(eval_text("connect_four", ""), 2, "eval", "no labelled positions");
}

TEST(EvalCommand, BrokenBackgammonLabels) {
  const auto expect_reason = [](const std::string& line, const std::string& reason) {
    expect_failure(eval_text("backgammon", line + "\n"), 2, "eval", reason);
  };
  const std::string good = R"("cls":"race","posid":"4HPwATDgc/ABMA","dice":[3,1])";
  const std::string play = R"(["8/5 6/5","4HPwATDgc/ABMA",0.1])";
  expect_reason("", "no labelled positions");
  expect_reason("{", "line 1: is not a JSON object");
  expect_reason("[1]", "line 1: is not a JSON object");
  expect_reason("{}", "\"cls\"");
  expect_reason(R"({"cls":7})", "\"cls\"");
  expect_reason(R"({"cls":"race","posid":[]})", "\"posid\"");
  expect_reason(R"({"cls":"race","posid":"nonsense","dice":[3,1]})", "\"posid\"");
  expect_reason(R"({"cls":"race","posid":"4HPwATDgc/ABMA","dice":[3,7]})", "\"dice\"");
  expect_reason(R"({"cls":"race","posid":"4HPwATDgc/ABMA","dice":[4294967297,1]})", "\"dice\"");
  expect_reason(R"({"cls":"race","posid":"4HPwATDgc/ABMA","dice":[3.0,1]})", "\"dice\"");
  expect_reason("{" + good + "}", "\"moves\"");
  expect_reason("{" + good + R"(,"moves":[]})", "\"moves\"");
  expect_reason("{" + good + R"(,"moves":[)" + play + ",1]}", "move 2: ");
  expect_reason("{" + good + R"(,"moves":[["","x",0]]})", "move 1: ");
  expect_reason("{" + good + R"(,"moves":[["","4HPwATDgc/ABMA",1e999]]})", "line 1: ");
  expect_reason("{" + good + R"(,"moves":[["","4HPwATDgc/ABMA",3.5]]})", "equity 3.5");
}

// Grades the file of --answers independently and compares the results.
TEST(EvalCommand, AnswersGiveTheSameMarks) {
  const TemporaryFolder folder;
  const std::string file = folder / "answers";
  const ProgramRun backgammon = eval("backgammon", kBackgammonLabels, {"--answers", file});
  ASSERT_EQ(backgammon.exit_code, 0) << backgammon.err;
  std::map<std::string, std::string> after;
  std::istringstream answers(text_of(file));
  for (std::string line; std::getline(answers, line);) {
    const auto answer = nlohmann::json::parse(line);
    after[answer["id"]] = answer["after"];
  }
  double lost = 0;
  std::istringstream labels(text_of(kBackgammonLabels));
  for (std::string line; std::getline(labels, line);) {
    const auto label = nlohmann::json::parse(line);
    for (const auto& play : label["moves"]) {
      if (play[1] == after[label["id"]]) {
        lost += label["moves"][0][2].get<double>() - play[2].get<double>();
      }
    }
  }
  EXPECT_EQ(after.size(), 1000u);
  EXPECT_NEAR(backgammon.metric("backgammon", "loss_millipoints"), lost, 1e-9);
  EXPECT_NEAR(backgammon.metric("backgammon", "pr"), lost / 2, 1e-9);

  const ProgramRun columns = eval("connect_four", kConnectFourLabels, {"--answers", file});
  ASSERT_EQ(columns.exit_code, 0) << columns.err;
  std::map<std::string, std::size_t> column;
  answers = std::istringstream(text_of(file));
  for (std::string line; std::getline(answers, line);) {
    const std::size_t comma = line.find(',');
    column[line.substr(0, comma)] = std::stoul(line.substr(comma + 1));
  }
  double optimal = 0;
  labels = std::istringstream(text_of(kConnectFourLabels));
  std::string line;
  std::getline(labels, line);
  while (std::getline(labels, line)) {
    std::vector<std::string> fields;
    std::istringstream words(line);
    for (std::string field; std::getline(words, field, ',');) fields.push_back(field);
    optimal += fields[1 + column.at(fields[0])] == fields[9];
  }
  EXPECT_EQ(column.size(), 997u);
  EXPECT_NEAR(columns.metric("connect_four", "optimal"), optimal / 997, 1e-9);
}

// One checker each: 65 has only one play, which loses nothing and counts only in the mean over all
// decisions.
TEST(EvalCommand, ForcedPlaysAreApart) {
  backgammon::Checkers last{};
  last[backgammon::kOff] = 14;
  last[1] = 1;
  const auto forced = Backgammon::from_board({last, last}, 0, backgammon::make_dice(6, 5));
  ASSERT_TRUE(forced);
  Backgammon after = *forced;
  after.play(after.action_from_text("1/off").value());
  const nlohmann::json label = {
      {"cls", "bearoff"},
      {"posid", backgammon::position_id(forced->board())},
      {"dice", {6, 5}},
      {"moves", {{"1/off", backgammon::position_id(after.board()), 1.0}}}};
  const ProgramRun alone = eval_text("backgammon", first_backgammon_label(), {"--seed", "1"});
  const ProgramRun both =
      eval_text("backgammon", first_backgammon_label() + label.dump() + "\n", {"--seed", "1"});
  ASSERT_EQ(both.exit_code, 0) << both.err;
  const double lost = alone.metric("backgammon", "loss_millipoints");
  EXPECT_GT(lost, 0);
  EXPECT_NEAR(both.metric("backgammon", "loss_millipoints"), lost / 2, 1e-9);
  EXPECT_NEAR(both.metric("backgammon", "loss_unforced_millipoints"), lost, 1e-9);
  EXPECT_NEAR(both.metric("backgammon", "pr"), lost / 2, 1e-9);
  EXPECT_EQ(both.metric("backgammon", "unforced"), 1);
  EXPECT_EQ(both.metric("backgammon", "positions"), 2);
  EXPECT_EQ(both.metric("backgammon/bearoff", "loss_millipoints"), 0);
}

// The baseline players, and a program that plays the first legal move.
TEST(EvalCommand, OtherPlayers) {
  const ProgramRun one_ply = eval("connect_four", kConnectFourLabels, {"--player", "one-ply"});
  ASSERT_EQ(one_ply.exit_code, 0) << one_ply.err;
  EXPECT_NEAR(one_ply.metric("connect_four", "result_preserving_where_it_matters"), 0.743, 0.02);
  const ProgramRun linear = eval("backgammon", kBackgammonLabels, {"--player", "linear"});
  ASSERT_EQ(linear.exit_code, 0) << linear.err;
  EXPECT_LT(linear.metric("backgammon", "loss_millipoints"), 80);
  const TemporaryFolder folder;
  const std::string few = folder / "labels";
  write_text(few, first_lines(text_of(kBackgammonLabels), 200));
  const std::string fake = SENET_FAKE_ENGINE;
  const ProgramRun ubgi =
      eval("backgammon", few, {"--player", "ubgi:" + fake + " backgammon ubgi"});
  ASSERT_EQ(ubgi.exit_code, 0) << ubgi.err;
  EXPECT_EQ(marks_of(eval("backgammon", few,
                          {"--player", "uci:" + fake + " backgammon uci", "--processes", "2"})),
            marks_of(ubgi));
  expect_failure(eval("connect_four", kConnectFourLabels, {"--player", "linear"}), 2, "eval",
                 "--player: linear is a player of backgammon, not of connect_four");
  expect_failure(
      eval("backgammon", kBackgammonLabels, {"--player", "one-ply"}), 2, "eval",
      "--player: one-ply is a player of tic_tac_toe and connect_four, not of backgammon");
  for (const char* player : {"random", "linear"}) {
    expect_failure(eval("backgammon", kBackgammonLabels, {"--player", player, "--visits", "5"}), 2,
                   "eval", std::string("--player: ") + player + ": makes no visits");
  }
  expect_failure(eval("backgammon", kBackgammonLabels, {"--player", "linear", "--weights", "w"}), 2,
                 "eval", "--weights requires --player search");
  expect_failure(
      eval("backgammon", kBackgammonLabels, {"--player", "random", "--answers", "/nowhere/x"}), 2,
      "eval", "--answers cannot be combined with --player random");
  EXPECT_EQ(eval("connect_four", kConnectFourLabels,
                 {"--player", "uci:" + fake + " connect_four uci crash"})
                .exit_code,
            1);
}

// The first line contains the player, everything that its moves depend on, and the labels.
TEST(EvalCommand, SaysWhomItGraded) {
  const TemporaryFolder folder;
  const std::string file = folder / "w.safetensors";
  const Network network = initial_network(reference_spec<ConnectFour>(), 8);
  ASSERT_TRUE(save_network(network, file));
  const ProgramRun run =
      eval("connect_four", kConnectFourLabels, {"--weights", file, "--visits", "3"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto line = nlohmann::json::parse(run.out.substr(0, run.out.find('\n')));
  EXPECT_EQ(line["game"], "connect_four");
  EXPECT_EQ(line["player"], file);
  EXPECT_TRUE(line["identity"].get<std::string>().starts_with("network " + id_text(network.id()) +
                                                              ", 3 visits, position, "))
      << line;
  EXPECT_EQ(line["labels"], kConnectFourLabels);
  EXPECT_EQ(line["positions"], 997);
  const auto text = [](std::vector<std::string> more) {
    std::vector<std::string> words = {"eval", "--game", "connect_four", "--labels",
                                      kConnectFourLabels};
    words.insert(words.end(), more.begin(), more.end());
    std::string out = run_senet(words).out;
    std::ranges::replace(out, '\n', ' ');  // long lines are wrapped
    return out;
  };
  const std::string on = " on 997 positions of " + kConnectFourLabels + " ";
  const std::string random = text({"--player", "random"}), builtin = text({});
  EXPECT_TRUE(random.starts_with("random" + on)) << random;
  // Without --weights the built-in network plays, not an untrained one.
  EXPECT_TRUE(builtin.starts_with("builtin" + on + "  network ")) << builtin;
}

// If the labels do not contain the move played, the results are printed and the command fails.
TEST(EvalCommand, UnmatchedMovesAreAFailure) {
  auto label = nlohmann::json::parse(first_backgammon_label());
  auto& plays = label["moves"];
  ASSERT_GT(plays.size(), 1u);
  plays.erase(plays.size() - 1);
  const ProgramRun run =
      eval_text("backgammon", first_backgammon_label() + label.dump(), {"--player", "random"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.metric("backgammon", "unmatched"), 1);
  EXPECT_EQ(run.err, "senet eval: the labels do not contain the move played in 1 of 2 positions\n");
}

// Games that have no label format.
TEST(EvalCommand, GradesAnyGame) {
  // X wins at once by c3 and draws or loses by others; then every move is as good as every other.
  const std::string labels =
      R"({"position": "a3a2b3b2", "moves": {"c3": 1, "c2": 0.25, "a1": -1, "b1": -1, "c1": -1}})"
      "\n"
      R"({"position": "", "best": ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]})"
      "\n"
      R"({"position": "a3a2b3b2", "best": ["c3"]})"
      "\n";
  const ProgramRun good = eval_text("tic_tac_toe", labels, {"--player", "one-ply"});
  ASSERT_EQ(good.exit_code, 0) << good.err << good.out;
  EXPECT_EQ(good.metric("tic_tac_toe", "best"), 1);
  EXPECT_EQ(good.metric("tic_tac_toe", "loss"), 0);
  EXPECT_EQ(good.metric("tic_tac_toe", "positions"), 3);
  EXPECT_EQ(good.metric("tic_tac_toe", "positions_where_it_matters"), 2);
  const ProgramRun random = eval_text("tic_tac_toe", labels, {"--player", "random"});
  ASSERT_EQ(random.exit_code, 0) << random.err;
  EXPECT_NEAR(random.metric("tic_tac_toe", "best"), (0.2 + 1 + 0.2) / 3, 1e-6);
  EXPECT_NEAR(random.metric("tic_tac_toe", "best_where_it_matters"), 0.2, 1e-6);
  EXPECT_NEAR(random.metric("tic_tac_toe", "loss"), 1 - (1 + 0.25 - 3) / 5, 1e-6);

  const TemporaryFolder folder;
  const std::string answers = folder.path() / "answers";
  ASSERT_EQ(
      eval_text("tic_tac_toe", labels, {"--player", "one-ply", "--answers", answers}).exit_code, 0);
  EXPECT_TRUE(text_of(answers).starts_with(R"({"position":"a3a2b3b2","move":"c3"})"))
      << text_of(answers);

  // A move that is not rated.
  const ProgramRun partial = eval_text(
      "tic_tac_toe", R"({"position": "a3a2b3b2", "moves": {"c2": 0}})", {"--player", "one-ply"});
  EXPECT_EQ(partial.exit_code, 1);
  EXPECT_EQ(partial.metric("tic_tac_toe", "unmatched"), 1);

  const auto wrong = [](const std::string& line, const std::string& why) {
    expect_failure(eval_text("tic_tac_toe", line), 2, "eval", why);
  };
  wrong("[1]", "line 1: this is not a JSON object");
  wrong(R"({"moves": {"a1": 0}})", "\"position\" is missing");
  wrong(R"({"position": "a9", "best": ["a1"]})", "line 1: tic_tac_toe position \"a9\"");
  wrong(R"({"position": "a3a2b3b2c3", "best": ["c2"]})", "no player is to move");
  wrong(R"({"position": ""})", "either");
  wrong(R"({"position": "", "best": ["a1"], "moves": {"a1": 0}})", "either");
  wrong(R"({"position": "", "best": []})", "\"best\" is empty");
  wrong(R"({"position": "", "best": "a1"})", "\"best\" is not an array");
  wrong(R"({"position": "", "best": [1]})", "not a string");
  wrong(R"({"position": "", "moves": {"a1": "good"}})", "move \"a1\" is not a number");
  wrong(R"({"position": "", "moves": {"a1": 0, "1": 1}})", "is rated twice");
  wrong(R"({"position": "a1", "moves": {"a1": 0}})", "move \"a1\":");
}

TEST(EvalCommand, BadInputIsOneLine) {
  expect_failure(eval("go", kConnectFourLabels), 2, "eval", "unknown game");
  expect_failure(eval("connect_four", "/nowhere/labels.csv"), 2, "eval", "/nowhere/labels.csv");
  expect_failure(eval("connect_four", kData), 2, "eval", "folder");
  expect_failure(eval("connect_four", kBackgammonLabels), 2, "eval", "line 1");
  expect_failure(eval("backgammon", kConnectFourLabels), 2, "eval", "line 1");
  expect_failure(eval("connect_four", kConnectFourLabels, {"--weights", "/nowhere"}), 2, "eval",
                 "/nowhere");
  expect_failure(eval("connect_four", kConnectFourLabels, {"--weights", kConnectFourLabels}), 2,
                 "eval", kConnectFourLabels);
  expect_failure(eval("connect_four", kConnectFourLabels, {"--evaluator", "magic"}), 2, "eval",
                 "magic");
  expect_failure(eval("connect_four", kConnectFourLabels, {"--mode", "afterstates"}), 2, "eval",
                 "--mode: connect_four has no afterstates");
  expect_failure(eval("connect_four", kConnectFourLabels, {"--mode", "x"}), 2, "eval", "--mode");
  expect_failure(eval("connect_four", kConnectFourLabels, {"--ply", "1"}), 2, "eval",
                 "--ply: a search by plies values afterstates, but this network does not");
  expect_failure(eval("connect_four", kConnectFourLabels, {"--visits", "-3"}), 2, "eval",
                 "--visits");
  expect_failure(eval("connect_four", kConnectFourLabels, {"--lanes", "0"}), 2, "eval", "--lanes");
  expect_failure(run_senet({"eval", "--game", "connect_four"}), 2, "eval", "--labels");
}

}  // namespace
}  // namespace senet
