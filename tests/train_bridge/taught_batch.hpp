// Batches that can be learned: a fixed linear teacher gives the targets of random features.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tests/train_bridge/sample_batch.hpp"

namespace senet {

/// Provides the targets of any sample. A network in training approaches it with every batch.
class Teacher {
 public:
  explicit Teacher(const NetworkSpec& spec)
      : spec_(spec), tables_(spec.features * (spec.policy_logits + spec.outcomes)) {
    Random random(5, 0, 2, Purpose::kTest);
    for (float& value : tables_) value = random.normal();
  }

  /// A full batch of samples whose actions have one logit each, all different within a sample.
  TrainBatch batch(const SampleShape& samples, std::uint64_t seed) const {
    TrainBatch batch(batch_shape(spec_, samples));
    std::vector<std::uint16_t> actions(spec_.policy_logits);
    for (std::size_t i = 0; i < actions.size(); ++i) actions[i] = static_cast<std::uint16_t>(i);
    std::vector<float> legal(samples.legal);
    for (std::size_t row = 0; row < samples.rows; ++row) {
      Random random(seed, row, 3, Purpose::kTest);
      const std::span<float> outcomes = batch.add([&](FeatureRow& features) {
        // One feature from each of `active` disjoint ranges, so that none repeats.
        const std::size_t share = spec_.features / samples.active;
        for (std::size_t i = 0; i < samples.active; ++i) {
          features.add(i * share + random.below(static_cast<std::uint32_t>(share)), 1.0f);
        }
      });
      for (std::size_t k = 0; k < outcomes.size(); ++k) {
        outcomes[k] = score(batch.index(row), spec_.policy_logits + k);
      }
      to_probabilities(outcomes);
      for (std::size_t i = 0; i < samples.legal; ++i) {
        const std::size_t left = actions.size() - i;
        std::swap(actions[i], actions[i + random.below(static_cast<std::uint32_t>(left))]);
        legal[i] = score(batch.index(row), actions[i]);
      }
      to_probabilities(legal);
      for (std::size_t i = 0; i < samples.legal; ++i) batch.add_action(legal[i], {&actions[i], 1});
    }
    return batch;
  }

 private:
  float score(std::span<const std::uint16_t> features, std::size_t output) const {
    float sum = 0;
    for (const std::uint16_t feature : features) {
      sum += tables_[feature * (spec_.policy_logits + spec_.outcomes) + output];
    }
    return sum;
  }
  static void to_probabilities(std::span<float> scores) {
    float sum = 0;
    for (float& score : scores) sum += score = std::exp(score);
    for (float& score : scores) score /= sum;
  }

  NetworkSpec spec_;
  std::vector<float> tables_;  // [features, logits and outcomes]
};

}  // namespace senet
