// The example that README.md links to, with a new network.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "games/connect_four/connect_four.hpp"
#include "nn/network.hpp"
#include "tests/tools/program.hpp"

namespace senet {
namespace {

class Example : public testing::Test {
 protected:
  Example() {
    NetworkSpec spec = reference_spec<ConnectFour>();
    spec.width = 16;
    spec.blocks = 1;
    EXPECT_TRUE(save_network(initial_network(spec, 1), weights_));
  }

  static ProgramRun analyse(std::vector<std::string> arguments) {
    return run_program(SENET_EXAMPLE, std::move(arguments));
  }

  const TemporaryFolder folder_;
  const std::string weights_ = folder_ / "weights.safetensors";
};

TEST_F(Example, FindsTheWinningMove) {
  // Three in a row at the bottom: the fourth column wins at once.
  const ProgramRun run = analyse({weights_, "112233"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find(": value +1.000 after"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(", proven"), std::string::npos) << run.out;
}

TEST_F(Example, SaysSomethingAboutEveryMove) {
  const ProgramRun run = analyse({weights_});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::istringstream lines(run.out);
  int with_visits = 0, after = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) continue;
    ++(line.find("visits") == std::string::npos ? after : with_visits);
  }
  EXPECT_EQ(with_visits, 7) << run.out;
  EXPECT_EQ(after, 7) << run.out;
}

TEST_F(Example, BadInputIsOneLine) {
  const auto refused = [](const ProgramRun& run, const std::string& reason) {
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(run.err.starts_with("analyse_position: ")) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
    EXPECT_NE(run.err.find(reason), std::string::npos) << run.err;
  };
  refused(analyse({}), "usage");
  refused(analyse({weights_, "8"}), "");
  refused(analyse({weights_, "1213141"}), "over");
  refused(analyse({"/nowhere"}), "/nowhere");
}

}  // namespace
}  // namespace senet
