// The hand-written backward pass compared with finite differences, row by row with itself, and
// float with double.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/effort.hpp"
#include "tests/train_bridge/gradient_cases.hpp"
#include "train_bridge/backward_pass.hpp"

namespace senet {
namespace {

class GradientTest : public testing::TestWithParam<GradientCase> {};

INSTANTIATE_TEST_SUITE_P(Specs, GradientTest, testing::ValuesIn(gradient_cases()),
                         [](const auto& test) { return test.param.name; });

constexpr double kPolicyWeight = 0.7;
constexpr double kValueWeight = 1.3;

double loss(const Losses& losses) {
  return kPolicyWeight * losses.policy + kValueWeight * losses.value;
}

TEST_P(GradientTest, MatchesCentralDifferencesInEveryParameter) {
  const auto& [name, spec, samples] = GetParam();
  const TrainBatch batch = random_batch(spec, samples, 1);
  TrainNetwork<double> network(spec, batch.shape());
  std::vector<double> parameters = random_parameters<double>(spec, 2);
  std::vector<double> gradient(parameters.size()), ignored(parameters.size());
  network.gradient(parameters, batch, {0, batch.size()}, {kPolicyWeight, kValueWeight}, gradient);

  double largest = 0;
  for (const double value : gradient) largest = std::max(largest, std::abs(value));
  ASSERT_GT(largest, 0);
  constexpr double kStep = 1e-6;
  constexpr std::size_t kStride = 5 / effort<std::size_t>(5);  // under a sanitizer every fifth
  for (const TensorPlace& place : parameter_layout(spec)) {
    for (std::size_t i = place.offset; i < place.offset + place.size(); i += kStride) {
      const double at = parameters[i];
      const auto loss_at = [&](double value) {
        parameters[i] = value;
        return loss(network.gradient(parameters, batch, {0, batch.size()},
                                     {kPolicyWeight, kValueWeight}, ignored));
      };
      const double slope = (loss_at(at + kStep) - loss_at(at - kStep)) / (2 * kStep);
      parameters[i] = at;
      EXPECT_NEAR(gradient[i], slope, 1e-5 * std::max(std::abs(slope), 1e-3 * largest))
          << place.name << " [" << i - place.offset << "]";
    }
  }
}

// Losses are means over the rows that have the target, so a batch's gradient is a weighted sum of
// the gradients of its rows. Uses more rows than one pass.
TEST_P(GradientTest, IsTheMeanOverRows) {
  const auto& [name, spec, few] = GetParam();
  SampleShape samples = few;
  samples.rows = 300;
  const TrainBatch batch = random_batch(spec, samples, 3);
  TrainNetwork<double> network(spec, batch.shape());
  const std::vector<double> parameters = random_parameters<double>(spec, 4);
  std::vector<double> gradient(parameters.size()), one(parameters.size());
  const Losses losses = network.gradient(parameters, batch, {0, batch.size()},
                                         {kPolicyWeight, kValueWeight}, gradient);

  std::size_t with_policy = 0;
  for (std::size_t row = 0; row < samples.rows; ++row) {
    with_policy += batch.first_action(row + 1) > batch.first_action(row) ? 1 : 0;
  }
  const double rows = static_cast<double>(samples.rows);
  const double policy_rows = static_cast<double>(std::max<std::size_t>(1, with_policy));
  std::vector<double> sum(parameters.size());
  double policy_loss = 0;
  double value_loss = 0;
  for (std::size_t row = 0; row < samples.rows; ++row) {
    TrainBatch alone(batch.shape());
    Random random(3, row, 0, Purpose::kTest);
    add_sample(spec, samples, batch.first_action(row + 1) > batch.first_action(row), random, alone);
    const Losses part = network.gradient(parameters, alone, {0, alone.size()},
                                         {kPolicyWeight / policy_rows, kValueWeight / rows}, one);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i];
    policy_loss += part.policy / policy_rows;
    value_loss += part.value / rows;
  }
  EXPECT_NEAR(losses.policy, policy_loss, 1e-12);
  EXPECT_NEAR(losses.value, value_loss, 1e-12);
  for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(gradient[i], sum[i], 1e-12) << i;
}

// The contributions of shares of the rows add up to the whole.
TEST_P(GradientTest, IsTheSumOverShares) {
  const auto& [name, spec, few] = GetParam();
  SampleShape samples = few;
  samples.rows = 300;
  const TrainBatch batch = random_batch(spec, samples, 3);
  TrainNetwork<double> network(spec, batch.shape());
  const std::vector<double> parameters = random_parameters<double>(spec, 4);
  std::vector<double> gradient(parameters.size()), part(parameters.size()), sum(parameters.size());
  const LossWeights weights{kPolicyWeight, kValueWeight};
  const Losses losses = network.gradient(parameters, batch, {0, batch.size()}, weights, gradient);
  Losses losses_sum;
  for (const Share rows : {Share{0, 1}, Share{1, 200}, Share{200, 200}, Share{200, 300}}) {
    const Losses some = network.gradient(parameters, batch, rows, weights, part);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
    losses_sum.policy += some.policy;
    losses_sum.value += some.value;
  }
  EXPECT_NEAR(losses.policy, losses_sum.policy, 1e-12);
  EXPECT_NEAR(losses.value, losses_sum.value, 1e-12);
  for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(gradient[i], sum[i], 1e-12) << i;
}

// Relative distance of the float gradient from the double one.
double float_error(const NetworkSpec& spec, const SampleShape& samples, std::uint64_t seed) {
  const TrainBatch batch = random_batch(spec, samples, seed);
  const std::vector<float> parameters = random_parameters<float>(spec, seed);
  const std::vector<double> exact_parameters(parameters.begin(), parameters.end());
  std::vector<float> gradient(parameters.size());
  std::vector<double> exact(parameters.size());
  TrainNetwork<float>(spec, batch.shape())
      .gradient(parameters, batch, {0, batch.size()}, {}, gradient);
  TrainNetwork<double>(spec, batch.shape())
      .gradient(exact_parameters, batch, {0, batch.size()}, {}, exact);
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double off = static_cast<double>(gradient[i]) - exact[i];
    difference += off * off;
    norm += exact[i] * exact[i];
  }
  return std::sqrt(difference / norm);
}

