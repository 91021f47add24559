// The optimiser: AdamW with a global-norm clip and a moving average of the weights.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/aligned_vector.hpp"
#include "nn/network_spec.hpp"
#include "train_bridge/thread_team.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// Weights and everything that moves with them; see AdamStep. Allocates only when constructed.
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
  /// Takes a state over; a reason, and nothing changed, when check_state() has one.
  Result<void> restore(const TrainerState& state);

 private:
  struct Range {  // of neighbouring parameters with the same decay
    std::size_t begin, end;
    bool decays;
  };

  TrainerSettings settings_;
  std::vector<Range> ranges_;
  AlignedVector<float> weights_, average_, first_moment_, second_moment_;
  static constexpr std::array kTensors = {&AdamW::weights_, &AdamW::average_, &AdamW::first_moment_,
                                          &AdamW::second_moment_};  // as kStateTensors
  std::uint64_t steps_ = 0;
};

}  // namespace senet
