// The module of the CUDA trainer, where it was built. Without a device it reports that; with one it
// trains like the CPU trainer.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/train_bridge/sample_batch.hpp"
#include "train_bridge/cuda/cuda_trainer.hpp"

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
  // The module contains this function but must not export it: the program has its own copy.
  EXPECT_EQ(dlsym(file, "_ZN5senet14flop_per_clockENS_9PrecisionEi"), nullptr);

  const Network start = initial_network(kSpec, 1);
  const TrainBatch::Shape shape = batch_shape(kSpec, kSamples);
  CudaTrainerReport report;
  const auto trainer = module->make(start, shape, {}, Precision::kFloat, &report);
  if (!trainer) {
    EXPECT_NE(trainer.error().reason().find("CUDA"), std::string::npos) << trainer.error().reason();
    return;
  }
  EXPECT_FALSE(report.device.empty());
  // As the program does: finds the module itself.
  const auto found = make_cuda_trainer(start, shape, {}, Precision::kFloat, nullptr);
  EXPECT_TRUE(found) << found.error().reason();
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

// Samples keep arriving between the steps and overwrite older ones.
TEST(CudaTrainer, KeptSamplesTeachWhatSentOnesDo) {
  const TrainBatch::Shape shape = batch_shape(kSpec, kSamples);
  const Network start = initial_network(kSpec, 1);
  auto sent = make_cuda_trainer(start, shape, {}, Precision::kFloat, nullptr);
  auto kept = make_cuda_trainer(start, shape, {}, Precision::kFloat, nullptr);
  if (!sent || !kept) GTEST_SKIP() << "no device";
  constexpr std::uint32_t kPlaces = 20;
  const auto all = (*kept)->keep_replay({.places = std::size_t{1} << 40, .images = 1});
  EXPECT_FALSE(all);  // no device has that much memory
  ASSERT_TRUE((*kept)->keep_replay({.places = kPlaces, .images = 1}));
  for (auto* const trainer : {&sent, &kept}) ASSERT_TRUE((**trainer)->warm_up());
  const auto add = [](std::uint64_t number, TrainBatch& batch) {
    Random random(7, number, 0, Purpose::kTest);
    add_sample(kSpec, kSamples, number % 3 != 0, random, batch);
  };
  TrainBatch batch(shape);
  std::uint64_t added = 0;
  for (std::uint64_t step = 0; step < 50; ++step) {
    for (std::uint64_t i = 0; i < (step == 0 ? kPlaces : step % 7); ++i, ++added) {
      batch.clear();
      add(added, batch);
      ASSERT_TRUE((*kept)->keep(static_cast<std::uint32_t>(added % kPlaces), batch));
    }
    batch.clear();
    std::vector<DrawnSample> drawn;
    Random random(8, step, 0, Purpose::kTest);
    for (std::size_t row = 0; row < shape.rows; ++row) {
      const std::uint64_t number = added - 1 - random.below(kPlaces);
      add(number, batch);
      drawn.push_back({static_cast<std::uint32_t>(number % kPlaces), false, batch.weight(row)});
    }
    ASSERT_TRUE((*sent)->step(batch, 0.003f));
    const auto report = (*kept)->step_kept(drawn, 0.003f);
    ASSERT_TRUE(report) << report.error().reason();
    ASSERT_TRUE(*report);
  }
  const auto expected = (*sent)->state(), state = (*kept)->state();
  ASSERT_TRUE(expected && state);
  for (std::size_t i = 0; i < state->weights.size(); ++i) {
    ASSERT_NEAR(state->weights[i], expected->weights[i], 1e-6) << i;
  }
}

TEST(CudaTrainer, MayEndInTheMidstOfAStep) {
  const TrainBatch::Shape shape = batch_shape(kSpec, kSamples);
  auto trainer =
      make_cuda_trainer(initial_network(kSpec, 1), shape, {}, Precision::kFloat, nullptr);
  if (!trainer) GTEST_SKIP() << trainer.error().reason();
  ASSERT_TRUE((*trainer)->keep_replay({.places = 20, .images = 1}));
  ASSERT_TRUE((*trainer)->warm_up());
  // step() returned the report of the first step twice: the second step may still be running.
  for (std::uint64_t step = 0; step < 2; ++step) {
    ASSERT_TRUE((*trainer)->step(random_batch(kSpec, kSamples, step), 0.003f));
  }
  TrainBatch sample(shape);
  Random random(7, 0, 0, Purpose::kTest);
  add_sample(kSpec, kSamples, true, random, sample);
  // The samples at the end of the ring are sent when the next one goes to its beginning.
  for (std::uint32_t i = 0; i < 60; ++i) ASSERT_TRUE((*trainer)->keep(i % 20, sample));
  trainer->reset();
  const auto next =
      make_cuda_trainer(initial_network(kSpec, 1), shape, {}, Precision::kFloat, nullptr);
  EXPECT_TRUE(next) << next.error().reason();
}

TEST(CudaTrainer, FailsWithAReason) {
  if (dlopen("libcuda.so.1", RTLD_LAZY) != nullptr) GTEST_SKIP() << "there is a driver";
  const TrainBatch::Shape shape = batch_shape(kSpec, kSamples);
  const auto trainer =
      make_cuda_trainer(initial_network(kSpec, 1), shape, {}, Precision::kAuto, nullptr);
  ASSERT_FALSE(trainer);
  EXPECT_TRUE(trainer.error().reason().starts_with("no CUDA driver: libcuda.so.1"))
      << trainer.error().reason();
}

}  // namespace
}  // namespace senet