// With the first layer's weight by feature, the gradient is the same, bit for bit.
TEST_P(GradientTest, DoesNotDependOnTheOrderOfTheFirstWeight) {
  const auto& [name, spec, samples] = GetParam();
  const TrainBatch batch = random_batch(spec, samples, 9);
  const std::vector<float> plain = random_parameters<float>(spec, 10);
  const Layer input = LayerPlan(spec).layers.front();
  const auto by_feature = [&](const std::vector<float>& from) {
    std::vector<float> to = from;
    for (std::size_t i = 0; i < input.outputs; ++i) {
      for (std::size_t k = 0; k < input.inputs; ++k) {
        to[input.weight + k * input.outputs + i] = from[input.weight + i * input.inputs + k];
      }
    }
    return to;
  };
  std::vector<float> gradient(plain.size()), turned(plain.size());
  const Share all{0, batch.size()};
  const Losses losses =
      TrainNetwork<float>(spec, batch.shape()).gradient(plain, batch, all, {}, gradient);
  const Losses same = TrainNetwork<float>(spec, batch.shape(), true)
                          .gradient(by_feature(plain), batch, all, {}, turned);
  EXPECT_EQ(turned, by_feature(gradient));
  EXPECT_EQ(losses.value, same.value);
  EXPECT_EQ(losses.policy, same.policy);
}

TEST_P(GradientTest, FloatAgreesWithDouble) {
  const auto& [name, spec, samples] = GetParam();
  EXPECT_LT(float_error(spec, samples, 5), 1e-5);
}

TEST(GradientOfReferenceSpec, FloatAgreesWithDouble) {
  const NetworkSpec spec{.game = "test", .features = 344, .policy_logits = 676, .outcomes = 6};
  const SampleShape samples{
      .rows = 200, .active = 30, .legal = 40, .logits_per_action = 2, .without_policy = 4};
  EXPECT_LT(float_error(spec, samples, 6), 1e-5);
}

// A nearly constant row before a LayerNorm has almost no variance: nothing may overflow or become
// NaN.
TEST(GradientOfFlatRows, IsFinite) {
  const NetworkSpec spec = small_spec(16, 2, 1, 1);
  const TrainBatch batch = random_batch(spec, {}, 7);
  std::vector<float> parameters = random_parameters<float>(spec, 8);
  for (const TensorPlace& place : parameter_layout(spec)) {
    if (!place.name.starts_with("input.linear")) continue;
    const bool is_bias = place.name.ends_with("bias");
    for (std::size_t i = 0; i < place.size(); ++i) {
      parameters[place.offset + i] = is_bias ? 1000.0f : 0.0f;
    }
  }
  std::vector<float> gradient(parameters.size());
  const Losses losses = TrainNetwork<float>(spec, batch.shape())
                            .gradient(parameters, batch, {0, batch.size()}, {}, gradient);
  EXPECT_TRUE(std::isfinite(losses.policy) && std::isfinite(losses.value));
  for (const float value : gradient) ASSERT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace senet
