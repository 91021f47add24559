// Recorded games in place of self-play: a run that learns from them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "selfplay/game_log.hpp"
#include "selfplay/seen_games.hpp"
#include "selfplay/selfplay.hpp"
#include "train_bridge/training_loop.hpp"

namespace senet {

/// The games that a run is to learn from.
struct RecordedGames {
  std::filesystem::path log;  // a file or a run folder
  GameLogReader reader;
  std::function<Result<void>(const GameRecord&)> check;  // whether it is a legal game

  /// Fails when the games are not of `game`.
  static Result<RecordedGames> open(const std::filesystem::path& log, std::string_view game,
                                    std::function<Result<void>(const GameRecord&)> check);
};

/// A thread that reads recorded games and delivers them as if they had been played now: in their
/// order, with new numbers. Leaves out games that occur twice, and records that break the rules. It
/// takes the place of the threads that play, whose reports stay zero.
class RecordFeed final : public AnySelfPlayThreads {
 public:
  /// Begins at once; ends with the games, when there are no more numbers, or when the sink's queue
  /// is closed. Numbers and sink outlive it. `workers`: the length of reports().
  RecordFeed(RecordedGames games, std::size_t workers, GameNumbers& numbers, QueueSink& sink);
  ~RecordFeed() override { abandon(); }

  void abandon() override { is_abandoned_ = true; }
  void limit_visits(std::uint32_t) override {}
  void limit_scrambles(std::uint32_t) override {}
  /// Fails when the file could not be read.
  Result<void> join() override;
  std::size_t running() const override { return is_reading_ ? 1 : 0; }
  const std::deque<WorkerReport>& reports() const override { return reports_; }

  /// What was left out, and damage: after join().
  RefillReport left_out() const;
  std::uint64_t damaged_bytes() const { return games_.reader.skipped_bytes(); }

 private:
  Result<void> read();

  RecordedGames games_;
  GameNumbers& numbers_;
  QueueSink& sink_;
  std::deque<WorkerReport> reports_;
  std::atomic<bool> is_abandoned_{false}, is_reading_{true};
  // Of the thread, until is_reading_ is false.
  SeenGames seen_;
  RefillReport left_out_;
  Result<void> done_;
  std::jthread thread_;
};

}  // namespace senet
