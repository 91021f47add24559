// Checks for trainers on any device: gradients, final losses, repeatability.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "tests/train_bridge/gradient_cases.hpp"
#include "tests/train_bridge/taught_batch.hpp"
#include "train_bridge/backward_pass.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

using MakeDeviceTrainer = std::function<Result<std::unique_ptr<DeviceTrainer>>(
    const Network& start, const TrainBatch::Shape& shape, const TrainerSettings& settings)>;

/// A warmed-up trainer as in a run. Null, with a test failure, when it could not be made.
inline std::unique_ptr<DeviceTrainer> warm_trainer(const MakeDeviceTrainer& make,
                                                   const Network& start,
                                                   const TrainBatch::Shape& shape,
                                                   const TrainerSettings& settings) {
  auto trainer = make(start, shape, settings);
  if (!trainer) {
    ADD_FAILURE() << trainer.error().reason();
    return nullptr;
  }
  const Result<void> warm = (*trainer)->warm_up();
  EXPECT_TRUE(warm) << warm.error().reason();
  return warm ? std::move(*trainer) : nullptr;
}

/// The relative error of the device's gradient against the CPU's in double, which is tested against
/// finite differences; infinite when there was no gradient.
inline double gradient_error(const MakeDeviceTrainer& make, const GradientCase& of,
                             const std::vector<float>& weights) {
  constexpr TrainerSettings kSettings{.beta1 = 0,  // the first moment is then the last gradient
                                      .gradient_clip = 1e30f,
                                      .policy_weight = 0.7f,
                                      .value_weight = 1.3f};
  const TrainBatch batch = random_batch(of.spec, of.samples, 1);
  std::vector<double> expected(weights.size());
  TrainNetwork<double>(of.spec, batch.shape())
      .gradient(std::vector<double>(weights.begin(), weights.end()), batch, {0, batch.size()},
                {static_cast<double>(kSettings.policy_weight),
                 static_cast<double>(kSettings.value_weight)},
                expected);
  const auto trainer = warm_trainer(make, Network(of.spec, weights), batch.shape(), kSettings);
  if (!trainer) return INFINITY;
  // Half precision skips steps until its loss scale fits.
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto report = trainer->step(batch, 0);
    EXPECT_TRUE(report) << report.error().reason();
    const auto state = trainer->state();
    EXPECT_TRUE(state) << state.error().reason();
    if (!report || !state) return INFINITY;
    if (state->steps == 0) continue;
    EXPECT_TRUE(std::ranges::equal(state->weights, weights)) << "with a learning rate of 0";
    double length = 0, off = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double difference = static_cast<double>(state->first_moment[i]) - expected[i];
      length += expected[i] * expected[i];
      off += difference * difference;
    }
    return std::sqrt(off / length);
  }
  ADD_FAILURE() << "every step was skipped";
  return INFINITY;
}

inline NetworkSpec taught_spec() {
  return {.game = "test",
          .features = 40,
          .policy_logits = 30,
          .outcomes = 6,
          .width = 32,
          .blocks = 1,
          .policy_layers = 1};
}

/// Trains on the CPU and on the device, on the same batches of a teacher: over the last tenth of
/// the steps, the mean losses differ by less than the share `bound`.
inline void expect_same_losses(const MakeDeviceTrainer& make, std::size_t steps, double bound) {
  constexpr float kRate = 2e-3f;
  const SampleShape samples{.rows = 128, .active = 8, .legal = 6};
  const Network start = initial_network(taught_spec(), 1);
  const Teacher teacher(taught_spec());
  const TrainBatch::Shape shape = batch_shape(taught_spec(), samples);
  const auto cpu = make_cpu_trainer(start, shape, {});
  const auto device = warm_trainer(make, start, shape, {});
  ASSERT_TRUE(device);
  double first = 0, policy = 0, value = 0, device_policy = 0, device_value = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const TrainBatch batch = teacher.batch(samples, i);
    const StepReport of_cpu = cpu->step(batch, kRate);
    const auto of_device = device->step(batch, kRate);
    ASSERT_TRUE(of_device) << of_device.error().reason();
    if (i == 0) first = static_cast<double>(of_cpu.policy_loss + of_cpu.value_loss);
    // A device may report one step late: a difference of one batch over all these.
    if (i < steps - steps / 10) continue;
    policy += static_cast<double>(of_cpu.policy_loss);
    value += static_cast<double>(of_cpu.value_loss);
    device_policy += static_cast<double>(of_device->policy_loss);
    device_value += static_cast<double>(of_device->value_loss);
  }
  EXPECT_LT((policy + value) / static_cast<double>(steps / 10), 0.8 * first) << "it was trained";
  EXPECT_NEAR(device_policy / policy, 1, bound);
  EXPECT_NEAR(device_value / value, 1, bound);
}

/// Two trainers on the same batches give the same bits.
inline void expect_repeatable(const MakeDeviceTrainer& make, std::size_t steps) {
  const SampleShape samples{.rows = 77, .active = 8, .legal = 6, .without_policy = 3};
  const TrainBatch::Shape shape = batch_shape(taught_spec(), samples);
  const Network start = initial_network(taught_spec(), 2);
  std::vector<TrainerState> ends;
  for (int twice = 0; twice < 2; ++twice) {
    const auto trainer = warm_trainer(make, start, shape, {});
    ASSERT_TRUE(trainer);
    for (std::size_t i = 0; i < steps; ++i) {
      ASSERT_TRUE(trainer->step(random_batch(taught_spec(), samples, i), 3e-3f));
    }
    const auto end = trainer->state();
    ASSERT_TRUE(end) << end.error().reason();
    ends.push_back(*end);
  }
  EXPECT_GT(ends[0].steps, steps / 2);  // half precision skips some until its scale fits
  EXPECT_EQ(ends[0].steps, ends[1].steps);
  EXPECT_EQ(ends[0].weights, ends[1].weights);
  EXPECT_EQ(ends[0].ema, ends[1].ema);
  EXPECT_EQ(ends[0].first_moment, ends[1].first_moment);
  EXPECT_EQ(ends[0].second_moment, ends[1].second_moment);
}

}  // namespace senet
