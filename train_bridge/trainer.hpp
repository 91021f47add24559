// What trains a network, whatever it runs on: batches in, weights out.
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
  // Of the exponential moving average of the weights, which plays; at most (1 + t) / (10 + t) after
  // t steps: an average over about the last ninth of them, until that is longer than this.
  float ema_decay = 0.9999f;
  float gradient_clip = 1.0f;  // largest global gradient norm; larger ones are scaled down
  float policy_weight = 1.0f;  // weights of the two cross entropies in the loss
  float value_weight = 1.0f;
  std::size_t threads =
      1;  // of a step on the CPU; at least 1. Steps are repeatable for the same number
};

constexpr auto settings_of(std::type_identity<TrainerSettings>) {
  using S = TrainerSettings;
  return std::tuple{
      setting("trainer-threads", &S::threads, "threads of a training step",
              {.least = 1, .most = 64}),
      setting("weight-decay", &S::weight_decay, "AdamW weight decay", {.least = 0}),
      setting("ema", &S::ema_decay, "decay of the weights' moving average, which plays",
              {.least = 0, .most = 1, .below_most = true}),
      setting("clip", &S::gradient_clip, "largest gradient norm",
              {.least = 0, .above_least = true}),
      setting("policy-weight", &S::policy_weight, "weight of the policy loss", {.least = 0}),
      setting("value-weight", &S::value_weight, "weight of the value loss", {.least = 0}),
  };
}

/// What one step did. Losses are means over the rows that have the target, before the step.
struct StepReport {
  float policy_loss = 0;    // cross entropy in nats, over the batch's actions only
  float value_loss = 0;     // cross entropy in nats
  float gradient_norm = 0;  // before clipping
  bool skipped = false;     // a value was not finite: weights and moments are untouched
};

/// Everything that a trainer carries from step to step; each vector has parameter_count(spec)
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

/// All of them, in the order in which a checkpoint holds them.
inline constexpr std::array kStateTensors = {
    StateTensor{"weights", &TrainerState::weights},
    StateTensor{"ema", &TrainerState::ema},
    StateTensor{"first_moment", &TrainerState::first_moment},
    StateTensor{"second_moment", &TrainerState::second_moment},
};

/// A reason when not every tensor has so many values, all of them finite.
Result<void> check_state(const TrainerState& state, std::size_t parameters);

/// What a trainer of these weights begins with.
inline TrainerState initial_state(std::span<const float> weights) {
  const AlignedVector<float> values(weights.begin(), weights.end()), none(weights.size());
  return {values, values, none, none, 0};
}

/// What a step takes where that can be told: on a device, after warm_up(). Zeros elsewhere.
struct StepCost {
  std::size_t kernels = 0;     // launches of one step
  double flop_per_second = 0;  // the most that the device's matrix products can do
};

/// One network being trained. Belongs to one thread at a time. What gives a T returns an
/// Outcome<T>: T itself where nothing can fail, or Result<T>.
template <template <class> class Outcome>
class TrainerOf {
 public:
  virtual ~TrainerOf() = default;
  virtual std::string_view name() const = 0;  // "cpu", "cuda"
  virtual StepCost step_cost() const { return {}; }

  /// Runs one step on dummy data of the largest size and undoes it, so that everything lazily built
  /// (threads, kernels, graphs) is there before self-play depends on it.
  virtual Outcome<void> warm_up() = 0;

  /// One optimiser step. batch.size() >= 1 and within the shape the trainer was built for.
  virtual Outcome<StepReport> step(const TrainBatch& batch, float learning_rate) = 0;

  /// Whether the trainer keeps the replay's samples, so that a step need only name them: then it is
  /// told of every sample that is added. May turn false, and then stays so.
  virtual bool keeps_samples() const { return false; }
  /// Keeps what is in `place` of the replay now: the sample and, in a game with mirror images, its
  /// mirror image, a row of `images` each, with as many actions each. Places are below the room
  /// that the trainer was made for. Needs keeps_samples().
  virtual Outcome<void> keep(std::uint32_t /*place*/, const TrainBatch& /*images*/) {
    return Outcome<void>();
  }
  /// The step() on the batch that ReplayBuffer::encode() would make of `drawn`. Nothing, and no
  /// step, when not all of them are kept: then the caller makes that batch.
  virtual Outcome<std::optional<StepReport>> step_kept(std::span<const DrawnSample> /*drawn*/,
                                                       float /*learning_rate*/) {
    return std::optional<StepReport>();
  }

  virtual Outcome<TrainerState> state() const = 0;
  /// Continues from a saved state; a reason when its sizes do not fit.
  virtual Result<void> restore(const TrainerState& state) = 0;
};

template <class T>
using Always = T;

/// A trainer that goes on whatever happens.
class Trainer : public TrainerOf<Always> {
 public:
  /// The moving average, as a network that can be served. Allocates its copy.
  virtual Network served() const = 0;
};

/// CPU backend: OpenBLAS matrix products, own fused backward pass, a TrainNetwork a thread, no
/// allocation per step. Runs on the calling thread and settings.threads - 1 of its own, once the
/// program has called use_single_threaded_blas() (linear_algebra.hpp). `start` is only read here;
/// settings.gradient_clip is above 0.
std::unique_ptr<Trainer> make_cpu_trainer(const Network& start, const TrainBatch::Shape& shape,
                                          const TrainerSettings& settings);

/// A trainer that may fail at any call; after a failure it is of no more use. A step may answer
/// with the report of the step before, and fail when that one did.
class DeviceTrainer : public TrainerOf<Result> {
 public:
  /// From now on keeps the samples of a replay of this size; before warm_up(). A reason when the
  /// device cannot: that is no failure, it is of as much use as before.
  virtual Result<void> keep_replay(const ReplayRoom& /*room*/) {
    return fail("this device keeps no samples");
  }
};

/// A trainer that goes on on the CPU when its device fails, from the state it last fetched:
/// at most `steps_at_risk` steps are lost, no more than resuming from a checkpoint would lose.
/// Samples that were kept on the device are lost with it; the replay has them all.
/// `lost` is told the reason, once. `make_spare` makes the CPU trainer for a state.
std::unique_ptr<Trainer> make_lasting_trainer(std::unique_ptr<DeviceTrainer> device,
                                              const Network& start, std::size_t steps_at_risk,
                                              std::function<std::unique_ptr<Trainer>()> make_spare,
                                              std::function<void(const std::string& reason)> lost);

}  // namespace senet
