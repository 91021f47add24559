// The way back: finished games in, newer weights out, beside self-play and never behind it without
// end.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "engine/lanes/bounded_queue.hpp"
#include "engine/lanes/model_store.hpp"
#include "selfplay/game_exchange.hpp"
#include "selfplay/record_log.hpp"
#include "train_bridge/checkpoint.hpp"
#include "train_bridge/learn_settings.hpp"
#include "train_bridge/replay_buffer.hpp"
#include "train_bridge/weights_folder.hpp"

namespace senet {

/// A sink that hands games to another thread through a bounded queue.
class QueueSink final : public GameSink {
 public:
  explicit QueueSink(BoundedQueue<GameRecord>& queue) : queue_(queue) {}
  /// Once the queue is closed nobody will ever take the game: it counts as refused, so that its
  /// lane can end.
  bool offer(GameRecord& record) override {
    if (queue_.try_push(std::move(record))) return true;
    if (!queue_.closed()) return false;
    refused_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  BoundedQueue<GameRecord>& queue_;
  std::atomic<std::uint64_t> refused_{0};
};

/// How far a run has come; a copy.
struct LearnProgress {
  std::uint64_t games = 0;
  std::uint64_t positions = 0;
  std::uint64_t steps = 0;
  std::uint64_t iterations = 0;
  std::uint64_t skipped_steps = 0;  // steps undone because a value was not finite
  double dropped_steps = 0;         // earned by self-play beyond what training could take
  double train_seconds = 0;
  float policy_loss = 0;  // exponential means
  float value_loss = 0;
  float mean_plies = 0;  // turns a game
};

/// Takes finished games from a queue, appends them to the log, keeps the newest positions, trains,
/// publishes. run() belongs to one thread; progress() may be called from any.
template <Game G>
class TrainingLoop {
 public:
  /// All references outlive the loop. The trainer is warm and holds the state of the checkpoint.
  struct Parts {
    const LearnSettings& settings;
    Trainer& trainer;
    RecordLog& log;
    BoundedQueue<GameRecord>& games;
    ModelStore& models;
    std::uint64_t seed;
    std::filesystem::path folder;  // weights/ and checkpoint.safetensors go here
  };

  TrainingLoop(const Parts& parts, const Checkpoint& from)
      : parts_(parts),
        settings_(parts.settings),
        done_(from),
        replay_(settings_.replay_capacity,
                settings_.samples.evaluates == Evaluates::kPosition ? kPolicyPerSample : 0),
        batch_(batch_shape(settings_)),
        images_(image_shape()) {
    drawn_.reserve(settings_.batch_rows);
    const std::uint64_t steps = from.trainer.steps;
    done_.trainer = {};  // the tensors are the trainer's; only the count of steps is kept here
    done_.trainer.steps = steps;
    note_progress();
  }

  static TrainBatch::Shape batch_shape(const LearnSettings& settings) {
    const bool policy = settings.samples.evaluates == Evaluates::kPosition;
    return {.rows = settings.batch_rows,
            .max_active = G::kMaxActive,
            .max_legal = G::kMaxLegal,
            .logits_per_action = G::kLogitsPerAction,
            .outcomes = kOutcomes<G>,
            .action_room = policy ? std::max<std::size_t>(
                                        G::kMaxLegal, settings.batch_rows *
                                                          std::min<std::size_t>(G::kMaxLegal, 64))
                                  : G::kMaxLegal};
  }

  /// What a trainer that keeps the replay's samples has to have room for.
  static ReplayRoom replay_room(const LearnSettings& settings) {
    return {.places = settings.replay_capacity, .images = kImages};
  }

  /// Puts the games of the log from `replay_begin` on back into the replay buffer, before run().
  /// Those that had not been learnt from when the checkpoint was made count as new.
  Result<void> refill(const std::filesystem::path& log) {
    // A log that lost its end to a bad disk may be shorter than the checkpoint remembers.
    const std::uint64_t learnt = std::min(done_.log_position, parts_.log.size());
    auto reader = RecordReader::open(log, std::min(done_.replay_begin, learnt));
    if (!reader) return reader.error();
    GameRecord record;
    for (;;) {
      const std::uint64_t at = reader->position();
      const Result<bool> more = reader->next(record);
      if (!more) return more.error();
      if (!*more) break;
      if (const auto added = add(record, at, at >= learnt); !added) {
        return fail(log.string() + ": " + added.error().reason());
      }
      done_.next_game = std::max(done_.next_game, record.game_number + 1);
    }
    done_.log_position = reader->position();
    note_progress();
    return {};
  }
  /// Number of the first game that is in no log yet.
  std::uint64_t next_game() const { return done_.next_game; }

