// The senet program with a CUDA device, which the host plays: whole runs that learn on it, go on
// after it is lost, killed or too small, and the benchmarks that use one.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "games/tic_tac_toe.hpp"
#include "tests/tools/background_program.hpp"
#include "train_bridge/checkpoint.hpp"

namespace senet {
namespace {

using Arguments = std::vector<std::string>;

class CudaProgram : public testing::Test {
 protected:
  CudaProgram() { ::setenv("LD_LIBRARY_PATH", SENET_CUDA_ON_HOST, 1); }
  ~CudaProgram() override {
    for (const char* const name :
         {"LD_LIBRARY_PATH", "CUDA_ON_HOST_MIB", "CUDA_ON_HOST_LOST_AFTER"})
      ::unsetenv(name);
  }

  std::filesystem::path run() const { return folder_ / "run"; }
  /// A new run that learns early and publishes often.
  Arguments tiny(const Arguments& more) const {
    return with({"selfplay",
                 "--run",
                 run().string(),
                 "--game",
                 "tic_tac_toe",
                 "--width",
                 "16",
                 "--blocks",
                 "1",
                 "--workers",
                 "2",
                 "--lanes",
                 "8",
                 "--visits",
                 "8",
                 "--begin-after",
                 "50",
                 "--train-batch",
                 "32",
                 "--steps-per-iteration",
                 "5",
                 "--checkpoint-seconds",
                 "0.05",
                 "--quiet"},
                more);
  }
  Arguments resume(const Arguments& more) const {
    return with({"selfplay", "--run", run().string(), "--resume", "--quiet"}, more);
  }
  static ProgramRun run_senet(const Arguments& arguments) {
    return run_program(SENET_PROGRAM, arguments);
  }
  Checkpoint checkpoint() const {
    NetworkSpec spec = reference_spec<TicTacToe>();
    spec.width = 16;
    spec.blocks = 1;
    const Result<Checkpoint> loaded = load_checkpoint(run() / "checkpoint.safetensors", spec);
    EXPECT_TRUE(loaded) << loaded.error().reason;
    return loaded ? *loaded : Checkpoint{};
  }
  std::uint64_t steps() const { return checkpoint().trainer.steps; }

  /// It ended well, and the device learnt to the end.
  static void expect_device_trained(const ProgramRun& ran, const std::string& with = "") {
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.err.find("trainer cuda, the host, " + with), std::string::npos) << ran.err;
    EXPECT_EQ(ran.err.find("the CPU trains"), std::string::npos) << ran.err;
  }
  /// It ended well, and the CPU learnt from then on when this was told, once.
  static void expect_cpu_went_on(const ProgramRun& ran, const std::string& reason) {
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const std::size_t told = ran.err.find(reason);
    EXPECT_NE(told, std::string::npos) << ran.err;
    EXPECT_EQ(ran.err.find(reason, told + 1), std::string::npos) << ran.err;
  }

 private:
  static Arguments with(Arguments first, const Arguments& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
  }

  TemporaryFolder folder_;
};

TEST_F(CudaProgram, LearnsOnTheDevice) {
  expect_device_trained(run_senet(tiny({"--minutes", "0.03", "--trainer", "cuda"})),
                        "bf16 (the fastest at compute capability 9.0)");
  EXPECT_GT(steps(), 20u);
  const auto latest = load_network(run() / "weights/latest.safetensors");
  ASSERT_TRUE(latest) << latest.error().reason;
  EXPECT_TRUE(std::ranges::equal(latest->parameters(), checkpoint().trainer.ema));
}

TEST_F(CudaProgram, LearnsFromSamplesThatTheDeviceKeeps) {
  expect_device_trained(run_senet(tiny({"--minutes", "0.03", "--trainer", "cuda",
                                        "--replay-on-device", "--precision", "fp32"})),
                        "fp32 (as asked for), with the replay");
  EXPECT_GT(steps(), 20u);
}

TEST_F(CudaProgram, RunsGoFromTrainerToTrainer) {
  std::uint64_t before = 0;
  expect_device_trained(run_senet(tiny({"--games", "100", "--precision", "fp16"})), "fp16");
  for (const char* const trainer : {"cpu", "cuda", "auto"}) {
    EXPECT_GT(steps(), before) << trainer;
    before = steps();
    const ProgramRun ran = run_senet(resume({"--games", "100", "--trainer", trainer}));
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.err.find(trainer == std::string("cpu") ? "trainer cpu, " : "trainer cuda, "),
              std::string::npos)
        << ran.err;
  }
  EXPECT_GT(steps(), before);
}

TEST_F(CudaProgram, OutlivesItsDevice) {
  ::setenv("CUDA_ON_HOST_LOST_AFTER", "12", 1);
  expect_cpu_went_on(
      run_senet(tiny({"--minutes", "0.03", "--trainer", "cuda"})),
      "the device was lost, the CPU trains from now on: a step: the device was lost");
  EXPECT_GT(steps(), 20u);
}

TEST_F(CudaProgram, SaysThatTheDeviceIsTooSmall) {
  ::setenv("CUDA_ON_HOST_MIB", "8", 1);
  expect_cpu_went_on(run_senet(tiny({"--games", "30", "--trainer", "cuda"})),
                     "the CPU trains: the host: memory on the device: out of memory");
  EXPECT_GT(steps(), 0u);
}

TEST_F(CudaProgram, SaysThatTheDeviceHasNoRoomForTheReplay) {
  ::setenv("CUDA_ON_HOST_MIB", "100", 1);
  const ProgramRun ran =
      run_senet(tiny({"--games", "100", "--trainer", "cuda", "--replay-on-device"}));
  expect_device_trained(ran);
  EXPECT_NE(ran.err.find("the device keeps no replay: the samples would take "), std::string::npos)
      << ran.err;
}

TEST_F(CudaProgram, IsKilledAndGoesOn) {
  {
    BackgroundProgram program(tiny({"--trainer", "cuda"}));
    for (int tries = 0; tries < 30'000 && program.running(); ++tries) {
      if (std::filesystem::exists(run() / "checkpoint.safetensors") && steps() > 20) break;
      ::usleep(2000);
    }
    program.send(SIGKILL);
    program.wait();
  }
  const std::uint64_t before = steps();
  ASSERT_GT(before, 20u);
  expect_device_trained(run_senet(resume({"--games", "100", "--trainer", "cuda"})));
  EXPECT_GT(steps(), before);
}

TEST_F(CudaProgram, MeasuresSteps) {
  for (const char* const precision : {"bf16", "fp32"}) {
    const ProgramRun ran = run_senet(
        {"bench", "train", "--game", "connect_four", "--backend", "cuda", "--precision", precision,
         "--batch", "64", "--workers", "1", "--games", "1", "--seconds", "0.05", "--json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const std::string subject = "connect_four/position/seed-283k/sparse/cuda/batch-64/threads-1";
    EXPECT_EQ(ran.metric(subject, "kernels_per_step"), 66) << ran.out;
    EXPECT_GT(ran.metric(subject, "samples_per_second"), 0);
  }
}

TEST_F(CudaProgram, MeasuresWhatATrainerCostsSelfPlay) {
  const ProgramRun ran =
      run_senet({"bench", "overlap", "--game", "tic_tac_toe", "--width", "16", "--backend", "cuda",
                 "--workers", "1", "--seconds", "0.3", "--repeat", "1", "--json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("\"slowdown\""), std::string::npos) << ran.out << ran.err;
}

}  // namespace
}  // namespace senet
