// The CPU trainer through its interface: it trains, resumes exactly, undoes its warm-up and
// survives invalid input.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/train_bridge/sample_batch.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {
namespace {

NetworkSpec six_outcomes() {
  return {.game = "test",
          .features = 40,
          .policy_logits = 30,
          .outcomes = 6,
          .width = 32,
          .blocks = 2,
          .policy_layers = 1};
}

constexpr SampleShape kWeightedSamples{
    .rows = 160, .active = 8, .legal = 6, .logits_per_action = 2, .without_policy = 5};

std::unique_ptr<Trainer> small_trainer(std::uint64_t seed, const TrainerSettings& settings = {}) {
  return make_cpu_trainer(initial_network(six_outcomes(), seed),
                          batch_shape(six_outcomes(), kWeightedSamples), settings);
}

void expect_same(const TrainerState& a, const TrainerState& b) {
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.ema, b.ema);
  EXPECT_EQ(a.first_moment, b.first_moment);
  EXPECT_EQ(a.second_moment, b.second_moment);
  EXPECT_EQ(a.steps, b.steps);
}

double entropy(std::span<const float> distribution) {
  double sum = 0;
  for (const float p : distribution) {
    if (p > 0) sum -= static_cast<double>(p) * std::log(static_cast<double>(p));
  }
  return sum;
}

// With few rows and enough width every target can be fitted, so the losses must reach the entropy
// of the targets, the lower bound of the cross entropy. One logit per action: shared logits would
// make targets conflict.
TEST(CpuTrainer, LearnsAFixedBatchByHeart) {
  const SampleShape samples{.rows = 48, .active = 8, .legal = 6, .without_policy = 4};
  TrainBatch batch(batch_shape(six_outcomes(), samples));
  double policy_entropy = 0;
  double value_entropy = 0;
  for (std::size_t row = 0; row < samples.rows; ++row) {
    Random random(11, row, 0, Purpose::kTest);
    const bool has_policy = row % samples.without_policy != 0;
    add_sample(six_outcomes(), samples, false, random, batch);
    const double weight = static_cast<double>(batch.weight(row));
    value_entropy += weight * entropy(batch.outcomes(row)) / static_cast<double>(samples.rows);
    if (!has_policy) continue;
    const std::vector<float> target = random_distribution(samples.legal, random);
    policy_entropy += weight * entropy(target) / (static_cast<double>(samples.rows) * 0.75);
    for (std::size_t action = 0; action < target.size(); ++action) {
      const std::uint16_t logit = static_cast<std::uint16_t>(action * 5 + row % 5);
      batch.add_action(target[action], {&logit, 1});
    }
  }
  const auto trainer =
      make_cpu_trainer(initial_network(six_outcomes(), 1), batch.shape(), {.weight_decay = 0});
  const StepReport first = trainer->step(batch, 3e-3f);
  EXPECT_GT(first.policy_loss, policy_entropy + 0.2);
  EXPECT_GT(first.value_loss, value_entropy + 0.2);
  StepReport last;
  for (int step = 0; step < 1500; ++step) {
    last = trainer->step(batch, step < 1000 ? 3e-3f : 3e-4f);
    ASSERT_FALSE(last.skipped);
  }
  EXPECT_NEAR(last.policy_loss, policy_entropy, 2e-3);
  EXPECT_NEAR(last.value_loss, value_entropy, 2e-3);
  EXPECT_GT(last.policy_loss, policy_entropy - 1e-5);
  EXPECT_GT(last.value_loss, value_entropy - 1e-5);
}

TEST(CpuTrainer, ContinuesBitIdenticallyFromAState) {
  const auto whole = small_trainer(1);
  const auto first_half = small_trainer(1);
  for (std::uint64_t step = 0; step < 5; ++step) {
    whole->step(random_batch(six_outcomes(), kWeightedSamples, step), 1e-3f);
    first_half->step(random_batch(six_outcomes(), kWeightedSamples, step), 1e-3f);
  }
  const auto second_half = small_trainer(2);  // other weights and its own history
  second_half->step(random_batch(six_outcomes(), kWeightedSamples, 99), 1e-2f);
  ASSERT_TRUE(second_half->restore(first_half->state()));
  for (std::uint64_t step = 5; step < 10; ++step) {
    const TrainBatch batch = random_batch(six_outcomes(), kWeightedSamples, step);
    const StepReport expected = whole->step(batch, 1e-3f);
    const StepReport resumed = second_half->step(batch, 1e-3f);
    EXPECT_EQ(expected.policy_loss, resumed.policy_loss);
    EXPECT_EQ(expected.value_loss, resumed.value_loss);
    EXPECT_EQ(expected.gradient_norm, resumed.gradient_norm);
  }
  expect_same(whole->state(), second_half->state());
  EXPECT_EQ(whole->served(PlayWeights::kAverage).id(),
            second_half->served(PlayWeights::kAverage).id());
}

