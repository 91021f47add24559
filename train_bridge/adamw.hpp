// The optimiser: AdamW with a global-norm clip and a moving average of the weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/aligned_vector.hpp"
#include "nn/network_spec.hpp"
#include "train_bridge/thread_team.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// Decay of the moving average at the `step`-th step (from 1): min(decay, (1 + step) / (10 +
/// step)), so that the average forgets the random start quickly instead of after 1 / (1 - decay)
/// steps.
double ema_decay_at(float decay, std::uint64_t step);

/// Weights and everything that moves with them. Per step t, with g the gradient scaled down to at
/// most settings.gradient_clip in norm (Kingma and Ba 2015; Loshchilov and Hutter 2019):
///   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2
///   w = w - rate (weight_decay w + (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon))
///   average = average + (1 - ema_decay_at(t)) (w - average)
/// weight_decay counts as 0 for tensors that do not decay. Moments smaller than 1e-30 become 0:
/// they would decay into denormal numbers, which are slow, and stay there. Allocates only when
/// constructed.
class AdamW {
 public:
  /// `weights` has parameter_count(spec) values; the average starts at them.
  AdamW(const NetworkSpec& spec, std::span<const float> weights, const TrainerSettings& settings);

  std::span<const float> weights() const { return weights_; }
  std::span<const float> average() const { return average_; }

  /// One step against `gradient`, whose norm is `gradient_norm`; all finite. Each member of the
  /// team takes its share of the parameters: the result is the same for any number of them.
  void step(std::span<const float> gradient, double gradient_norm, float learning_rate,
            ThreadTeam& team);

  TrainerState state() const;
  /// Takes a state over; a reason, and nothing changed, when its sizes do not fit or a value is not
  /// finite.
  Result<void> restore(const TrainerState& state);

 private:
  struct Range {  // of neighbouring parameters with the same decay
    std::size_t begin, end;
    bool decays;
  };

  TrainerSettings settings_;
  std::vector<Range> ranges_;
  AlignedVector<float> weights_, average_, first_moment_, second_moment_;
  std::uint64_t steps_ = 0;
};

}  // namespace senet
