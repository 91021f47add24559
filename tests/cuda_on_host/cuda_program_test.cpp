// The senet program with a simulated CUDA device: runs that train on it and continue after it is
// lost, killed or too small, and the benchmarks that use it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/tools/background_program.hpp"
#include "tests/tools/run/tiny_run.hpp"

namespace senet {
namespace {

class CudaProgram : public TinyRun {
 protected:
  CudaProgram() {
    const std::string others = before_ ? ":" + *before_ : "";
    ::setenv("LD_LIBRARY_PATH", (SENET_CUDA_ON_HOST + others).c_str(), 1);
  }
  ~CudaProgram() override {
    ::unsetenv("CUDA_ON_HOST_MIB");
    ::unsetenv("CUDA_ON_HOST_LOST_AT");
    if (before_) {
      ::setenv("LD_LIBRARY_PATH", before_->c_str(), 1);
    } else {
      ::unsetenv("LD_LIBRARY_PATH");
    }
  }

  std::uint64_t steps() const { return checkpoint().trainer.steps; }

  /// Runs until `wanted` steps are saved, for at most a minute, then sends the signal `and_then`.
  void run_for_steps(BackgroundProgram& program, std::uint64_t wanted, int and_then) const {
    for (int tries = 0; tries < 30'000 && program.running(); ++tries) {
      if (std::filesystem::exists(run() / "checkpoint.safetensors") && steps() >= wanted) break;
      ::usleep(2000);
    }
    program.send(and_then);
    program.wait();
  }
  /// The stderr of a run that ends successfully after at least `wanted` steps.
  std::string said_by_run(const Arguments& arguments, std::uint64_t wanted) const {
    BackgroundProgram program(arguments);
    run_for_steps(program, wanted, SIGTERM);
    EXPECT_EQ(program.wait(), 0) << program.err();
    EXPECT_GE(steps(), wanted) << program.err();
    return program.err();
  }
  static void expect_device_trained(const std::string& said, const std::string& with = "") {
    EXPECT_NE(said.find("trainer cuda, the host, " + with), std::string::npos) << said;
    EXPECT_EQ(said.find("the CPU trains"), std::string::npos) << said;
  }
  static void expect_said_once(const std::string& said, const std::string& what) {
    const std::size_t first = said.find(what);
    ASSERT_NE(first, std::string::npos) << said;
    EXPECT_EQ(said.find(what, first + 1), std::string::npos) << said;
  }

 private:
  static std::optional<std::string> library_path() {
    const char* const path = std::getenv("LD_LIBRARY_PATH");
    return path == nullptr ? std::nullopt : std::optional<std::string>(path);
  }

  std::optional<std::string> before_ = library_path();
};

TEST_F(CudaProgram, LearnsOnTheDevice) {
  expect_device_trained(said_by_run(tiny({"--trainer", "cuda"}), 20),
                        "bf16 (the fastest at compute capability 9.0)");
  const auto latest = load_network(run() / "weights/latest.safetensors");
  ASSERT_TRUE(latest) << latest.error().reason();
  EXPECT_TRUE(std::ranges::equal(latest->parameters(), checkpoint().trainer.ema));
}

TEST_F(CudaProgram, LearnsFromSamplesThatTheDeviceKeeps) {
  expect_device_trained(
      said_by_run(tiny({"--trainer", "cuda", "--replay-on-device", "--precision", "fp32"}), 20),
      "fp32 (as requested), with the replay");
}

TEST_F(CudaProgram, RunsGoFromTrainerToTrainer) {
  expect_device_trained(said_by_run(tiny({"--precision", "fp16"}), 5), "fp16");
  for (const std::string trainer : {"cpu", "cuda", "auto"}) {
    const std::string said = said_by_run(resume({"--trainer", trainer}), steps() + 5);
    if (trainer == "cpu") {
      EXPECT_NE(said.find("trainer cpu, "), std::string::npos) << said;
    } else {
      expect_device_trained(said);
    }
  }
}

TEST_F(CudaProgram, OutlivesItsDevice) {
  ::setenv("CUDA_ON_HOST_LOST_AT", "12", 1);
  expect_said_once(said_by_run(tiny({"--trainer", "cuda"}), 20),
                   "the device was lost, the CPU trains from now on: a step: the device was lost");
}

TEST_F(CudaProgram, SaysThatTheDeviceIsTooSmall) {
  ::setenv("CUDA_ON_HOST_MIB", "8", 1);
  expect_said_once(said_by_run(tiny({"--trainer", "cuda"}), 5),
                   "the CPU trains: the host: memory on the device: out of memory");
}

TEST_F(CudaProgram, SaysThatTheDeviceHasNoRoomForTheReplay) {
  ::setenv("CUDA_ON_HOST_MIB", "100", 1);
  const std::string said = said_by_run(tiny({"--trainer", "cuda", "--replay-on-device"}), 5);
  expect_device_trained(said);
  expect_said_once(said, "the device cannot keep the replay: the samples would take ");
}

TEST_F(CudaProgram, IsKilledAndGoesOn) {
  {
    BackgroundProgram program(tiny({"--trainer", "cuda"}));
    run_for_steps(program, 20, SIGKILL);
  }
  const std::uint64_t before = steps();
  ASSERT_GE(before, 20u);
  expect_device_trained(said_by_run(resume({"--trainer", "cuda"}), before + 5));
}

TEST_F(CudaProgram, MeasuresSteps) {
  for (const char* const precision : {"bf16", "fp32"}) {
    const ProgramRun ran = run_senet(
        {"bench", "train", "--game", "connect_four", "--trainer", "cuda", "--precision", precision,
         "--batch", "16", "--workers", "1", "--games", "1", "--seconds", "0.05", "--json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const std::string subject = "connect_four/position/reference/sparse/cuda/batch-16/threads-1";
    EXPECT_EQ(ran.metric(subject, "kernels_per_step"), 66) << "one for each product included";
    EXPECT_GT(ran.metric(subject, "samples_per_second"), 0);
  }
}

TEST_F(CudaProgram, MeasuresWhatATrainerCostsSelfPlay) {
  const ProgramRun ran =
      run_senet({"bench", "overlap", "--game", "tic_tac_toe", "--width", "16", "--trainer", "cuda",
                 "--workers", "1", "--seconds", "0.3", "--repeat", "1", "--json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const std::string subject = "tic_tac_toe/position/width-16-blocks-1/cuda/workers-1";
  EXPECT_GT(ran.metric(subject, "games_per_minute_alone"), 0);
  EXPECT_GT(ran.metric(subject, "games_per_minute_with_trainer"), 0);
}

}  // namespace
}  // namespace senet
