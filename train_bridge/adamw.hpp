// The optimiser: AdamW with global-norm gradient clipping and a moving average of the weights.
#pragma once

#include <span>
#include <vector>

#include "engine/lanes/thread_team.hpp"
#include "nn/network_spec.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// The weights with their optimiser state; see AdamStep. Allocates only when constructed.
class AdamW {
 public:
  /// `weights` has parameter_count(spec) values; the moving average starts at them.
  AdamW(const NetworkSpec& spec, std::span<const float> weights, const TrainerSettings& settings);

  /// One step against `gradient`, whose norm is `gradient_norm`; all values are finite. Each member
  /// of the team updates its share of the parameters; the result does not depend on their number.
  void step(std::span<const float> gradient, double gradient_norm, float learning_rate,
            ThreadTeam& team);

  const TrainerState& state() const { return state_; }
  /// Copies a state; fails, and changes nothing, when check_state() fails.
  Result<void> restore(const TrainerState& state);

 private:
  struct Range {  // of consecutive parameters with the same decay
    std::size_t begin, end;
    bool decays;
  };

  TrainerSettings settings_;
  std::vector<Range> ranges_;
  TrainerState state_;
};

}  // namespace senet
