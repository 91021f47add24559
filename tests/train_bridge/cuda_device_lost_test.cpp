// A CUDA device that is really lost during a run: a kernel that traps invalidates the process's
// context. Each case needs its own process, which CTest and tools/check_gpu.sh provide.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/train_bridge/lost_device_run.hpp"
#include "tests/train_bridge/sample_batch.hpp"
#include "train_bridge/choose_trainer.hpp"

namespace senet {
namespace {

constexpr const char* kTrap =
    ".version 7.0\n"
    ".target sm_80\n"
    ".address_size 64\n"
    ".visible .entry lose() { trap; }\n";

/// A function of the CUDA driver API. Handles are pointers; 0 means success.
template <class Function>
Function* driver(const char* name) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void* const function = library == nullptr ? nullptr : dlsym(library, name);
  EXPECT_NE(function, nullptr) << name;
  return reinterpret_cast<Function*>(function);
}

/// Runs the trapping kernel in the context that the trainer's library uses too.
void lose_device() {
  void *context = nullptr, *module = nullptr, *kernel = nullptr;
  ASSERT_EQ(driver<int(unsigned)>("cuInit")(0), 0);
  ASSERT_EQ(driver<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0), 0);
  ASSERT_EQ(driver<int(void*)>("cuCtxSetCurrent")(context), 0);
  ASSERT_EQ(driver<int(void**, const void*)>("cuModuleLoadData")(&module, kTrap), 0);
  ASSERT_EQ(driver<int(void**, void*, const char*)>("cuModuleGetFunction")(&kernel, module, "lose"),
            0);
  using Launch = int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     void*, void**, void**);
  ASSERT_EQ(
      driver<Launch>("cuLaunchKernel")(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), 0);
  ASSERT_NE(driver<int()>("cuCtxSynchronize")(), 0) << "the device survived a trap";
}

/// A trainer as in a run; null if there is no device, with the reason in `why`.
std::unique_ptr<Trainer> make_trainer(const Network& start, const TrainBatch::Shape& shape,
                                      const TrainerSettings& settings, std::size_t steps_at_risk,
                                      std::function<void(const std::string&)> lost,
                                      std::string& why) {
  ChosenTrainer chosen =
      choose_trainer({.backend = TrainerBackend::kCuda, .steps_at_risk = steps_at_risk}, start,
                     shape, settings, std::move(lost));
  if (chosen.warnings.empty()) return std::move(chosen.trainer);
  why = chosen.warnings.front();
  return nullptr;
}

TEST(CudaDeviceLost, TheCpuGoesOnFromTheStateLastFetched) {
  const NetworkSpec spec = small_spec();
  const SampleShape samples{};
  std::vector<std::string> reported;
  std::string why;
  const auto trainer = make_trainer(
      initial_network(spec, 1), batch_shape(spec, samples), {}, 1000,
      [&](const std::string& reason) { reported.push_back(reason); }, why);
  if (!trainer) GTEST_SKIP() << why;
  trainer->warm_up();
  const auto step = [&](std::uint64_t seed) {
    return trainer->step(random_batch(spec, samples, seed), 1e-3f);
  };
  for (std::uint64_t i = 0; i < 10; ++i) step(i);
  const TrainerState fetched = trainer->state();
  EXPECT_EQ(fetched.steps, 10u);
  for (std::uint64_t i = 10; i < 13; ++i) step(i);  // these are at risk
  ASSERT_EQ(trainer->name(), "cuda");
  ASSERT_TRUE(reported.empty()) << reported.front();

  lose_device();
  const StepReport report = step(20);
  EXPECT_EQ(trainer->name(), "cpu");
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_FALSE(reported.front().empty());
  EXPECT_FALSE(report.skipped);
  EXPECT_GT(report.value_loss, 0);
  const auto cpu = make_cpu_trainer(initial_network(spec, 1), batch_shape(spec, samples), {});
  ASSERT_TRUE(cpu->restore(fetched));
  cpu->step(random_batch(spec, samples, 20), 1e-3f);
  EXPECT_EQ(trainer->state().weights, cpu->state().weights);
  EXPECT_EQ(trainer->state().steps, 11u);
  step(21);
  EXPECT_EQ(trainer->served(PlayWeights::kAverage).spec(), spec);
  EXPECT_EQ(reported.size(), 1u);
}

TEST(CudaDeviceLost, ARunOutlivesItsDevice) {
  std::string why;
  if (!make_trainer(
          initial_network(small_spec(), 1), batch_shape(small_spec(), {}), {}, 1,
          [](const std::string&) {}, why)) {
    GTEST_SKIP() << why;
  }
  expect_a_run_outlives_its_device(
      [&](const Network& start, const TrainBatch::Shape& shape, const TrainerSettings& settings,
          std::size_t steps_at_risk, std::function<void(const std::string&)> lost) {
        return make_trainer(start, shape, settings, steps_at_risk, std::move(lost), why);
      },
      lose_device);
}

}  // namespace
}  // namespace senet