  /// Learns until the queue is closed and empty; then publishes and saves a last time. The reason
  /// when the log or a file could not be written: nothing is learnt from games that are not in the
  /// log.
  Result<void> run() {
    began_ = saved_ = Clock::now();
    for (;;) {
      if (const auto saved = save_when_due(); !saved) return saved;
      // Waiting for a game only when there is nothing to train: self-play never waits for a step
      // longer than the queue has room for.
      std::optional<GameRecord> record = can_step() ? parts_.games.try_pop() : parts_.games.pop();
      if (record) {
        if (const auto taken = take(*record); !taken) return taken;
        continue;
      }
      if (!can_step()) break;
      step();
      if (steps_since_publish_ == settings_.steps_per_iteration) {
        if (const auto published = publish(); !published) return published;
      }
    }
    if (steps_since_publish_ > 0) {
      if (const auto published = publish(); !published) return published;
    }
    return save();
  }

  /// Writes the weights that play and a checkpoint; run() does so by itself now and then and at its
  /// end. For the thread of run(), or before it.
  Result<void> save() {
    saved_ = Clock::now();
    // First the games, then the checkpoint that counts on them.
    if (const auto flushed = parts_.log.flush(); !flushed) return flushed;
    Checkpoint checkpoint = done_;
    checkpoint.trainer = parts_.trainer.state();
    checkpoint.seconds += std::chrono::duration<double>(saved_ - began_).count();
    const Network served = parts_.trainer.served();
    const auto weights = parts_.folder / "weights";
    if (auto done =
            save_to_weights_folder(served, checkpoint.iterations, weights, settings_.kept_networks);
        !done) {
      return done;
    }
    return save_checkpoint(checkpoint, served.spec(), parts_.folder / "checkpoint.safetensors");
  }

