// Settings of training: which samples, how often, how fast.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <tuple>
#include <type_traits>

#include "selfplay/game_log.hpp"
#include "train_bridge/samples.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// Added to the surprise of every sample, so that none is never drawn again.
inline constexpr float kLeastSurprise = 0.01f;

struct LearnSettings {
  SampleSettings samples;
  TrainerSettings trainer;
  std::size_t replay_capacity = 500'000;  // samples
  /// Samples are drawn from the newest max(window_minimum, window_share * all so far), at most the
  /// capacity, so that early games of an untrained network drop out soon.
  std::size_t window_minimum = 50'000;
  float window_share = 0.5f;
  /// The length of the run in games and in minutes, from its very beginning: the run ends at the
  /// first of the two, and schedules follow the one of which more is done. A resumed run may get
  /// new lengths. 0: none; if both are 0, no schedules.
  std::uint64_t planned_games = 0;
  double planned_minutes = 0;
  /// Prioritised replay (Schaul et al. 2016): a sample is drawn in proportion to this power of its
  /// surprise (Sample::surprise) plus kLeastSurprise; 0: all alike.
  float priority = 0;
  /// Importance weights: a sample's losses have the weight (1 / (samples * probability)) to this
  /// power, relative to the largest of the batch. 1 removes the bias of such draws, 0 keeps it.
  float priority_correction = 1;
  std::size_t batch_rows = 512;
  /// Each new position earns this many training samples.
  float samples_per_position = 4.0f;
  std::size_t begin_after = 2'000;  // positions before the first step
  Schedule learning_rate = 1e-3f;   // between two points of the schedule by equal factors
  std::size_t warmup_steps = 100;   // the rate rises linearly from 0 over these steps
  /// From this step on, the rate falls with the inverse square root of the step, so that the
  /// weights have settled about as well as possible whenever the run is stopped. 0: never.
  std::size_t steady_steps = 20'000;
  /// In place of steady_steps: the rate falls to 0 with a cosine over so many steps, then begins
  /// anew over twice as many, and so on (SGDR, Loshchilov and Hutter 2017). 0: never.
  std::size_t cosine_steps = 0;
  /// Steps between two publications of weights. Self-play can earn at most this many steps in
  /// advance; more are dropped and counted, so that the backlog of training stays bounded.
  std::size_t steps_per_iteration = 100;
  /// The weights that self-play uses. Saved networks are averages.
  PlayWeights play_weights = PlayWeights::kAverage;
  /// The longest time between two checkpoints; see seconds_to_checkpoint().
  double checkpoint_seconds = 60;
  /// A power cut loses no game that was finished longer ago than this.
  double sync_seconds = 1;
  /// The file of games is closed, and another begun, when it is larger than this. 0: never.
  double log_segment_mib = 1024;
  /// The newest checkpoints, which the run folder keeps.
  std::size_t kept_checkpoints = 3;
  /// Numbered weights files to keep in the run folder; the older half is thinned out. 0: all.
  std::size_t kept_networks = 100;
};

