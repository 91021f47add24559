// The device step with its kernel bodies run by the host: the same gradients and the same training
// as on the CPU.
#include "train_bridge/device/device_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/train_bridge/gradient_cases.hpp"
#include "tests/train_bridge/host_device.hpp"
#include "train_bridge/backward_pass.hpp"

namespace senet {
namespace {

/// A float with kBits fraction bits: 7 as in bfloat16, 10 as in half and TF32.
template <int kBits>
class Coarse {
 public:
  Coarse() = default;
  explicit Coarse(float value) {
    constexpr int kLost = 23 - kBits;
    auto bits = std::bit_cast<std::uint32_t>(value);
    bits += (1u << (kLost - 1)) - 1 + (bits >> kLost & 1);
    value_ = std::bit_cast<float>(bits >> kLost << kLost);
  }
  explicit operator float() const { return value_; }

 private:
  float value_ = 0;
};

std::vector<GradientCase> cases() {
  std::vector<GradientCase> cases = gradient_cases();
  cases.push_back({"many_chunks", small_spec(16, 1, 1, 1), {.rows = 150, .without_policy = 4}});
  return cases;
}

class DeviceStepTest : public testing::TestWithParam<GradientCase> {
 protected:
  /// The batch in device format.
  BatchView packed(const TrainBatch& batch, float learning_rate) {
    memory_.resize(packed_bytes(batch.shape()));
    EXPECT_LE(pack(batch, learning_rate, memory_), memory_.size());
    return {memory_.data()};
  }

