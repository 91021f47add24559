// The interface of network trainers on any hardware: batches in, weights out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "games/settings.hpp"
#include "nn/aligned_vector.hpp"
#include "nn/network.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

struct TrainerSettings {
  float weight_decay = 1e-4f;  // decoupled (AdamW, Loshchilov and Hutter 2019), Linear weights only
  float beta1 = 0.9f;          // Adam (Kingma and Ba 2015)
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  // Decay of the exponential moving average of the weights, which is used for play. The decay after
  // t steps is at most (1 + t) / (10 + t): until it reaches this value, the average covers about
  // the last ninth of the steps.
  float ema_decay = 0.9999f;
  float gradient_clip = 1.0f;  // maximum global gradient norm; larger gradients are scaled down
  float policy_weight = 1.0f;  // weights of the two cross entropies in the loss
  float value_weight = 1.0f;
  // Threads of a step on the CPU; at least 1. Steps are repeatable for the same number of threads.
  std::size_t threads = 1;
};

constexpr auto settings_of(std::type_identity<TrainerSettings>) {
  using S = TrainerSettings;
  return std::tuple{
      setting("trainer-threads", &S::threads, "threads per training step on the CPU",
              {.least = 1, .most = 64}),
      setting("weight-decay", &S::weight_decay, "AdamW weight decay", {.least = 0}),
      setting("ema", &S::ema_decay, "decay of the moving average of weights that is used for play",
              {.least = 0, .most = 1, .below_most = true}),
      setting("clip", &S::gradient_clip, "maximum gradient norm",
              {.least = 0, .above_least = true}),
      setting("policy-weight", &S::policy_weight, "weight of the policy loss", {.least = 0}),
      setting("value-weight", &S::value_weight, "weight of the value loss", {.least = 0}),
  };
}

constexpr std::string_view settings_heading(std::type_identity<TrainerSettings>) {
  return "Training";
}

/// The report of one step. Losses are means over the rows that have the target, times the rows'
/// weights, before the update.
struct StepReport {
  float policy_loss = 0;    // cross entropy in nats, over the batch's actions only
  float value_loss = 0;     // cross entropy in nats
  float gradient_norm = 0;  // before clipping
  bool skipped = false;     // a value was not finite: weights and moments are unchanged
};

/// The state that a trainer carries from step to step; each vector has parameter_count(spec)
/// values.
struct TrainerState {
  AlignedVector<float> weights, ema, first_moment, second_moment;
  std::uint64_t steps = 0;
};

/// One tensor of a TrainerState.
struct StateTensor {
  const char* name;
  AlignedVector<float> TrainerState::*values;
};

/// All of them, in checkpoint order.
inline constexpr std::array kStateTensors = {
    StateTensor{"weights", &TrainerState::weights},
    StateTensor{"ema", &TrainerState::ema},
    StateTensor{"first_moment", &TrainerState::first_moment},
    StateTensor{"second_moment", &TrainerState::second_moment},
};

/// Fails unless every tensor has `parameters` values, all finite.
Result<void> check_state(const TrainerState& state, std::size_t parameters);

/// The initial state of a trainer with these weights.
inline TrainerState initial_state(std::span<const float> weights) {
  const AlignedVector<float> values(weights.begin(), weights.end()), none(weights.size());
  return {values, values, none, none, 0};
}

/// The cost of a step where it is known: on a device, after warm_up(). Zeros elsewhere.
struct StepCost {
  std::size_t kernels = 0;     // launches per step
  double flop_per_second = 0;  // dense roofline of the device's matrix products
};

/// A network in training. Used by one thread at a time. Functions that return a T return an
/// Outcome<T>: T itself where nothing can fail, or Result<T>.
template <template <class> class Outcome>
class TrainerOf {
 public:
  virtual ~TrainerOf() = default;
  virtual std::string_view name() const = 0;  // "cpu", "cuda"
  virtual StepCost step_cost() const { return {}; }

