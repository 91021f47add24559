// The CPU backend of trainer.hpp: gradient, norm and AdamW step.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <deque>
#include <vector>

#include "engine/lanes/thread_team.hpp"
#include "nn/aligned_vector.hpp"
#include "train_bridge/adamw.hpp"
#include "train_bridge/backward_pass.hpp"
#include "train_bridge/row_kernels.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {
namespace {

// A batch that fills every list of the shape, so that a step on it touches all memory that a step
// can touch.
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

// Works with a first layer whose weight is by feature, as is all of its state: [features, outputs]
// in place of the plan's [outputs, features].
class CpuTrainer final : public Trainer {
 public:
  CpuTrainer(const Network& start, const TrainBatch::Shape& shape, const TrainerSettings& settings)
      : spec_(start.spec()),
        shape_(shape),
        settings_(settings),
        team_(settings.threads),
        input_(LayerPlan(spec_).layers.front()),
        optimizer_(spec_, by_feature(start.parameters()), settings) {
    for (std::size_t i = 0; i < team_.members(); ++i) {
      parts_.emplace_back(spec_, shape, start.parameters().size());
    }
  }

  std::string_view name() const override { return "cpu"; }

  void warm_up() override {
    const TrainerState before = state();
    step(fullest_batch(spec_, shape_), 0.0f);
    [[maybe_unused]] const Result<void> restored = restore(before);
    assert(restored);
  }

  StepReport step(const TrainBatch& batch, float learning_rate) override {
    assert(batch.size() >= 1 && batch.size() <= shape_.rows);
    const Losses losses = find_gradient(batch);
    const double norm = add_up_gradient();
    StepReport report{.policy_loss = static_cast<float>(losses.policy),
                      .value_loss = static_cast<float>(losses.value),
                      .gradient_norm = static_cast<float>(norm)};
    report.skipped = !std::isfinite(norm) || !std::isfinite(losses.policy) ||
                     !std::isfinite(losses.value) || !std::isfinite(learning_rate);
    if (!report.skipped) optimizer_.step(parts_[0].gradient, norm, learning_rate, team_);
    return report;
  }

  Network served(PlayWeights which) const override {
    const TrainerState& state = optimizer_.state();
    const auto values = in_plan_order(which == PlayWeights::kAverage ? state.ema : state.weights);
    return Network(spec_, std::vector<float>(values.begin(), values.end()));
  }

  Result<void> check() const override {
    const TrainerState& state = optimizer_.state();
    return check_state(state, state.weights.size());
  }

  TrainerState state() const override {
    TrainerState state = optimizer_.state();
    for (const StateTensor& tensor : kStateTensors) {
      state.*tensor.values = in_plan_order(state.*tensor.values);
    }
    return state;
  }
  Result<void> restore(const TrainerState& state) override {
    if (const auto fits = check_state(state, optimizer_.state().weights.size()); !fits) return fits;
    TrainerState own = state;
    for (const StateTensor& tensor : kStateTensors) {
      own.*tensor.values = by_feature(state.*tensor.values);
    }
    return optimizer_.restore(own);
  }

 private:
  /// Parameters with the first layer's weight by feature, and back.
  AlignedVector<float> by_feature(std::span<const float> plain) const {
    return turned(plain, input_.inputs, input_.outputs);
  }
  AlignedVector<float> in_plan_order(std::span<const float> own) const {
    return turned(own, input_.outputs, input_.inputs);
  }
  AlignedVector<float> turned(std::span<const float> from, std::size_t rows,
                              std::size_t columns) const {
    AlignedVector<float> to(from.begin(), from.end());
    RowKernels<float>::transpose(from.data() + input_.weight, rows, columns,
                                 to.data() + input_.weight);
    return to;
  }

  /// The working memory of one thread.
  struct Part {
    Part(const NetworkSpec& spec, const TrainBatch::Shape& shape, std::size_t parameters)
        : network(spec, shape, true), gradient(parameters) {}
    TrainNetwork<float> network;
    AlignedVector<float> gradient;
    Losses losses;
    double squares = 0;
  };

  // Each thread handles a share of the rows.
  Losses find_gradient(const TrainBatch& batch) {
    const LossWeights weights{static_cast<double>(settings_.policy_weight),
                              static_cast<double>(settings_.value_weight)};
    team_.run([&](std::size_t member) {
      Part& part = parts_[member];
      part.losses =
          part.network.gradient(optimizer_.state().weights, batch,
                                team_.share(batch.size(), 1, member), weights, part.gradient);
    });
    Losses sum;
    for (const Part& part : parts_) {
      sum.policy += part.losses.policy;
      sum.value += part.losses.value;
    }
    return sum;
  }

  // Adds the gradients of all parts to the first, each thread for a share of the parameters.
  // Returns the norm.
  double add_up_gradient() {
    team_.run([&](std::size_t member) {
      const std::span<float> sum = parts_[0].gradient;
      const Share mine = team_.share(sum.size(), kLineBytes / sizeof(float), member);
      float* const to = sum.data() + mine.begin;
      for (std::size_t i = 1; i < parts_.size(); ++i) {
        RowKernels<float>::add_row(to, parts_[i].gradient.data() + mine.begin, 1, mine.size(), to);
      }
      parts_[member].squares = sum_of_squares({to, mine.size()});
    });
    double squares = 0;
    for (const Part& part : parts_) squares += part.squares;
    return std::sqrt(squares);
  }

  NetworkSpec spec_;
  TrainBatch::Shape shape_;
  TrainerSettings settings_;
  ThreadTeam team_;
  Layer input_;             // the first
  std::deque<Part> parts_;  // one per thread
  AdamW optimizer_;
};

}  // namespace

std::unique_ptr<Trainer> make_cpu_trainer(const Network& start, const TrainBatch::Shape& shape,
                                          const TrainerSettings& settings) {
  return std::make_unique<CpuTrainer>(start, shape, settings);
}

}  // namespace senet
