// The CPU backend of trainer.hpp: one gradient, one norm, one AdamW step.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "nn/aligned_vector.hpp"
#include "train_bridge/adamw.hpp"
#include "train_bridge/row_kernels.hpp"
#include "train_bridge/train_network.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {
namespace {

// A batch that fills every list of the shape, so that a step on it touches all memory a step can
// touch.
TrainBatch fullest_batch(const NetworkSpec& spec, const TrainBatch::Shape& shape) {
  TrainBatch batch(shape);
  const std::size_t active = std::min<std::size_t>(shape.max_active, spec.features);
  std::vector<std::uint16_t> logits(shape.logits_per_action);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const std::span<float> outcomes = batch.add([&](FeatureRow& features) {
      for (std::size_t i = 0; i < active; ++i) features.add(i, 1.0f);
    });
    std::fill(outcomes.begin(), outcomes.end(), 1.0f / static_cast<float>(outcomes.size()));
    const std::size_t actions =
        std::min(shape.max_legal, (shape.action_room - batch.actions()) / (shape.rows - row));
    for (std::size_t action = 0; action < actions; ++action) {
      for (std::size_t i = 0; i < logits.size(); ++i) {
        logits[i] = static_cast<std::uint16_t>((action + row + i) % spec.policy_logits);
      }
      batch.add_action(1.0f / static_cast<float>(actions), logits);
    }
  }
  return batch;
}

class CpuTrainer final : public Trainer {
 public:
  CpuTrainer(const Network& start, const TrainBatch::Shape& shape, const TrainerSettings& settings)
      : spec_(start.spec()),
        shape_(shape),
        settings_(settings),
        network_(spec_, shape),
        optimizer_(spec_, start.parameters(), settings),
        gradient_(start.parameters().size()) {}

  std::string_view name() const override { return "cpu"; }

  void warm_up() override {
    const TrainerState before = state();
    step(fullest_batch(spec_, shape_), 0.0f);
    [[maybe_unused]] const Result<void> restored = restore(before);
    assert(restored);
  }

  StepReport step(const TrainBatch& batch, float learning_rate) override {
    assert(batch.size() >= 1 && batch.size() <= shape_.rows);
    const Losses losses = network_.gradient(optimizer_.weights(), batch, settings_.policy_weight,
                                            settings_.value_weight, gradient_);
    const double norm = std::sqrt(sum_of_squares(gradient_));
    StepReport report{.policy_loss = static_cast<float>(losses.policy),
                      .value_loss = static_cast<float>(losses.value),
                      .gradient_norm = static_cast<float>(norm)};
    report.skipped = !std::isfinite(norm) || !std::isfinite(losses.policy) ||
                     !std::isfinite(losses.value) || !std::isfinite(learning_rate);
    if (!report.skipped) optimizer_.step(gradient_, norm, learning_rate);
    return report;
  }

  Network served() const override {
    const std::span<const float> average = optimizer_.average();
    return Network(spec_, std::vector<float>(average.begin(), average.end()));
  }

  TrainerState state() const override { return optimizer_.state(); }
  Result<void> restore(const TrainerState& state) override { return optimizer_.restore(state); }

 private:
  NetworkSpec spec_;
  TrainBatch::Shape shape_;
  TrainerSettings settings_;
  TrainNetwork<float> network_;
  AdamW optimizer_;
  AlignedVector<float> gradient_;
};

}  // namespace

std::unique_ptr<Trainer> make_cpu_trainer(const Network& start, const TrainBatch::Shape& shape,
                                          const TrainerSettings& settings) {
  return std::make_unique<CpuTrainer>(start, shape, settings);
}

}  // namespace senet
