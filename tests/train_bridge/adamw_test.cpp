// The optimiser compared with its formula in double.
#include "train_bridge/adamw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "games/random.hpp"
#include "tests/train_bridge/sample_batch.hpp"
#include "train_bridge/device/optimizer_bodies.hpp"

namespace senet {
namespace {

NetworkSpec spec() {
  return {
      .game = "test", .features = 5, .policy_logits = 4, .outcomes = 3, .width = 6, .blocks = 1};
}

std::vector<float> random_gradient(std::size_t size, std::uint32_t step, float size_of_values) {
  Random random(9, 0, step, Purpose::kTest);
  std::vector<float> gradient(size);
  for (float& value : gradient) value = size_of_values * random.normal();
  return gradient;
}

double norm_of(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

TEST(AdamW, FollowsItsFormula) {
  const TrainerSettings settings{.weight_decay = 0.1f, .ema_decay = 0.6f, .gradient_clip = 2.0f};
  const std::vector<float> start = random_parameters<float>(spec(), 1);
  AdamW optimizer(spec(), start, settings);
  ThreadTeam team(3);
  std::vector<double> weight(start.begin(), start.end()), average(weight);
  std::vector<double> first(start.size()), second(start.size());
  std::vector<bool> decays(start.size());
  for (const TensorPlace& place : parameter_layout(spec())) {
    for (std::size_t i = 0; i < place.size(); ++i) decays[place.offset + i] = place.decays;
  }
  const double beta1 = static_cast<double>(settings.beta1);
  const double beta2 = static_cast<double>(settings.beta2);

  for (std::uint32_t step = 1; step <= 20; ++step) {
    const std::vector<float> gradient =  // some are clipped, some are not
        random_gradient(start.size(), step, step % 2 == 0 ? 1.0f : 0.05f);
    const double norm = norm_of(gradient);
    const float rate = 0.01f * static_cast<float>(step);
    optimizer.step(gradient, norm, rate, team);
    const double decay = std::min(0.6, (1.0 + step) / (10.0 + step));
    for (std::size_t i = 0; i < start.size(); ++i) {
      const double g = static_cast<double>(gradient[i]) * std::min(1.0, 2.0 / norm);
      first[i] = beta1 * first[i] + (1 - beta1) * g;
      second[i] = beta2 * second[i] + (1 - beta2) * g * g;
      const double corrected = first[i] / (1 - std::pow(beta1, step));
      const double deviation = std::sqrt(second[i] / (1 - std::pow(beta2, step)));
      weight[i] -= static_cast<double>(rate) *
                   ((decays[i] ? 0.1 : 0.0) * weight[i] + corrected / (deviation + 1e-8));
      average[i] = decay * average[i] + (1 - decay) * weight[i];
    }
  }
  for (std::size_t i = 0; i < start.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(optimizer.state().weights[i]), weight[i], 2e-5) << i;
    EXPECT_NEAR(static_cast<double>(optimizer.state().ema[i]), average[i], 2e-5) << i;
  }
  EXPECT_EQ(optimizer.state().steps, 20u);
}

TEST(AdamW, AverageWarmsUp) {
  EXPECT_DOUBLE_EQ(ema_decay_at(0.999f, 1), 2.0 / 11.0);
  EXPECT_DOUBLE_EQ(ema_decay_at(0.999f, 90), 0.91);
  EXPECT_DOUBLE_EQ(ema_decay_at(0.999f, 1'000'000), static_cast<double>(0.999f));
  EXPECT_DOUBLE_EQ(ema_decay_at(0.0f, 1), 0.0);
}

// Moments must not become denormal when gradients become zero.
TEST(AdamW, MomentsDieOut) {
  const std::vector<float> start = random_parameters<float>(spec(), 1);
  AdamW optimizer(spec(), start, {});
  const std::vector<float> gradient = random_gradient(start.size(), 0, 0.01f);
  const std::vector<float> zero(start.size());
  ThreadTeam alone(1);
  optimizer.step(gradient, norm_of(gradient), 1e-3f, alone);
  for (int step = 0; step < 1000; ++step) optimizer.step(zero, 0, 1e-3f, alone);
  for (const float moment : optimizer.state().first_moment) EXPECT_EQ(moment, 0.0f);
}

TEST(AdamW, RefusesAStateThatDoesNotFit) {
  const std::vector<float> start = random_parameters<float>(spec(), 1);
  AdamW optimizer(spec(), start, {});
  TrainerState short_moment = optimizer.state();
  short_moment.second_moment.pop_back();
  const Result<void> refused = optimizer.restore(short_moment);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason().find("second_moment"), std::string::npos);

  TrainerState broken = optimizer.state();
  broken.weights[0] += 1;
  broken.ema[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(optimizer.restore(broken));
  EXPECT_TRUE(std::ranges::equal(optimizer.state().weights, start));  // nothing was changed
  EXPECT_TRUE(optimizer.restore(optimizer.state()));
}

}  // namespace
}  // namespace senet
