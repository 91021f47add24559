// Tests that the fuzz driver keeps every input that makes a target fail.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/tools/program.hpp"

namespace senet {
namespace {

/// Runs the misbehaving target on one input in a temporary folder.
class FuzzDriver : public testing::Test {
 protected:
  ProgramRun run(const std::string& input) {
    write_text(folder_ / "input", input);
    const std::string folder = folder_.path();
    return run_program(
        "/bin/sh",
        {"-c", "cd " + folder + " && exec " SENET_FUZZ_TARGET " -runs=0 -timeout=1 input"});
  }
  std::filesystem::path crash_file() const { return folder_.path() / "crash-fuzz_misbehaving"; }

  const TemporaryFolder folder_;
};

TEST_F(FuzzDriver, WhatIsGoodLeavesNothingBehind) {
  const ProgramRun good = run("be good");
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_NE(good.out.find("1 inputs of the corpus and 0 mutations, no failure"), std::string::npos)
      << good.out;
  EXPECT_FALSE(std::filesystem::exists(crash_file()));
}

TEST_F(FuzzDriver, KeepsWhatEndsTheProgram) {
  for (const std::string input : {"break a promise", "segmentation fault", "hang"}) {
    const ProgramRun bad = run(input);
    EXPECT_NE(bad.exit_code, 0) << input;
    EXPECT_EQ(text_of(crash_file()), input) << bad.err;
    EXPECT_NE(bad.err.find("fuzz: the input is in the file crash-fuzz_misbehaving"),
              std::string::npos)
        << bad.err;
    std::filesystem::remove(crash_file());
  }
}

}  // namespace
}  // namespace senet