  HostDevice device_;
  std::vector<std::byte> memory_;
};

INSTANTIATE_TEST_SUITE_P(Specs, DeviceStepTest, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

constexpr TrainerSettings kSettings{.policy_weight = 0.7f, .value_weight = 1.3f};

/// The norm of the difference, relative to the norm of `b`.
template <class Real>
double difference(const std::vector<Real>& a, const std::vector<double>& b) {
  double length = 0, off = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    length += b[i] * b[i];
    off += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
  }
  return std::sqrt(off / length);
}

// The CPU's gradient in double is tested against finite differences.
template <class Real, class Operand>
double gradient_error(HostDevice device, BatchView view, const GradientCase& of,
                      const TrainBatch& batch, const std::vector<float>& weights) {
  const std::vector<double> exact_weights(weights.begin(), weights.end());
  std::vector<double> expected(weights.size());
  TrainNetwork<double> network(of.spec, batch.shape());
  network.gradient(
      exact_weights, batch, {0, batch.size()},
      {static_cast<double>(kSettings.policy_weight), static_cast<double>(kSettings.value_weight)},
      expected);
  DeviceStep<HostDevice, Real, Operand> step(device, of.spec, batch.shape(), kSettings, 0);
  step.restore(initial_state(weights));
  std::vector<Real> gradient(weights.size());
  step.gradient(view, gradient);
  return difference(gradient, expected);
}

TEST_P(DeviceStepTest, GradientsAreTheCpus) {
  const TrainBatch batch = random_batch(GetParam().spec, GetParam().samples, 1);
  const BatchView view = packed(batch, 0);
  const std::vector<float> wild = random_parameters<float>(GetParam().spec, 2);
  // A device may run work made aside at any time: test the earliest and the latest.
  for (const Aside aside : {Aside::kAtOnce, Aside::kAsLateAsMayBe}) {
    const HostDevice device(aside);
    EXPECT_LT((gradient_error<double, double>(device, view, GetParam(), batch, wild)), 1e-12);
    EXPECT_LT((gradient_error<float, float>(device, view, GetParam(), batch, wild)), 1e-5);
  }
  // With rounded factors, which occasionally switch a ReLU: the bounds of cuda_device_test.cpp, on
  // the same weights and batches.
  const Network fresh = initial_network(GetParam().spec, 2);
  const std::vector<float> tame(fresh.parameters().begin(), fresh.parameters().end());
  EXPECT_LT((gradient_error<float, Coarse<7>>(device_, view, GetParam(), batch, tame)), 1e-2);
  EXPECT_LT((gradient_error<float, Coarse<10>>(device_, view, GetParam(), batch, tame)), 1e-2);
}

TEST_P(DeviceStepTest, RowsBehindTheBatchAddNothing) {
  const auto& [name, spec, samples] = GetParam();
  const TrainBatch batch = random_batch(spec, samples, 1);
  TrainBatch::Shape larger = batch.shape();
  larger.rows += 70;
  const std::vector<float> weights = random_parameters<float>(spec, 2);
  const auto gradient_in = [&](const TrainBatch::Shape& shape) {
    TrainBatch again(shape);
    for (std::size_t row = 0; row < samples.rows; ++row) {
      Random random(1, row, 0, Purpose::kTest);
      const bool has_policy =
          samples.without_policy == 0 || row % samples.without_policy != samples.without_policy - 1;
      add_sample(spec, samples, has_policy, random, again);
    }
    DeviceStep<HostDevice, double, double> step(device_, spec, shape, kSettings, 0);
    step.restore(initial_state(weights));
    std::vector<double> gradient(weights.size());
    step.gradient(packed(again, 0), gradient);
    return gradient;
  };
  EXPECT_LT(difference(gradient_in(larger), gradient_in(batch.shape())), 1e-12);
}

TEST_P(DeviceStepTest, TrainsAsTheCpuDoes) {
  const auto& [name, spec, samples] = GetParam();
  const Network start(spec, random_parameters<float>(spec, 2));
  const TrainBatch::Shape shape = batch_shape(spec, samples);
  const auto cpu = make_cpu_trainer(start, shape, kSettings);
  DeviceStep<HostDevice, float, float> step(device_, spec, shape, kSettings, 0);
  step.restore(cpu->state());
  for (std::uint64_t i = 0; i < 20; ++i) {
    const TrainBatch batch = random_batch(spec, samples, 10 + i);
    const float rate = 1e-3f * static_cast<float>(i % 3 + 1);
    const StepReport expected = cpu->step(batch, rate);
    step.run(packed(batch, rate));
    const OptimizerState<float> reported = step.optimizer();
    EXPECT_NEAR(reported.policy_loss, expected.policy_loss, 1e-4f);
    EXPECT_NEAR(reported.value_loss, expected.value_loss, 1e-4f);
    EXPECT_NEAR(reported.gradient_norm, expected.gradient_norm, 1e-3f * expected.gradient_norm);
    EXPECT_EQ(reported.skipped, 0u);
  }
  const TrainerState mine = step.state(), theirs = cpu->state();
  EXPECT_EQ(mine.steps, theirs.steps);
  for (const auto part : {&TrainerState::weights, &TrainerState::ema}) {
    for (std::size_t i = 0; i < mine.weights.size(); ++i) {
      // Adam turns a tiny difference of a gradient near zero into one of the size of a step.
      EXPECT_NEAR((mine.*part)[i], (theirs.*part)[i], 5e-3f) << i;
    }
  }
}

TEST_P(DeviceStepTest, AStepThatIsNotFiniteIsUndone) {
  const auto& [name, spec, samples] = GetParam();
  const TrainBatch::Shape shape = batch_shape(spec, samples);
  DeviceStep<HostDevice, float, float> step(device_, spec, shape, kSettings, 0);
  step.restore(initial_state(random_parameters<float>(spec, 2)));
  const TrainBatch batch = random_batch(spec, samples, 1);
  step.run(packed(batch, 1e-3f));
  const TrainerState before = step.state();
  for (const float bad :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    step.run(packed(batch, bad));
    EXPECT_EQ(step.optimizer().skipped, 1u);
    EXPECT_EQ(step.state().steps, 1u);
    EXPECT_EQ(step.state().weights, before.weights);
    EXPECT_EQ(step.state().second_moment, before.second_moment);
  }
  step.run(packed(batch, 1e-3f));
  EXPECT_EQ(step.optimizer().skipped, 0u);
  EXPECT_EQ(step.state().steps, 2u);
}

// Launches per step: three products for each Linear, one fewer for the first; a forward and a
// backward kernel for each norm; a loss for each head; the inputs, two remaining biases, the sums,
// and three kernels of the optimiser.
TEST(DeviceStep, TakesAsFewLaunchesAsThis) {
  const SampleShape samples{.rows = 40};
  const NetworkSpec spec = small_spec(16, 3, 2, 1);  // blocks, policy layers, value layers
  const TrainBatch batch = random_batch(spec, samples, 1);
  HostDevice device;
  DeviceStep<HostDevice, float, float> step(device, spec, batch.shape(), kSettings, 0);
  step.restore(initial_state(random_parameters<float>(spec, 2)));
  std::vector<std::byte> memory(packed_bytes(batch.shape()));
  pack(batch, 1e-3f, memory);
  constexpr std::size_t kLinears = 1 + 3 * 2 + 3 + 2, kNorms = 1 + 3 * 2 + 1 + 2 + 1;
  step.run({memory.data()});
  EXPECT_EQ(device.launches(), 3 * kLinears - 1 + 2 * kNorms + 2 + 1 + 2 + 1 + 3);
}

// A loss scale that is too large causes non-finite values, which cost one step and nothing else.
TEST(LossScale, FindsItsSizeAndChangesNothing) {
  const GradientCase of = cases().front();
  const TrainBatch::Shape shape = batch_shape(of.spec, of.samples);
  HostDevice device;
  DeviceStep<HostDevice, float, float> plain(device, of.spec, shape, kSettings, 0);
  DeviceStep<HostDevice, float, float> scaled(device, of.spec, shape, kSettings, 3);
  for (auto* const step : {&plain, &scaled}) {
    step->restore(initial_state(random_parameters<float>(of.spec, 2)));
  }
  EXPECT_EQ(scaled.optimizer().loss_scale, static_cast<float>(kLargestLossScale));
  std::vector<std::byte> memory(packed_bytes(shape));
  TrainBatch bad(shape);
  bad.add([](FeatureRow& row) { row.add(0, std::numeric_limits<float>::infinity()); })[0] = 1;
  pack(bad, 1e-3f, memory);
  scaled.run({memory.data()});
  EXPECT_EQ(scaled.optimizer().loss_scale, static_cast<float>(kLargestLossScale / 2));
  for (std::uint64_t i = 0; i < 6; ++i) {
    pack(random_batch(of.spec, of.samples, i), 1e-3f, memory);
    for (auto* const step : {&plain, &scaled}) step->run({memory.data()});
    EXPECT_NEAR(plain.optimizer().gradient_norm, scaled.optimizer().gradient_norm, 1e-5f);
  }
  EXPECT_EQ(scaled.optimizer().loss_scale, static_cast<float>(kLargestLossScale));
  const TrainerState a = plain.state(), b = scaled.state();
  for (std::size_t i = 0; i < a.weights.size(); ++i) {
    EXPECT_NEAR(a.weights[i], b.weights[i], 1e-3f);
  }
}

}  // namespace
}  // namespace senet
