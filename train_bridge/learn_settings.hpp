// How a run learns: which samples, how often, how fast.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

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

/// The samples' and the trainer's settings have lists of their own.
constexpr auto settings_of(std::type_identity<LearnSettings>) {
  using S = LearnSettings;
  return std::tuple{
      setting("replay", &S::replay_capacity, "positions kept for training",
              {.least = 1000, .most = 100'000'000}),
      setting("window-minimum", &S::window_minimum,
              "train on at least so many of the newest positions"),
      setting("window-share", &S::window_share,
              "... or on this share of all so far, if that is more", {.least = 0, .most = 1}),
      setting("train-batch", &S::batch_rows, "samples of a training step",
              {.least = 1, .most = 65'536}),
      setting("samples-per-position", &S::samples_per_position,
              "training samples earned by a new position", {.least = 0}),
      setting("begin-after", &S::begin_after, "positions before the first training step"),
      setting("learning-rate", &S::learning_rate, "AdamW step size",
              {.least = 0, .above_least = true}),
      setting("warmup-steps", &S::warmup_steps, "steps over which the step size rises from zero"),
      setting("steady-steps", &S::steady_steps,
              "step from which the step size falls as the inverse square root; 0: never"),
      setting("steps-per-iteration", &S::steps_per_iteration,
              "training steps between two publications", {.least = 1}),
      setting("checkpoint-seconds", &S::checkpoint_seconds, "time between checkpoints",
              {.least = 0, .unit = "s"}),
      setting("kept-networks", &S::kept_networks,
              "numbered weights files kept; beyond, the older half gets sparser; 0: all",
              {.least = 4, .or_zero = true}),
  };
}

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