  LearnProgress progress() const {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

 private:
  /// Moves with visits of an ordinary position.
  static constexpr std::size_t kPolicyPerSample = std::min<std::size_t>(G::kMaxLegal, 24);
  static constexpr std::size_t kImages = MirrorGame<G> ? 2 : 1;
  using Clock = std::chrono::steady_clock;

  static TrainBatch::Shape image_shape() {
    return {.rows = kImages,
            .max_active = G::kMaxActive,
            .max_legal = G::kMaxLegal,
            .logits_per_action = G::kLogitsPerAction,
            .outcomes = kOutcomes<G>,
            .action_room = kImages * G::kMaxLegal};
  }

  bool can_step() const {
    return done_.owed_steps >= 1 && done_.positions >= settings_.begin_after && replay_.size() > 0;
  }

  Result<void> take(const GameRecord& record) {
    const std::uint64_t at = parts_.log.size();
    if (const auto appended = parts_.log.append(record); !appended) return appended;
    const auto added = add(record, at, true);
    done_.log_position = parts_.log.size();
    done_.next_game = std::max(done_.next_game, record.game_number + 1);
    note_progress();
    return added;
  }

  Result<void> add(const GameRecord& record, std::uint64_t log_position, bool is_new) {
    const std::uint64_t before = replay_.added();
    const Result<void> replayed =
        for_each_sample<G>(record, settings_.samples, states_, [&](const Sample<G>& sample) {
          replay_.add(sample);
          if (parts_.trainer.keeps_samples()) keep_newest();
        });
    if (!replayed) return replayed;
    const std::uint64_t samples = replay_.added() - before;
    if (samples > 0) kept_games_.push_back({replay_.added(), log_position});
    // A game has left when all its samples have.
    while (!kept_games_.empty() &&
           kept_games_.front().samples_end + replay_.size() <= replay_.added()) {
      kept_games_.pop_front();
    }
    done_.replay_begin = kept_games_.empty() ? log_position : kept_games_.front().log_position;
    if (!is_new) return {};
    ++done_.games;
    done_.positions += samples;
    const auto plies = static_cast<float>(record.turns().size());
    mean_plies_ +=
        (plies - mean_plies_) / static_cast<float>(std::min<std::uint64_t>(++new_games_, 200));
    done_.owed_steps += static_cast<double>(samples) * settings_.samples_per_position /
                        static_cast<double>(settings_.batch_rows);
    const auto most = static_cast<double>(settings_.steps_per_iteration);
    dropped_steps_ += std::max(0.0, done_.owed_steps - most);
    done_.owed_steps = std::min(done_.owed_steps, most);
    return {};
  }

  // As a step will see it: from the replay, whose targets are rounded.
  void keep_newest() {
    const std::uint32_t place = replay_.newest();
    const std::array<DrawnSample, 2> images{{{place, false}, {place, true}}};
    replay_.encode(std::span(images).first(kImages), images_);
    parts_.trainer.keep(place, images_);
  }

  void step() {
    const auto began = Clock::now();
    // Other samples after a skipped step: the same ones might be skipped for ever.
    Random random(parts_.seed, done_.trainer.steps + skipped_steps_, 0, Purpose::kReplay);
    const auto window = static_cast<std::size_t>(
        std::max<double>(static_cast<double>(settings_.window_minimum),
                         settings_.window_share * static_cast<double>(done_.positions)));
    replay_.draw(settings_.batch_rows, window, random, drawn_);
    const StepReport report = train(learning_rate_at(settings_, done_.trainer.steps));
    ++steps_since_publish_;
    done_.owed_steps -= 1;
    train_seconds_ += std::chrono::duration<double>(Clock::now() - began).count();
    if (report.skipped) {
      ++skipped_steps_;
    } else {
      ++done_.trainer.steps;
    }
    if (!report.skipped && std::isfinite(report.policy_loss + report.value_loss)) {
      const float weight = has_loss_ ? 0.02f : 1.0f;
      has_loss_ = true;
      policy_loss_ += weight * (report.policy_loss - policy_loss_);
      value_loss_ += weight * (report.value_loss - value_loss_);
    }
    note_progress();
  }

  StepReport train(float learning_rate) {
    if (const auto report = parts_.trainer.step_kept(drawn_, learning_rate)) return *report;
    replay_.encode(drawn_, batch_);
    return parts_.trainer.step(batch_, learning_rate);
  }

  Result<void> publish() {
    steps_since_publish_ = 0;
    ++done_.iterations;
    parts_.models.publish(parts_.trainer.served());
    note_progress();
    return {};
  }
  // Only between iterations: what is saved under an iteration's number is what it published.
  Result<void> save_when_due() {
    if (steps_since_publish_ > 0) return {};
    const double since = std::chrono::duration<double>(Clock::now() - saved_).count();
    return since >= settings_.checkpoint_seconds ? save() : Result<void>{};
  }

  void note_progress() {
    const std::lock_guard lock(mutex_);
    shown_ = {.games = done_.games,
              .positions = done_.positions,
              .steps = done_.trainer.steps,
              .iterations = done_.iterations,
              .skipped_steps = skipped_steps_,
              .dropped_steps = dropped_steps_,
              .train_seconds = train_seconds_,
              .policy_loss = policy_loss_,
              .value_loss = value_loss_,
              .mean_plies = mean_plies_};
  }

  struct KeptGame {
    std::uint64_t samples_end;   // replay_.added() after this game
    std::uint64_t log_position;  // where the game stands in the log
  };

  const Parts parts_;
  const LearnSettings& settings_;
  Checkpoint done_;  // without the trainer's tensors
  ReplayBuffer<G> replay_;
  std::vector<DrawnSample> drawn_;  // for the step under way
  TrainBatch batch_;                // of them
  TrainBatch images_;               // of the sample added last
  std::deque<KeptGame> kept_games_;
  std::vector<G> states_;
  std::size_t steps_since_publish_ = 0;
  std::uint64_t skipped_steps_ = 0;
  std::uint64_t new_games_ = 0;  // since this loop was made
  double dropped_steps_ = 0, train_seconds_ = 0;
  float policy_loss_ = 0, value_loss_ = 0, mean_plies_ = 0;
  bool has_loss_ = false;
  Clock::time_point began_ = Clock::now(), saved_ = began_;

  mutable std::mutex mutex_;
  LearnProgress shown_;
};

}  // namespace senet
