// How a run learns: which samples, how often, how fast.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "train_bridge/samples.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

struct LearnSettings {
  SampleSettings samples;
  TrainerSettings trainer;
  std::size_t replay_capacity = 500'000;  // samples
  /// Samples are drawn from the newest max(window_minimum, window_share * all so far), at most the
  /// capacity: early games, played by a network that knew nothing, are soon forgotten.
  std::size_t window_minimum = 50'000;
  float window_share = 0.5f;
  std::size_t batch_rows = 512;
  /// Every new position earns so many samples' worth of training.
  float samples_per_position = 4.0f;
  std::size_t begin_after = 2'000;  // positions before the first step
  float learning_rate = 1e-3f;
  std::size_t warmup_steps = 100;  // the rate rises linearly from 0 over these steps
  /// From this step on the rate falls as the inverse square root of the step: whoever stops a run
  /// at any moment has weights that have settled about as well as so many steps allow. 0: never.
  std::size_t steady_steps = 20'000;
  /// An iteration is so many steps; then the weights are published. Training for longer than one
  /// iteration's worth is never owed: what self-play earns beyond is dropped and counted, so that
  /// training cannot fall behind without end.
  std::size_t steps_per_iteration = 100;
  double checkpoint_seconds = 60;
  /// Numbered weights files kept in the run folder; beyond that the older half gets sparser. 0:
  /// all.
  std::size_t kept_networks = 100;
};

/// Step size of step `step`, counted from 0.
inline float learning_rate_at(const LearnSettings& settings, std::uint64_t step) {
  float rate = settings.learning_rate;
  const auto steps = static_cast<float>(step + 1);
  if (step < settings.warmup_steps) rate *= steps / static_cast<float>(settings.warmup_steps);
  if (settings.steady_steps > 0 && step >= settings.steady_steps) {
    rate *= std::sqrt(static_cast<float>(settings.steady_steps) / steps);
  }
  return rate;
}

}  // namespace senet
