// Stretches of a training run for tests: a training loop in a folder, fed with games by the test.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "tests/train_bridge/random_games.hpp"
#include "train_bridge/replay_buffer.hpp"
#include "train_bridge/training_loop.hpp"

namespace senet {

inline NetworkSpec small_spec() {
  NetworkSpec spec = reference_spec<TicTacToe>();
  spec.width = 8;
  spec.blocks = 1;
  spec.policy_layers = 1;
  return spec;
}

/// Only counts its steps: every weight is the number of steps, or not finite after step `bad_step`.
class CountingTrainer : public Trainer {
 public:
  std::string_view name() const override { return "counting"; }
  void warm_up() override {}
  StepReport step(const TrainBatch& batch, float learning_rate) override {
    EXPECT_GE(batch.size(), 1u);
    rates.push_back(learning_rate);
    first_rows.push_back(batch.index(0).front());
    const bool skips = rates.size() <= skip_first;
    if (!skips && ++steps == bad_step) is_bad = true;
    return {.policy_loss = 2, .value_loss = 1, .skipped = skips};
  }
  Network served(PlayWeights) const override {
    return Network(small_spec(), std::vector<float>(parameter_count(small_spec()), value()));
  }
  Result<void> check() const override {
    const TrainerState now = state();
    return check_state(now, now.weights.size());
  }
  TrainerState state() const override {
    const AlignedVector<float> values(parameter_count(small_spec()), value());
    return {values, values, values, values, steps};
  }
  Result<void> restore(const TrainerState& state) override {
    steps = state.steps;
    is_bad = false;
    return {};
  }
  float value() const {
    return is_bad ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(steps);
  }

  std::uint64_t steps = 0, bad_step = 0;
  bool is_bad = false;
  std::size_t skip_first = 0;
  std::vector<float> rates;
  std::vector<std::uint16_t> first_rows;
};

inline LearnSettings small_settings() {
  LearnSettings settings;
  settings.replay_capacity = 100;
  settings.window_minimum = 30;
  settings.window_share = 0.2f;
  settings.batch_rows = 8;
  settings.samples_per_position = 2;
  settings.begin_after = 0;
  settings.warmup_steps = 10;
  settings.steady_steps = 20;
  settings.steps_per_iteration = 1000;
  settings.checkpoint_seconds = 1e9;
  return settings;
}

/// One stretch of a run in a folder: all parts of a run, without its threads.
struct Stretch {
  Stretch(const std::filesystem::path& run_folder, const LearnSettings& given, Trainer& trainer)
      : folder(run_folder), settings(given), log(open_log(run_folder, given)) {
    std::filesystem::create_directories(folder / "weights");
    Checkpoint from;
    if (std::filesystem::exists(folder / "checkpoint.safetensors")) {
      Result<Checkpoint> loaded = load_checkpoint(folder / "checkpoint.safetensors", small_spec());
      EXPECT_TRUE(loaded) << loaded.error().reason();
      if (loaded) from = *loaded;
      EXPECT_TRUE(trainer.restore(from.trainer));
    }
    loop.emplace(TrainingLoop::Parts{
                     .settings = settings,
                     .replay = *replay,
                     .trainer = trainer,
                     .log = log,
                     .games = games,
                     .models = models,
                     .seed = 3,
                     .folder = folder,
                     .warning = [this](const std::string& reason) { warnings.push_back(reason); },
                     .park =
                         [this] {
                           ++parks;
                           return Result<void>();
                         }},
                 from);
    const Result<RefillReport> refilled = loop->refill();
    EXPECT_TRUE(refilled) << refilled.error().reason();
    if (refilled) found = *refilled;
  }

  static GameLog open_log(const std::filesystem::path& folder, const LearnSettings& settings) {
    Result<GameLog> opened = GameLog::open(folder, TicTacToe::kName, log_settings(settings));
    EXPECT_TRUE(opened) << opened.error().reason();
    return std::move(*opened);
  }

  /// Trains on all of these games at once.
  void learn(std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t number = first; number < end; ++number) {
      EXPECT_TRUE(games.push(random_game<TicTacToe>(number)));
    }
    games.close();
    const Result<void> trained = loop->run();
    EXPECT_TRUE(trained) << trained.error().reason();
  }

  /// Trains on these games one by one, adding each after all steps earned before are done, so that
  /// the order of everything is fixed.
  void learn_one_by_one(std::uint64_t first, std::uint64_t end) {
    std::thread trainer_thread([&] {
      const Result<void> trained = loop->run();
      EXPECT_TRUE(trained) << trained.error().reason();
    });
    const std::uint64_t games_before = loop->progress().games;
    for (std::uint64_t number = first; number < end; ++number) {
      EXPECT_TRUE(games.push(random_game<TicTacToe>(number)));
      for (;;) {
        const LearnProgress now = loop->progress();
        const auto earned = static_cast<std::uint64_t>(earned_steps(now.positions));
        if (now.games == games_before + number - first + 1 && now.steps == earned) break;
        std::this_thread::yield();
      }
    }
    games.close();
    trainer_thread.join();
  }

  double earned_steps(std::uint64_t positions) const {
    return static_cast<double>(positions) * settings.samples_per_position /
           static_cast<double>(settings.batch_rows);
  }
  Checkpoint saved() const {
    Result<Checkpoint> loaded = load_checkpoint(folder / "checkpoint.safetensors", small_spec());
    EXPECT_TRUE(loaded) << loaded.error().reason();
    return loaded ? *loaded : Checkpoint{};
  }

  std::filesystem::path folder;
  LearnSettings settings;
  std::vector<std::string> warnings;
  std::uint64_t parks = 0;
  GameLog log;
  BoundedQueue<GameRecord> games{1000};
  ModelStore models{initial_network(small_spec(), 1)};
  std::unique_ptr<Replay> replay = make_replay<TicTacToe>(settings);
  std::optional<TrainingLoop> loop;
  RefillReport found;  // in the log of the stretches before
};

/// Number of samples of the random games [first, end).
inline std::uint64_t positions_of(std::uint64_t first, std::uint64_t end) {
  std::uint64_t positions = 0;
  for (; first < end; ++first) positions += random_game<TicTacToe>(first).turns().size();
  return positions;
}

}  // namespace senet
