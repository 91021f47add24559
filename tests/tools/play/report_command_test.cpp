// senet report: losses and luck of recorded games.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/temporary_folder.hpp"
#include "tests/tools/program.hpp"

namespace senet {
namespace {

class ReportCommand : public testing::Test {
 protected:
  // The report of a game of two moves between players of these names.
  ProgramRun report(const std::string& first, const std::string& second,
                    std::vector<std::string> more = {}) {
    const std::string file = folder_ / "game.mat";
    std::ofstream(file) << " Game 1\n " << first << " : 0                        " << second
                        << " : 0\n  1)                              61: 13/7 8/7\n"
                        << "  2) 43: 13/9 6/3\n";
    more.insert(more.begin(), {"report", "--mat", file});
    return run_senet(more);
  }

  const TemporaryFolder folder_;
};

TEST_F(ReportCommand, JudgesEachMoveAndEachPlayer) {
  const ProgramRun run = report("white", "black");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out.find("Game 1: white against black\n"), 0u);
  EXPECT_NE(run.out.find("white: PR "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("black: PR 0.00, 0.000 points lost in 1 unforced"), std::string::npos)
      << run.out;
}

// Names come from other programs: they may be the same, and need not be UTF-8.
TEST_F(ReportCommand, WritesOneJsonObjectALine) {
  const ProgramRun run = report("Jos\xe9", "Jos\xe9", {"--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::vector<nlohmann::json> lines;
  std::istringstream text(run.out);
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 4u);
  const std::string name = "Jos\xef\xbf\xbd";  // U+FFFD
  EXPECT_EQ(lines[0]["player"], name + " (second)");
  EXPECT_EQ(lines[0]["played"], "13/7 8/7");
  EXPECT_EQ(lines[0]["loss"], 0);
  EXPECT_EQ(lines[1]["player"], name + " (first)");
  EXPECT_GT(lines[1]["loss"], 0.08);  // a blunder
  EXPECT_EQ(lines[2]["player"], name + " (second)");
  EXPECT_EQ(lines[3]["decisions"], 1);
  EXPECT_EQ(lines[3]["blunders"], 1);
  EXPECT_EQ(lines[3]["loss"], lines[1]["loss"]);
}

// A search by plies looks at few moves to its whole depth; the played one is among them.
TEST_F(ReportCommand, ComparesMovesAtTheSameDepth) {
  const ProgramRun run = report("white", "black", {"--json", "--ply", "1"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("\"blunders\":1"), std::string::npos) << run.out;
}

TEST_F(ReportCommand, NamesAFileThatIsNoMatch) {
  const std::string file = folder_ / "nothing.mat";
  const ProgramRun missing = run_senet({"report", "--mat", file});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("--mat: "), std::string::npos) << missing.err;
  std::ofstream(file) << "no game\n";
  const ProgramRun empty = run_senet({"report", "--mat", file});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_NE(empty.err.find("there is no line \"Game 1\""), std::string::npos) << empty.err;
}

}  // namespace
}  // namespace senet
