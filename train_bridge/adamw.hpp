// The optimiser: AdamW with a global-norm clip and a moving average of the weights.
#pragma once

#include <span>
#include <vector>

#include "nn/network_spec.hpp"
#include "train_bridge/thread_team.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// Weights and everything that moves with them; see AdamStep. Allocates only when constructed.
class AdamW {
 public:
  /// `weights` has parameter_count(spec) values; the average starts at them.
  AdamW(const NetworkSpec& spec, std::span<const float> weights, const TrainerSettings& settings);

  /// One step against `gradient`, whose norm is `gradient_norm`; all finite. Each member of the
  /// team takes its share of the parameters: the result is the same for any number of them.
  void step(std::span<const float> gradient, double gradient_norm, float learning_rate,
            ThreadTeam& team);

  const TrainerState& state() const { return state_; }
  /// Takes a state over; a reason, and nothing changed, when check_state() has one.
  Result<void> restore(const TrainerState& state);

 private:
  struct Range {  // of neighbouring parameters with the same decay
    std::size_t begin, end;
    bool decays;
  };

  TrainerSettings settings_;
  std::vector<Range> ranges_;
  TrainerState state_;
};

}  // namespace senet