/// The settings of samples and trainer have their own lists.
constexpr auto settings_of(std::type_identity<LearnSettings>) {
  using S = LearnSettings;
  return std::tuple{
      setting(
          "planned-games", &S::planned_games,
          "length of the whole run, to which schedules refer; the run stops there; 0: unlimited",
          {.unit = "games"}),
      setting("planned-minutes", &S::planned_minutes,
              "length of the whole run in minutes, without the time between its parts; with "
              "planned-games, the run stops at the first of the two, and schedules follow the one "
              "of which more is done; 0: unlimited",
              {.least = 0, .unit = "min"}),
      setting("replay", &S::replay_capacity, "capacity of the replay buffer",
              {.least = 1000, .most = 100'000'000, .unit = "positions"}),
      setting("window-minimum", &S::window_minimum, "minimum training window",
              {.unit = "positions"}),
      setting("window-share", &S::window_share,
              "training window as a share of all positions so far, if that exceeds the minimum",
              {.least = 0, .most = 1}),
      setting("priority", &S::priority,
              "prioritised replay: samples are drawn in proportion to this power of how far the "
              "search's estimate is from the target; 0: all alike",
              {.least = 0, .most = 1}),
      setting("priority-correction", &S::priority_correction,
              "power of the importance weights that correct for such draws; 0: no correction",
              {.least = 0, .most = 1}),
      setting("train-batch", &S::batch_rows, "samples per training step",
              {.least = 1, .most = 65'536}),
      setting("samples-per-position", &S::samples_per_position, "training samples per new position",
              {.least = 0}),
      setting("begin-after", &S::begin_after,
              "size of the replay buffer at the first training step", {.unit = "positions"}),
      setting("learning-rate", &S::learning_rate,
              "AdamW learning rate, or a schedule such as 0.0015@0.3,0.00001@1: constant for 0.3 "
              "of the planned run, then falling in equal ratios",
              {.least = 0, .above_least = true}),
      setting("warmup-steps", &S::warmup_steps, "length of the linear learning rate warm-up",
              {.unit = "steps"}),
      setting("steady-steps", &S::steady_steps,
              "step from which the learning rate falls with the inverse square root; 0: never"),
      setting("cosine-steps", &S::cosine_steps,
              "in place of steady-steps: the learning rate falls to 0 with a cosine over so many "
              "steps and begins anew, over twice as many each time, counted from the first step of "
              "the run; 0: never"),
      setting("steps-per-iteration", &S::steps_per_iteration,
              "training steps between two publications of weights", {.least = 1}),
      setting(
          "play-weights", &S::play_weights,
          "weights that self-play uses: their moving average, which is always what is saved, or "
          "the current ones"),
      setting("checkpoint-seconds", &S::checkpoint_seconds,
              "time between checkpoints, each at the end of an iteration; the first come sooner",
              {.least = 0, .unit = "s"}),
      setting("sync-seconds", &S::sync_seconds,
              "a power cut loses no game that was finished longer ago than this",
              {.least = 0, .unit = "s"}),
      setting("log-segment-mib", &S::log_segment_mib,
              "a file of games is closed when it is larger than this, and another is begun; 0: one "
              "file for ever",
              {.least = 0, .most = 1 << 24, .unit = "MiB"}),
      setting("kept-checkpoints", &S::kept_checkpoints,
              "checkpoints to keep: the newest and those before it", {.least = 1, .most = 100}),
      setting("kept-networks", &S::kept_networks,
              "weights files to keep; older ones are thinned out; 0: all",
              {.least = 4, .or_zero = true}),
  };
}

constexpr std::string_view settings_heading(std::type_identity<LearnSettings>) {
  return "Training";
}

/// The log of a run with these settings.
inline GameLogSettings log_settings(const LearnSettings& settings) {
  constexpr double kMebibyte = 1 << 20;
  return {.segment_bytes =
              static_cast<std::uint64_t>(std::ceil(settings.log_segment_mib * kMebibyte))};
}

/// Seconds between a checkpoint made when the process had trained for `age` seconds and the next:
/// few at first, so that a run that is often killed learns nevertheless.
inline double seconds_to_checkpoint(const LearnSettings& settings, double age) {
  return std::min(settings.checkpoint_seconds, std::max(5.0, age / 2));
}

/// The share of the planned run that is done after `games` games and `seconds`; 0 without a plan.
inline double run_progress(const LearnSettings& settings, std::uint64_t games, double seconds) {
  const auto share = [](double done, double planned) { return planned > 0 ? done / planned : 0; };
  return std::min(
      1.0, std::max(share(static_cast<double>(games), static_cast<double>(settings.planned_games)),
                    share(seconds, settings.planned_minutes * 60)));
}

/// What remains of the learning rate at step `step` of cycles of which the first has `first` steps
/// and each other one twice as many as the one before: 1 at the beginning of each, near 0 at its
/// end.
inline float cosine_share(std::uint64_t step, std::uint64_t first) {
  // The cycles before cycle k have first * (2^k - 1) steps.
  const auto cycle = std::bit_width(step / first + 1) - 1;
  const std::uint64_t before = first * ((std::uint64_t{1} << cycle) - 1), length = first << cycle;
  const double done = static_cast<double>(step - before) / static_cast<double>(length);
  return static_cast<float>(0.5 + 0.5 * std::cos(std::numbers::pi * done));
}

/// The learning rate of step `step`, counted from 0, when `progress` of the run is done.
inline float learning_rate_at(const LearnSettings& settings, std::uint64_t step, double progress) {
  float rate = settings.learning_rate.at(progress, Curve::kGeometric);
  const auto steps = static_cast<float>(step + 1);
  if (step < settings.warmup_steps) rate *= steps / static_cast<float>(settings.warmup_steps);
  if (settings.cosine_steps > 0) {
    rate *= cosine_share(step, settings.cosine_steps);
  } else if (settings.steady_steps > 0 && step >= settings.steady_steps) {
    rate *= std::sqrt(static_cast<float>(settings.steady_steps) / steps);
  }
  return rate;
}

}  // namespace senet
