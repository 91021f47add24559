// The module that holds the CUDA trainer, where it was built. Without a device it says so; with one
// it learns what the CPU learns.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/train_bridge/sample_batch.hpp"
#include "train_bridge/cuda/cuda_module.hpp"
#include "train_bridge/linear_algebra.hpp"

namespace senet {
namespace {

const NetworkSpec kSpec = {
    .game = "test", .features = 11, .policy_logits = 9, .outcomes = 3, .width = 8, .blocks = 1};
constexpr SampleShape kSamples{};

TEST(CudaModule, IsOfThisVersionAndTellsWhetherThereIsADevice) {
  void* const file = dlopen(kCudaModuleFile, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(file, nullptr) << dlerror();
  const auto* const module = static_cast<const CudaModule*>(dlsym(file, kCudaModule));
  ASSERT_NE(module, nullptr) << dlerror();
  EXPECT_EQ(module->version, kCudaModuleVersion);
  // Holds this, and keeps it to itself: the program has its own.
  EXPECT_EQ(
      dlsym(file, "_ZN5senet19precision_from_nameESt17basic_string_viewIcSt11char_traitsIcEE"),
      nullptr);

  const Network start = initial_network(kSpec, 1);
  const TrainBatch::Shape shape = batch_shape(kSpec, kSamples);
  CudaTrainerReport report;
  const auto trainer = module->make(start, shape, {}, Precision::kFloat, &report);
  if (!trainer) {
    EXPECT_NE(trainer.error().reason.find("CUDA"), std::string::npos) << trainer.error().reason;
    return;
  }
  EXPECT_FALSE(report.device.empty());
  // What the program does: it finds the module by itself.
  const auto found = make_cuda_trainer(start, shape, {}, Precision::kFloat, nullptr);
  EXPECT_TRUE(found) << found.error().reason;
  use_single_threaded_blas();
  const auto cpu = make_cpu_trainer(start, shape, {});
  ASSERT_TRUE((*trainer)->warm_up());
  for (std::uint64_t step = 0; step < 20; ++step) {
    const TrainBatch batch = random_batch(kSpec, kSamples, step + 1);
    cpu->step(batch, 0.003f);
    ASSERT_TRUE((*trainer)->step(batch, 0.003f));
  }
  const auto state = (*trainer)->state();
  ASSERT_TRUE(state);
  const TrainerState expected = cpu->state();
  for (std::size_t i = 0; i < expected.weights.size(); ++i) {
    ASSERT_NEAR(state->weights[i], expected.weights[i], 1e-3) << i;
  }
}

TEST(CudaTrainer, FailsWithAReason) {
  if (dlopen("libcuda.so.1", RTLD_LAZY) != nullptr) GTEST_SKIP() << "there is a driver";
  const TrainBatch::Shape shape = batch_shape(kSpec, kSamples);
  const auto trainer =
      make_cuda_trainer(initial_network(kSpec, 1), shape, {}, Precision::kAuto, nullptr);
  ASSERT_FALSE(trainer);
  EXPECT_TRUE(trainer.error().reason.starts_with("no CUDA driver: libcuda.so.1"))
      << trainer.error().reason;
}

}  // namespace
}  // namespace senet