  /// Runs one step on dummy data of the largest size and undoes it, so that everything that is
  /// built lazily (threads, kernels, graphs) exists before self-play depends on it.
  virtual Outcome<void> warm_up() = 0;

  /// One optimiser step. batch.size() >= 1 and within the shape given at construction.
  virtual Outcome<StepReport> step(const TrainBatch& batch, float learning_rate) = 0;

  /// Whether the trainer keeps the replay's samples. The caller must then pass every added sample
  /// to keep(), and a step only has to name its samples. May become false, and then stays false.
  virtual bool keeps_samples() const { return false; }
  /// Keeps the current content of `place` of the replay: the sample and, in a game with mirror
  /// images, its mirror image, one row of `images` each, with equal numbers of actions. Places are
  /// below the room that the trainer was made for. Requires keeps_samples().
  virtual Outcome<void> keep(std::uint32_t /*place*/, const TrainBatch& /*images*/) {
    return Outcome<void>();
  }
  /// Does the step() on the batch that ReplayBuffer::encode() would make of `drawn`. Returns
  /// nothing, and does no step, when not all samples are kept: the caller then encodes the batch.
  virtual Outcome<std::optional<StepReport>> step_kept(std::span<const DrawnSample> /*drawn*/,
                                                       float /*learning_rate*/) {
    return std::optional<StepReport>();
  }

  virtual Outcome<TrainerState> state() const = 0;
  /// Continues from a saved state; fails when its sizes do not match.
  virtual Result<void> restore(const TrainerState& state) = 0;
};

template <class T>
using Always = T;

/// The weights of a trainer that play: the moving average, or those after the last step.
enum class PlayWeights : std::uint8_t { kAverage, kCurrent };

constexpr std::array<Named<PlayWeights>, 2> names_of(std::type_identity<PlayWeights>) {
  return {{{"average", PlayWeights::kAverage}, {"current", PlayWeights::kCurrent}}};
}

/// A trainer that never fails.
class Trainer : public TrainerOf<Always> {
 public:
  /// A network for play. Allocates a copy.
  virtual Network served(PlayWeights which) const = 0;
  /// Fails unless all values of the state are finite.
  virtual Result<void> check() const = 0;
};

/// These weights of a state.
inline Network network_of(const NetworkSpec& spec, const TrainerState& state, PlayWeights which) {
  const auto& weights = which == PlayWeights::kAverage ? state.ema : state.weights;
  return Network(spec, {weights.begin(), weights.end()});
}

/// CPU backend: the matrix products of the forward pass's kernels, hand-written fused backward
/// pass, one TrainNetwork per thread, no allocation per step. Runs on the calling thread and on
/// settings.threads - 1 others. `start` is only read during this call; settings.gradient_clip is
/// above 0.
std::unique_ptr<Trainer> make_cpu_trainer(const Network& start, const TrainBatch::Shape& shape,
                                          const TrainerSettings& settings);

/// A trainer that may fail at any call; after a failure it must not be used. A step may return the
/// report of the previous step, and fail when that one failed.
class DeviceTrainer : public TrainerOf<Result> {
 public:
  /// From now on keeps the samples of a replay of this size; call before warm_up(). Fails, with the
  /// reason, when the device cannot; the trainer remains usable.
  virtual Result<void> keep_replay(const ReplayRoom& /*room*/) {
    return fail("this device cannot keep samples");
  }
};

/// A trainer that continues on the CPU when its device fails, from the last state fetched from it:
/// at most `steps_at_risk` steps are lost, no more than when resuming from a checkpoint. Samples
/// kept on the device are lost with it, but the replay buffer has them all. `lost` is called with
/// the reason, once. `make_spare` makes the CPU trainer.
std::unique_ptr<Trainer> make_failover_trainer(std::unique_ptr<DeviceTrainer> device,
                                               const Network& start, std::size_t steps_at_risk,
                                               std::function<std::unique_ptr<Trainer>()> make_spare,
                                               std::function<void(const std::string& reason)> lost);

}  // namespace senet
