#include "train_bridge/record_feed.hpp"

#include <fmt/core.h>

#include <chrono>
#include <new>
#include <utility>

namespace senet {

Result<RecordedGames> RecordedGames::open(const std::filesystem::path& log, std::string_view game,
                                          std::function<Result<void>(const GameRecord&)> check) {
  Result<GameLogReader> reader = GameLogReader::open(log);
  if (!reader) return fail("from: " + reader.error().reason());
  if (reader->game().empty())
    return fail(fmt::format("from: {}: its header is damaged", log.string()));
  if (reader->game() != game) {
    return fail(
        fmt::format("from: {} has games of {}, not of {}", log.string(), reader->game(), game));
  }
  return RecordedGames{log, std::move(*reader), std::move(check)};
}

RecordFeed::RecordFeed(RecordedGames games, std::size_t workers, GameNumbers& numbers,
                       QueueSink& sink)
    : games_(std::move(games)), numbers_(numbers), sink_(sink), reports_(workers) {
  thread_ = std::jthread([this] {
    try {
      done_ = read();
    } catch (const std::bad_alloc&) {
      done_ = fail("from: out of memory for a game");
    }
    is_reading_ = false;
  });
}

Result<void> RecordFeed::read() {
  constexpr std::chrono::milliseconds kUntilThereIsRoom{1};
  const auto goes_on = [this] { return !is_abandoned_ && !sink_.is_closed(); };
  for (GameRecord record; goes_on();) {
    const std::filesystem::path file = games_.reader.path();
    const std::uint64_t at = LogPosition(games_.reader.position()).offset();
    const Result<bool> more = games_.reader.next(record);
    if (!more) return fail("from: " + more.error().reason());
    if (!*more) break;
    if (!seen_.add(record.game_number)) {
      ++left_out_.doubled;
      continue;
    }
    if (const Result<void> legal = games_.check(record); !legal) {
      left_out_.illegal.add({1, file, at, legal.error().reason()});
      continue;
    }
    const std::optional<NextGame> next = numbers_.take();
    if (!next) break;
    record.game_number = next->number;
    while (goes_on() && !sink_.offer(record)) std::this_thread::sleep_for(kUntilThereIsRoom);
  }
  return {};
}

Result<void> RecordFeed::join() {
  if (thread_.joinable()) thread_.join();
  return done_;
}

RefillReport RecordFeed::left_out() const {
  RefillReport all = left_out_;
  all.undecodable = games_.reader.undecodable();
  return all;
}

}  // namespace senet