// Threads share the rows of a step; only the order of the sums differs.
TEST(CpuTrainer, ThreadsChangeNoMoreThanTheOrderOfSums) {
  const auto alone = small_trainer(1);
  for (const std::size_t threads : {2, 3, 7}) {
    const auto team = small_trainer(1, {.threads = threads});
    const auto again = small_trainer(1, {.threads = threads});
    ASSERT_TRUE(team->restore(alone->state()));
    ASSERT_TRUE(again->restore(alone->state()));
    const auto reference = small_trainer(1);
    ASSERT_TRUE(reference->restore(alone->state()));
    for (std::uint64_t step = 0; step < 4; ++step) {
      const TrainBatch batch = random_batch(six_outcomes(), kWeightedSamples, step);
      const StepReport one = reference->step(batch, 1e-3f);
      const StepReport many = team->step(batch, 1e-3f);
      const StepReport same = again->step(batch, 1e-3f);
      EXPECT_NEAR(one.policy_loss, many.policy_loss, 1e-4f * one.policy_loss);
      EXPECT_NEAR(one.value_loss, many.value_loss, 1e-4f * one.value_loss);
      EXPECT_NEAR(one.gradient_norm, many.gradient_norm, 1e-4f * one.gradient_norm);
      EXPECT_EQ(many.gradient_norm, same.gradient_norm) << "repeatable for the same number";
    }
    expect_same(team->state(), again->state());
  }
}

TEST(CpuTrainer, WarmUpLeavesNoTrace) {
  const auto trainer = small_trainer(3);
  const auto warm = small_trainer(3);
  warm->warm_up();
  expect_same(trainer->state(), warm->state());
  const TrainBatch batch = random_batch(six_outcomes(), kWeightedSamples, 1);
  trainer->step(batch, 1e-3f);
  warm->step(batch, 1e-3f);
  warm->warm_up();
  expect_same(trainer->state(), warm->state());
}

TEST(CpuTrainer, SkipsAStepThatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const auto trainer = small_trainer(4);
  trainer->step(random_batch(six_outcomes(), kWeightedSamples, 1), 1e-3f);
  const TrainerState before = trainer->state();
  for (const float bad : {nan, infinity, -infinity}) {
    TrainBatch bad_feature(batch_shape(six_outcomes(), kWeightedSamples));
    const std::span<float> outcomes = bad_feature.add([&](FeatureRow& row) { row.add(3, bad); });
    outcomes[0] = 1;
    EXPECT_TRUE(trainer->step(bad_feature, 1e-3f).skipped) << "feature " << bad;

    TrainBatch bad_outcome(batch_shape(six_outcomes(), kWeightedSamples));
    bad_outcome.add([&](FeatureRow& row) { row.add(3, 1.0f); })[0] = bad;
    EXPECT_TRUE(trainer->step(bad_outcome, 1e-3f).skipped) << "outcome " << bad;

    TrainBatch bad_policy(batch_shape(six_outcomes(), kWeightedSamples));
    bad_policy.add([&](FeatureRow& row) { row.add(3, 1.0f); })[0] = 1;
    bad_policy.add_action(bad, std::vector<std::uint16_t>{0, kNoLogit});
    bad_policy.add_action(0.5f, std::vector<std::uint16_t>{1, kNoLogit});
    EXPECT_TRUE(trainer->step(bad_policy, 1e-3f).skipped) << "policy target " << bad;

    EXPECT_TRUE(trainer->step(random_batch(six_outcomes(), kWeightedSamples, 2), bad).skipped)
        << "rate";
  }
  expect_same(trainer->state(), before);
  EXPECT_FALSE(trainer->step(random_batch(six_outcomes(), kWeightedSamples, 2), 1e-3f).skipped);
}

TEST(CpuTrainer, RowsWithoutPolicyTargetOnlyTeachTheValue) {
  SampleShape samples = kWeightedSamples;
  samples.without_policy = 1;
  const auto trainer = small_trainer(5, {.weight_decay = 0});
  const TrainerState before = trainer->state();
  const StepReport report = trainer->step(random_batch(six_outcomes(), samples, 1), 1e-2f);
  EXPECT_EQ(report.policy_loss, 0.0f);
  EXPECT_GT(report.value_loss, 0.0f);
  const TrainerState after = trainer->state();
  for (const TensorPlace& place : parameter_layout(six_outcomes())) {
    bool changed = false;
    for (std::size_t i = place.offset; i < place.offset + place.size(); ++i) {
      changed |= before.weights[i] != after.weights[i];
    }
    EXPECT_EQ(changed, !place.name.starts_with("policy.")) << place.name;
  }
}

TEST(CpuTrainer, ServesTheMovingAverageOrTheCurrentWeights) {
  const auto trainer = small_trainer(6);
  EXPECT_EQ(trainer->name(), "cpu");
  EXPECT_EQ(trainer->served(PlayWeights::kAverage).id(), initial_network(six_outcomes(), 6).id());
  trainer->step(random_batch(six_outcomes(), kWeightedSamples, 1), 1e-3f);
  const TrainerState state = trainer->state();
  const Network served = trainer->served(PlayWeights::kAverage);
  EXPECT_TRUE(std::ranges::equal(served.parameters(), state.ema));
  EXPECT_NE(state.ema, state.weights);
  const Network current = trainer->served(PlayWeights::kCurrent);
  EXPECT_TRUE(std::ranges::equal(current.parameters(), state.weights));
}

TEST(CpuTrainer, RefusesTheStateOfAnotherNetwork) {
  NetworkSpec other = six_outcomes();
  other.blocks = 1;
  const auto stranger =
      make_cpu_trainer(initial_network(other, 1), batch_shape(other, kWeightedSamples), {});
  const auto trainer = small_trainer(1);
  const TrainerState before = trainer->state();
  EXPECT_FALSE(trainer->restore(stranger->state()));
  expect_same(trainer->state(), before);
}

}  // namespace
}  // namespace senet
