// Random networks and batches for the trainers' tests and benchmark.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "games/random.hpp"
#include "nn/layer_plan.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// The shape of the random samples of a batch.
struct SampleShape {
  std::size_t rows = 12;
  std::size_t active = 5;  // non-zero features per row; at most spec.features
  std::size_t legal = 4;   // legal actions per row: 1 .. legal at random, or exactly this many
  bool vary_legal = true;
  std::size_t logits_per_action = 1;  // an action uses 1 .. this many at random; the rest is padded
  std::size_t without_policy = 0;     // every n-th row lacks the policy target; 0: none
};

inline TrainBatch::Shape batch_shape(const NetworkSpec& spec, const SampleShape& samples) {
  return {.rows = samples.rows,
          .max_active = samples.active,
          .max_legal = samples.legal,
          .logits_per_action = samples.logits_per_action,
          .outcomes = spec.outcomes,
          .action_room = samples.rows * samples.legal};
}

/// A distribution of uneven random probabilities.
inline std::vector<float> random_distribution(std::size_t size, Random& random) {
  std::vector<float> values(size);
  random.dirichlet(1.0f, values);
  return values;
}

/// Appends one random sample of random weight; features are distinct, logits of different actions
/// may be shared.
inline void add_sample(const NetworkSpec& spec, const SampleShape& samples, bool has_policy,
                       Random& random, TrainBatch& batch) {
  std::vector<std::uint16_t> features(spec.features);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<std::uint16_t>(i);
  const float weight = Random(random).uniform() + 0.5f;  // the other draws stay as they are
  const std::span<float> outcomes = batch.add(
      [&](FeatureRow& row) {
        for (std::size_t i = 0; i < samples.active; ++i) {
          const std::size_t left = features.size() - i;
          std::swap(features[i], features[i + random.below(static_cast<std::uint32_t>(left))]);
          row.add(features[i], random.uniform() + 0.25f);
        }
      },
      weight);
  std::ranges::copy(random_distribution(spec.outcomes, random), outcomes.begin());
  if (!has_policy) return;
  const std::size_t legal = samples.vary_legal
                                ? 1 + random.below(static_cast<std::uint32_t>(samples.legal))
                                : samples.legal;
  std::vector<std::uint16_t> logits(samples.logits_per_action);
  for (const float target : random_distribution(legal, random)) {
    const std::size_t used =
        1 + random.below(static_cast<std::uint32_t>(samples.logits_per_action));
    for (std::size_t i = 0; i < logits.size(); ++i) {
      logits[i] =
          i < used ? static_cast<std::uint16_t>(random.below(spec.policy_logits)) : kNoLogit;
    }
    batch.add_action(target, logits);
  }
}

/// A full batch of random samples.
inline TrainBatch random_batch(const NetworkSpec& spec, const SampleShape& samples,
                               std::uint64_t seed) {
  TrainBatch batch(batch_shape(spec, samples));
  for (std::size_t row = 0; row < samples.rows; ++row) {
    Random random(seed, row, 0, Purpose::kTest);
    const bool has_policy =
        samples.without_policy == 0 || row % samples.without_policy != samples.without_policy - 1;
    add_sample(spec, samples, has_policy, random, batch);
  }
  return batch;
}

/// Random parameters without special values: no small last layers, norms away from 1 and 0.
template <class Real>
std::vector<Real> random_parameters(const LayerPlan& plan, std::uint64_t seed) {
  Random random(seed, 0, 1, Purpose::kTest);
  std::vector<Real> parameters(plan.parameters);
  for (const TensorPlace& place : plan.tensors) {
    const bool is_scale = std::ranges::any_of(plan.layers, [&](const Layer& layer) {
      return layer.kind == LayerKind::kNormRelu && layer.weight == place.offset;
    });
    const float spread =
        place.rows > 1 ? 1.5f / std::sqrt(static_cast<float>(place.columns)) : 0.3f;
    for (std::size_t i = 0; i < place.size(); ++i) {
      parameters[place.offset + i] =
          static_cast<Real>((is_scale ? 1.0f : 0.0f) + spread * random.normal());
    }
  }
  return parameters;
}

}  // namespace senet
