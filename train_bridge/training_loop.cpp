#include "train_bridge/training_loop.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <system_error>
#include <thread>

namespace senet {
namespace {

// Between looks at the time and at the disk.
constexpr std::chrono::milliseconds kLongestWait{100};

}  // namespace

TrainBatch::Shape batch_shape(const GameShape& shape, const LearnSettings& settings) {
  if (!wants_logits(settings.samples.evaluates)) {
    return shape.rows(settings.batch_rows, shape.max_legal);
  }
  const std::size_t ordinary = std::min<std::size_t>(shape.max_legal, 64);
  return shape.rows(settings.batch_rows, std::max(shape.max_legal, settings.batch_rows * ordinary));
}

ReplayRoom replay_room(const GameShape& shape, const LearnSettings& settings) {
  return {.places = settings.replay_capacity, .images = shape.images};
}

TrainingLoop::TrainingLoop(const Parts& parts, const Checkpoint& from)
    : parts_(parts),
      settings_(parts.settings),
      done_(from),
      replay_(parts.replay),
      batch_(batch_shape(replay_.shape(), settings_)),
      images_(replay_.shape().rows(replay_.shape().images,
                                   replay_.shape().images * replay_.shape().max_legal)),
      sources_(read_sources(parts.starts.sources).value()),
      curriculum_(parts.starts, from.scramble_moves) {
  drawn_.reserve(settings_.batch_rows);
  const std::uint64_t steps = from.trainer.steps;
  done_.trainer = {};  // the trainer has the tensors; only the step count is kept here
  done_.trainer.steps = saved_steps_ = steps;
  note_progress();
}

Result<RefillReport> TrainingLoop::refill() {
  const Checkpoint from = done_;
  const LogPosition trained(from.log_position);
  const LogPosition begin(std::min(from.replay_begin, from.log_position));
  RefillReport report;
  std::uint64_t known = 0;  // games that had been trained on
  // Whether the log up to the checkpoint's position is what the trainer knew: all that follows is
  // then new. Where games are missing or doubled, positions have moved, and only the numbers that
  // had not been given out are surely new.
  bool is_intact = false;
  const auto read = [&](RecordReader& reader, std::uint32_t number) -> Result<void> {
    for (GameRecord record;;) {
      const LogPosition at(number, reader.position());
      if (at == trained) is_intact = seen_.count() == from.games;
      const Result<bool> more = reader.next(record);
      if (!more) return more.error();
      if (!*more) break;
      if (!seen_.add(record.game_number)) {
        ++report.doubled;
        continue;
      }
      const bool is_new = is_intact || record.game_number >= from.next_game;
      if (!is_new) ++known;
      if (is_new || at.value() >= from.replay_begin) {
        const auto added = add(record, at, is_new);
        if (!added) report.illegal.add({1, reader.path(), at.offset(), added.error().reason()});
        if (!added && is_new) ++done_.games;
      }
    }
    report.undecodable.add(reader.undecodable());
    done_.log_position = LogPosition(number, reader.position()).value();
    return {};
  };
  for (const LogSegment& segment : parts_.log.segments()) {
    const SegmentIndex& index = segment.index;
    const bool is_needed =
        LogPosition(segment.number + 1, 0) > begin || index.games.end() > from.next_game;
    if (is_needed && segment.is_there) {
      auto reader = RecordReader::open(segment.file);
      const Result<void> done = reader ? read(*reader, segment.number) : reader.error();
      if (done) continue;
      report.unreadable.push_back(done.error().reason());
    }
    std::uint64_t fresh = 0;
    for (const auto& [first, end] : index.games.ranges()) {
      const std::uint64_t added = seen_.add(first, end);
      fresh += added;
      if (first < from.next_game) known += added;
    }
    report.doubled += index.records - std::min(index.records, fresh);
  }
  auto growing = RecordReader::open(parts_.log.growing_file());
  if (!growing) return growing.error();
  if (const auto done = read(*growing, parts_.log.number()); !done) return done.error();
  done_.next_game = std::max(done_.next_game, seen_.end());
  // Which games a lost log had is unknown, and none counts twice.
  if (parts_.log.is_new()) done_.first_open = done_.next_game;
  report.missing = from.games - std::min(from.games, known);
  note_progress();
  return report;
}

Result<void> TrainingLoop::run() {
  began_ = saved_ = parked_ = Clock::now();
  for (;; ++turns_) {
    if (const auto saved = save_when_due(); !saved) return saved;
    if (const auto synced = sync_when_due(); !synced) return synced;
    // Waits for a game only when there is nothing to train, so a full queue is emptied after at
    // most one step.
    std::optional<GameRecord> record;
    if (!can_step()) {
      record = parts_.games.pop_within(kLongestWait);
    } else if (!parts_.are_recorded) {
      record = parts_.games.try_pop();
    }
    if (record) {
      if (const auto taken = take(*record); !taken) return taken;
      continue;
    }
    if (!can_step()) {
      if (parts_.games.drained()) break;
      continue;
    }
    step();
    Result<void> done;
    if (skipped_in_row_ == kMostSkipped) {
      done = roll_back(fmt::format("{} steps in a row were skipped", kMostSkipped));
    } else if (skipped_in_row_ == 0 && steps_since_publish_ >= settings_.steps_per_iteration) {
      // Not after a skipped step: the weights may be those that make steps fail.
      done = publish();
    }
    if (!done) return done;
  }
  if (steps_since_publish_ > 0) {
    if (const auto published = publish(); !published) return published;
  }
  note_progress();
  if (const auto saved = save(); !saved || !divergence_) return saved;
  return *divergence_;
}

Result<void> TrainingLoop::save() {
  if (const auto finite = parts_.trainer.check(); !finite) return finite;
  saved_ = Clock::now();
  // First the games, then the checkpoint that refers to them.
  if (const auto parked = park(); !parked) return parked;
  if (const auto flushed = parts_.log.flush(); !flushed) return flushed;
  done_.first_open = first_open();
  Checkpoint checkpoint = done_;
  checkpoint.trainer = parts_.trainer.state();
  checkpoint.seconds = seconds();
  const Network served = parts_.trainer.served(PlayWeights::kAverage);
  const auto weights = parts_.folder / "weights";
  if (auto done =
          save_to_weights_folder(served, checkpoint.iterations, weights, settings_.kept_networks);
      !done) {
    return done;
  }
  const auto kept =
      keep_checkpoint(checkpoint, served.spec(), parts_.folder, settings_.kept_checkpoints,
                      done_.trainer.steps == saved_steps_);
  if (kept) saved_steps_ = done_.trainer.steps;
  return kept;
}

double TrainingLoop::seconds() const {
  return done_.seconds + std::chrono::duration<double>(Clock::now() - began_).count();
}

bool TrainingLoop::can_step() const {
  return !divergence_ && !hurries_.load(std::memory_order_relaxed) && done_.owed_steps >= 1 &&
         done_.positions >= settings_.begin_after && replay_.size() > 0;
}

Result<void> TrainingLoop::take(const GameRecord& record) {
  const LogPosition at = parts_.log.position();
  if (const auto appended = append(record); !appended) return appended;
  const auto added = add(record, at, true);
  done_.log_position = parts_.log.position().value();
  done_.next_game = std::max(done_.next_game, record.game_number + 1);
  seen_.add(record.game_number);
  note_progress();
  return added;
}

// Waits while the disk is full, until games are no longer waited for: then the run is about to end.
Result<void> TrainingLoop::append(const GameRecord& record) {
  for (bool has_waited = false;; has_waited = true, ++turns_) {
    const Result<void> appended = parts_.log.append(record);
    if (const std::string problem = parts_.log.take_problem(); !problem.empty()) warn(problem);
    if (appended && has_waited) warn("the disk has room again: the run continues");
    if (appended || !is_disk_full() || parts_.games.closed()) return appended;
    if (!has_waited) {
      warn(fmt::format("{}: the run waits until the disk has room", appended.error().reason()));
    }
    std::this_thread::sleep_for(kLongestWait);
  }
}

bool TrainingLoop::is_disk_full() const {
  constexpr std::uintmax_t kLeast = std::uintmax_t{1} << 20;
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(parts_.folder, error);
  return !error && space.available < kLeast;
}

void TrainingLoop::warn(const std::string& reason) const {
  if (parts_.warning) parts_.warning(reason);
}

Result<void> TrainingLoop::sync_when_due() {
  const std::chrono::duration<double> since = Clock::now() - synced_;
  if (since.count() < settings_.sync_seconds) return {};
  synced_ = Clock::now();
  return parts_.log.flush();  // does nothing if no game came
}

Result<void> TrainingLoop::add(const GameRecord& record, LogPosition position, bool is_new) {
  const std::uint64_t before = replay_.added();
  SampleSettings targets = settings_.samples;
  targets.progress = run_progress();
  const Result<void> replayed = replay_.add_game(record, targets, [this](std::uint32_t place) {
    if (parts_.trainer.keeps_samples()) keep(place);
  });
  if (!replayed) return replayed;
  const std::uint64_t samples = replay_.added() - before;
  if (has_source(sources_, StartSource::Kind::kHard)) offer_hardest();
  if (samples > 0) kept_games_.push_back({replay_.added(), position, Clock::now()});
  // A game is dropped when all its samples have been dropped.
  while (!kept_games_.empty() &&
         kept_games_.front().samples_end + replay_.size() <= replay_.added()) {
    kept_games_.pop_front();
  }
  done_.replay_begin = (kept_games_.empty() ? position : kept_games_.front().log_position).value();
  if (!is_new) return {};
  ++done_.games;
  done_.positions += samples;
  const float weight = 1 / static_cast<float>(std::min<std::uint64_t>(++new_games_, 200));
  const auto plies = static_cast<float>(record.turns().size());
  progress_.mean_plies += weight * (plies - progress_.mean_plies);
  const bool is_draw = parts_.player_count == 2 && record.end() == EndKind::kPlayed &&
                       record.final_outcome() < parts_.outcome_values.size() &&
                       parts_.outcome_values[record.final_outcome()] == 0;
  progress_.draw_share += weight * ((is_draw ? 1.0f : 0.0f) - progress_.draw_share);
  Random draws = start_draws(parts_.seed, record.game_number);
  if (!parts_.are_recorded &&
      sources_[draw_source(sources_, draws)].kind == StartSource::Kind::kScrambles) {
    curriculum_.note(record.end() == EndKind::kPlayed && record.final_outcome() == 0);
    if (curriculum_.is_on()) done_.scramble_moves = curriculum_.moves();
  }
  progress_.resignations.add(record, parts_.resign_threshold, parts_.outcome_values);
  done_.owed_steps += static_cast<double>(samples) * settings_.samples_per_position /
                      static_cast<double>(settings_.batch_rows);
  if (parts_.are_recorded) return {};
  const auto most = static_cast<double>(settings_.steps_per_iteration);
  progress_.dropped_steps += std::max(0.0, done_.owed_steps - most);
  done_.owed_steps = std::min(done_.owed_steps, most);
  return {};
}

void TrainingLoop::offer_hardest() {
  if (parts_.hard == nullptr || !parts_.hard->wants(replay_.hardness())) return;
  std::string position = replay_.hardest();
  // A record could not keep a longer one.
  if (position.size() > GameRecord::kMaxText) return;
  parts_.hard->offer(replay_.hardness(), std::move(position));
}

void TrainingLoop::keep(std::uint32_t place) {
  const std::array<DrawnSample, 2> images{{{place, false}, {place, true}}};
  replay_.encode(std::span(images).first(replay_.shape().images), images_);
  parts_.trainer.keep(place, images_);
}

void TrainingLoop::step() {
  const auto began = Clock::now();
  // Draws other samples after a skipped or undone step: the same ones might fail forever.
  Random random(parts_.seed, done_.trainer.steps + progress_.skipped_steps + undone_steps_, 0,
                Purpose::kReplay);
  const auto window = static_cast<std::size_t>(
      std::max<double>(static_cast<double>(settings_.window_minimum),
                       settings_.window_share * static_cast<double>(done_.positions)));
  replay_.draw(settings_.batch_rows, window, random, drawn_);
  progress_.learning_rate = learning_rate_at(settings_, done_.trainer.steps, run_progress());
  const StepReport report = train(progress_.learning_rate);
  ++steps_since_publish_;
  done_.owed_steps -= 1;
  progress_.train_seconds += std::chrono::duration<double>(Clock::now() - began).count();
  if (report.skipped) {
    ++progress_.skipped_steps;
    ++skipped_in_row_;
  } else {
    skipped_in_row_ = 0;
    ++done_.trainer.steps;
  }
  if (!report.skipped && std::isfinite(report.policy_loss + report.value_loss)) {
    const float weight = has_loss_ ? 0.02f : 1.0f;
    has_loss_ = true;
    progress_.policy_loss += weight * (report.policy_loss - progress_.policy_loss);
    progress_.value_loss += weight * (report.value_loss - progress_.value_loss);
    progress_.gradient_norm += weight * (report.gradient_norm - progress_.gradient_norm);
  }
  note_progress();
}

StepReport TrainingLoop::train(float learning_rate) {
  if (const auto report = parts_.trainer.step_kept(drawn_, learning_rate)) return *report;
  replay_.encode(drawn_, batch_);
  return parts_.trainer.step(batch_, learning_rate);
}

Result<void> TrainingLoop::publish() {
  if (const auto finite = parts_.trainer.check(); !finite) {
    return roll_back(finite.error().reason());
  }
  publish_weights();
  note_progress();
  return {};
}

void TrainingLoop::publish_weights() {
  steps_since_publish_ = 0;
  ++done_.iterations;
  parts_.models.publish(parts_.trainer.served(settings_.play_weights));
}

Result<void> TrainingLoop::roll_back(const std::string& reason) {
  const NetworkSpec spec = parts_.trainer.served(PlayWeights::kAverage).spec();
  Result<FoundCheckpoint> found = find_checkpoint(parts_.folder, spec, done_.run_id);
  if (!found) return found.error();
  if (!found->checkpoint) {
    return fail(fmt::format("training: {}, and there is no checkpoint to return to", reason));
  }
  if (const auto moved = move_aside(*found, parts_.warning); !moved) return moved;
  const TrainerState& state = found->checkpoint->trainer;
  if (const auto restored = parts_.trainer.restore(state); !restored) return restored;
  undone_steps_ += done_.trainer.steps - std::min(state.steps, done_.trainer.steps);
  done_.trainer.steps = state.steps;
  skipped_in_row_ = 0;
  // Its network is not that of the newest iteration.
  publish_weights();
  ++progress_.rollbacks;
  returns_ = returned_to_ == state.steps ? returns_ + 1 : 1;
  returned_to_ = state.steps;
  if (returns_ == kMostRollbacks) {
    progress_.has_diverged = true;
    divergence_ =
        fail(fmt::format("training has diverged: {}, {} times since the checkpoint of step {}; "
                         "everything is saved: resume with other settings, such as a smaller "
                         "learning-rate",
                         reason, kMostRollbacks, state.steps));
  } else {
    warn(fmt::format("training: {}: the state of the checkpoint of step {} returned", reason,
                     state.steps));
  }
  note_progress();
  return {};
}

Result<void> TrainingLoop::save_when_due() {
  using Seconds = std::chrono::duration<double>;
  const auto now = Clock::now();
  const double period = seconds_to_checkpoint(settings_, Seconds(saved_ - began_).count());
  if (Seconds(now - saved_).count() < period) return {};
  // Weights that are saved under an iteration's number are those it published. With many visits an
  // iteration takes hours: meanwhile only the games in play are saved.
  const bool is_between = steps_since_publish_ == 0;
  if (const auto finite = parts_.trainer.check(); is_between && !finite) {
    return roll_back(finite.error().reason());
  }
  if (!is_between && Seconds(now - parked_).count() < period) return {};
  if (const auto flushed = parts_.log.flush(); !flushed) return flushed;
  const Result<void> saved = is_between ? save() : park();
  if (saved) return {};
  // The last checkpoint is whole, and the games are in the log or wait: try again when it is due.
  warn(fmt::format("{}: no checkpoint was written; the run continues and tries again",
                   saved.error().reason()));
  return {};
}

Result<void> TrainingLoop::park() {
  parked_ = Clock::now();
  return parts_.park ? parts_.park() : Result<void>();
}

void TrainingLoop::note_progress() {
  progress_.games = done_.games;
  progress_.planned_share = run_progress();
  progress_.positions = done_.positions;
  progress_.steps = done_.trainer.steps;
  progress_.iterations = done_.iterations;
  progress_.draws_per_position = static_cast<double>(done_.trainer.steps * settings_.batch_rows) /
                                 static_cast<double>(std::max<std::uint64_t>(done_.positions, 1));
  progress_.scramble_moves =
      has_source(sources_, StartSource::Kind::kScrambles) ? curriculum_.moves() : 0;
  progress_.solved_share = curriculum_.solved_share();
  progress_.replay_positions = replay_.size();
  progress_.replay_games = kept_games_.size();
  progress_.batch_rows = settings_.batch_rows;
  progress_.replay_seconds =
      kept_games_.empty()
          ? 0
          : std::chrono::duration<double>(Clock::now() - kept_games_.front().came).count();
  const std::lock_guard lock(mutex_);
  shown_ = progress_;
}

}  // namespace senet
