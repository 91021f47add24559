// The trainers support any layer plan: gradients of a network that no specification produces.
#include "tests/nn/odd_plan.hpp"
#include "tests/effort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

#include "tests/train_bridge/host_device.hpp"
#include "tests/train_bridge/sample_batch.hpp"
#include "train_bridge/backward_pass.hpp"
#include "train_bridge/device/device_step.hpp"
#include "train_bridge/gradient_plan.hpp"

namespace senet {
namespace {

constexpr LossWeights kWeights{.policy = 0.75, .value = 1.25};
constexpr SampleShape kOddSamples{.rows = 9, .logits_per_action = 2, .without_policy = 3};

class OddPlan : public ::testing::Test {
 protected:
  OddPlan() {
    NetworkSpec ends;  // for the samples
    ends.features = plan_.features;
    ends.policy_logits = plan_.size_of(plan_.policy);
    ends.outcomes = plan_.size_of(plan_.outcomes);
    batch_ = random_batch(ends, kOddSamples, 1);
    TrainNetwork<double>(plan_, batch_.shape())
        .gradient(parameters_, batch_, {0, batch_.size()}, kWeights, gradient_);
  }

  const LayerPlan plan_ = odd_plan();
  std::vector<double> parameters_ = random_parameters<double>(plan_, 2);
  std::vector<double> gradient_ = std::vector<double>(plan_.parameters);
  TrainBatch batch_{{}};
};

TEST_F(OddPlan, GradientMatchesCentralDifferences) {
  TrainNetwork<double> network(plan_, batch_.shape());
  double largest = 0;
  for (const double value : gradient_) largest = std::max(largest, std::abs(value));
  ASSERT_GT(largest, 0);
  std::vector<double> ignored(gradient_.size());
  constexpr double kStep = 1e-6;
  constexpr std::size_t kStride = 5 / effort<std::size_t>(5);  // under a sanitizer every fifth
  for (const TensorPlace& place : plan_.tensors) {
    for (std::size_t i = place.offset; i < place.offset + place.size(); i += kStride) {
      const auto loss_at = [&](double value) {
        const double before = std::exchange(parameters_[i], value);
        const Losses losses =
            network.gradient(parameters_, batch_, {0, batch_.size()}, kWeights, ignored);
        parameters_[i] = before;
        return kWeights.policy * losses.policy + kWeights.value * losses.value;
      };
      const double slope =
          (loss_at(parameters_[i] + kStep) - loss_at(parameters_[i] - kStep)) / (2 * kStep);
      ASSERT_NEAR(gradient_[i], slope, 1e-5 * std::max(std::abs(slope), 1e-3 * largest))
          << place.name << " [" << i - place.offset << "]";
    }
  }
}

TEST_F(OddPlan, GradientOnADeviceIsTheCpus) {
  std::vector<std::byte> memory(packed_bytes(batch_.shape()));
  pack(batch_, 0, memory);
  const std::vector<float> rounded(parameters_.begin(), parameters_.end());
  const std::vector<double> weights(rounded.begin(), rounded.end());
  TrainNetwork<double>(plan_, batch_.shape())
      .gradient(weights, batch_, {0, batch_.size()}, kWeights, gradient_);
  for (const Aside aside : {Aside::kAtOnce, Aside::kAsLateAsMayBe}) {
    HostDevice device(aside);
    DeviceStep<HostDevice, double, double> step(device, plan_, batch_.shape(),
                                                {.policy_weight = 0.75f, .value_weight = 1.25f}, 0);
    step.restore(initial_state(rounded));
    std::vector<double> gradient(weights.size());
    step.gradient({memory.data()}, gradient);
    double length = 0, off = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      length += gradient_[i] * gradient_[i];
      off += (gradient[i] - gradient_[i]) * (gradient[i] - gradient_[i]);
    }
    EXPECT_LT(std::sqrt(off / length), 1e-12);
  }
}

/// The buffers used by both the outcomes' and the policy's layers, except the fork's gradient.
std::vector<std::size_t> shared_by_branches(const LayerPlan& plan, bool outcomes_in_parallel) {
  const GradientPlan gradients(plan, {.activations_in_place = false,
                                      .policy_apart = false,
                                      .outcomes_in_parallel = outcomes_in_parallel});
  const auto numbers_of = [&](std::size_t begin, std::size_t end) {
    std::set<std::size_t> numbers;
    for (std::size_t i = begin; i < end; ++i) {
      numbers.insert({gradients.layers[i].d_in, gradients.layers[i].d_out});
    }
    numbers.erase(gradients.d_fork);
    numbers.erase(GradientPlan::kNone);
    return numbers;
  };
  const auto of_policy = numbers_of(plan.fork, plan.policy);
  const auto of_outcomes = numbers_of(plan.policy, plan.outcomes);
  std::vector<std::size_t> both;
  std::ranges::set_intersection(of_policy, of_outcomes, std::back_inserter(both));
  return both;
}

// On a device both run at the same time, which a run on the host cannot test.
TEST_F(OddPlan, BranchesBesideEachOtherShareTheForkAlone) {
  EXPECT_FALSE(shared_by_branches(plan_, false).empty());
  EXPECT_TRUE(shared_by_branches(plan_, true).empty());
}

}  // namespace
}  // namespace senet
