// The CUDA trainer on a real device, compared with the CPU trainer. Without a device every case is
// skipped, which tools/check_gpu.sh treats as a failure.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ostream>

#include "games/backgammon/backgammon.hpp"
#include "tests/train_bridge/device_checks.hpp"
#include "train_bridge/choose_trainer.hpp"

namespace senet {
namespace {

MakeDeviceTrainer make_in(Precision precision) {
  return [precision](const Network& start, const TrainBatch::Shape& shape,
                     const TrainerSettings& settings) {
    return make_cuda_trainer(start, shape, settings, precision, nullptr);
  };
}

constexpr SampleShape kFewSamples{};

void skip_without_device() {
  const auto made =
      make_cuda_trainer(initial_network(taught_spec(), 1), batch_shape(taught_spec(), kFewSamples),
                        {}, Precision::kFloat, nullptr);
  if (!made) GTEST_SKIP() << made.error().reason();
}

/// A precision and the maximum error of its gradient.
struct PrecisionCase {
  Precision precision;
  double bound;
  friend void PrintTo(const PrecisionCase& of, std::ostream* out) { *out << name_of(of.precision); }
};

class CudaDeviceTest : public testing::TestWithParam<PrecisionCase> {
 protected:
  void SetUp() override { skip_without_device(); }
  MakeDeviceTrainer make() const { return make_in(GetParam().precision); }
};

INSTANTIATE_TEST_SUITE_P(Precisions, CudaDeviceTest,
                         testing::Values(PrecisionCase{Precision::kFloat, 1e-5},
                                         PrecisionCase{Precision::kTf32, 1e-2},
                                         PrecisionCase{Precision::kHalf, 1e-2},
                                         PrecisionCase{Precision::kBfloat16, 1e-2}),
                         [](const auto& test) {
                           return std::string(name_of(test.param.precision));
                         });

/// Random weights without special values for float. For lower precisions initial weights: otherwise
/// rounding could switch ReLUs on or off, which is not an error.
std::vector<float> weights_for(Precision precision, const NetworkSpec& spec) {
  if (precision == Precision::kFloat) return random_parameters<float>(spec, 2);
  const Network fresh = initial_network(spec, 2);
  return {fresh.parameters().begin(), fresh.parameters().end()};
}

void expect_gradient(const PrecisionCase& with, const GradientCase& of,
                     const std::vector<float>& weights) {
  const double error = gradient_error(make_in(with.precision), of, weights);
  std::printf("gradient of %s in %s: off by %.1e of its length\n", of.name.c_str(),
              std::string(name_of(with.precision)).c_str(), error);
  EXPECT_LT(error, with.bound) << of.name;
}

TEST_P(CudaDeviceTest, GradientsOfSmallNetworksAreTheCpus) {
  for (const GradientCase& of : gradient_cases()) {
    expect_gradient(GetParam(), of, weights_for(GetParam().precision, of.spec));
  }
}

// The size of the built-in networks, slightly trained: in an untrained network of this depth,
// bfloat16 rounding alone causes errors up to 1.4e-2 (DeviceStep in emulated bfloat16 on the host),
// here 0.7e-2.
TEST_P(CudaDeviceTest, GradientsOfTheNetworkThatShipsAreTheCpus) {
  // With more rows, some sum near zero would have different signs in float and double.
  const std::size_t rows = GetParam().precision == Precision::kFloat ? 64 : 1024;
  const GradientCase ships{"128 wide, 3 blocks",
                           reference_spec<Backgammon>(),
                           {.rows = rows,
                            .active = 36,
                            .legal = 20,
                            .logits_per_action = Backgammon::kLogitsPerAction,
                            .without_policy = 4}};
  const SampleShape lesson{.rows = 256, .active = 36, .legal = 20};
  const Teacher teacher(ships.spec);
  const auto trainer =
      make_cpu_trainer(initial_network(ships.spec, 1), batch_shape(ships.spec, lesson), {});
  for (std::uint64_t i = 0; i < 300; ++i) trainer->step(teacher.batch(lesson, i), 1e-3f);
  const TrainerState trained = trainer->state();
  expect_gradient(GetParam(), ships, {trained.weights.begin(), trained.weights.end()});
}

// The device simulated by tests/cuda_on_host takes a tenth of a second a step.
std::size_t fewer_if_simulated(std::size_t steps) {
  return std::getenv("CUDA_ON_HOST_ORDER") != nullptr ? steps / 2 : steps;
}

TEST_P(CudaDeviceTest, EndsWhereTheCpuEnds) {
  expect_same_losses(make(), fewer_if_simulated(1000), 0.005);
}

TEST_P(CudaDeviceTest, RepeatsItself) { expect_repeatable(make(), fewer_if_simulated(100)); }

TEST(CudaDevice, WithoutMemoryForItTheCpuTrains) {
  skip_without_device();
  if (testing::Test::IsSkipped()) return;
  const Network start = initial_network(taught_spec(), 1);
  // Each of the step's dozens of matrices would need 16 GiB.
  TrainBatch::Shape absurd = batch_shape(taught_spec(), kFewSamples);
  absurd.rows = std::size_t{1} << 27;
  const auto made = make_cuda_trainer(start, absurd, {}, Precision::kAuto, nullptr);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().reason().find("memory on the device: "), std::string::npos)
      << made.error().reason();

  const ChosenTrainer chosen = choose_trainer({.backend = TrainerBackend::kCuda}, start, absurd, {},
                                              [](const std::string& reason) { FAIL() << reason; });
  EXPECT_EQ(chosen.warnings, std::vector{"the CPU trains: " + made.error().reason()});
  EXPECT_EQ(chosen.trainer->name(), "cpu");
  const TrainBatch few = random_batch(taught_spec(), kFewSamples, 1);
  EXPECT_FALSE(chosen.trainer->step(few, 1e-3f).skipped);
  EXPECT_EQ(chosen.trainer->state().steps, 1u);

  // Memory allocated before the failure has been freed, and the failure has no after-effects.
  const auto modest = warm_trainer(make_in(Precision::kAuto), start, few.shape(), {});
  ASSERT_TRUE(modest);
  const auto report = modest->step(few, 1e-3f);
  EXPECT_TRUE(report) << report.error().reason();
}

}  // namespace
}  // namespace senet
