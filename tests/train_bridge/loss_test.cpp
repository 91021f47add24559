// The trainer's forward pass matches the engine's: its losses are recomputed from the outputs of
// the reference evaluator.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "nn/batch.hpp"
#include "nn/own_evaluators.hpp"
#include "tests/train_bridge/sample_batch.hpp"
#include "train_bridge/backward_pass.hpp"

namespace senet {
namespace {

// -sum of target * log softmax(logits)
double cross_entropy(const std::vector<double>& logits, const std::vector<double>& target) {
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit);
  double loss = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) loss -= target[i] * (logits[i] - std::log(sum));
  return loss;
}

Losses losses_by_evaluator(const Weights& weights, const TrainBatch& samples) {
  const NetworkSpec& spec = weights.spec();
  std::vector<std::uint16_t> every_logit(spec.policy_logits);
  std::iota(every_logit.begin(), every_logit.end(), std::uint16_t{0});
  ReferenceEvaluator evaluator(weights);
  Losses losses;
  std::size_t policy_rows = 0;
  for (std::size_t row = 0; row < samples.size(); ++row) {
    std::vector<float> outcomes(spec.outcomes), logits(spec.policy_logits);
    Batch batch(1, {.max_active = samples.shape().max_active});
    batch.add({.outcomes = outcomes, .wanted = every_logit, .logits = logits.data()},
              [&](FeatureRow& features) {
                for (std::size_t i = 0; i < samples.index(row).size(); ++i) {
                  features.add(samples.index(row)[i], samples.value(row)[i]);
                }
              });
    evaluator.forward(batch);

    const auto weight = static_cast<double>(samples.weight(row));
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      losses.value -= weight * static_cast<double>(samples.outcomes(row)[i]) *
                      std::log(static_cast<double>(outcomes[i]));
    }
    std::vector<double> action_logits, target;
    const std::size_t each = samples.shape().logits_per_action;
    for (const float share : samples.targets_of(row)) {
      double sum = 0;
      for (const auto logit : samples.logits_of(row).subspan(target.size() * each, each)) {
        if (logit != kNoLogit) sum += static_cast<double>(logits[logit]);
      }
      action_logits.push_back(sum);
      target.push_back(static_cast<double>(share));
    }
    if (action_logits.empty()) continue;
    losses.policy += weight * cross_entropy(action_logits, target);
    ++policy_rows;
  }
  losses.value /= static_cast<double>(samples.size());
  losses.policy /= static_cast<double>(policy_rows);
  return losses;
}

void expect_agreement(const NetworkSpec& spec, const SampleShape& samples) {
  const TrainBatch batch = random_batch(spec, samples, 1);
  const std::vector<float> weights = random_parameters<float>(spec, 2);
  const std::vector<double> parameters(weights.begin(), weights.end());
  std::vector<double> gradient(parameters.size());
  const Losses losses = TrainNetwork<double>(spec, batch.shape())
                            .gradient(parameters, batch, {0, batch.size()}, {}, gradient);
  const Losses expected = losses_by_evaluator(Weights(Network(spec, weights)), batch);
  EXPECT_NEAR(losses.policy, expected.policy, 1e-5 * expected.policy);
  EXPECT_NEAR(losses.value, expected.value, 1e-5 * expected.value);
}

TEST(Loss, AgreesWithTheReferenceEvaluator) {
  const NetworkSpec spec{
      .game = "test", .features = 20, .policy_logits = 15, .outcomes = 6, .width = 16, .blocks = 2};
  expect_agreement(spec, {.rows = 140});
  expect_agreement(spec, {.rows = 140, .legal = 9, .logits_per_action = 4, .without_policy = 3});
}

TEST(Loss, AgreesForOtherTowers) {
  const NetworkSpec spec{.game = "test",
                         .features = 20,
                         .policy_logits = 7,
                         .outcomes = 3,
                         .width = 12,
                         .blocks = 0,
                         .policy_layers = 0,
                         .value_layers = 2};
  expect_agreement(spec, {.rows = 30, .logits_per_action = 2});
}

}  // namespace
}  // namespace senet
