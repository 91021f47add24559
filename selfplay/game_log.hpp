// The game log of a run folder: one growing file, closed ones before it, and a reader of them all.
//
//   games.000001.senet  games.000001.index     closed: never written again
//   games.000002.senet  games.000002.index
//   games.senet                                grows; here it is the file with the number 3
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "selfplay/record_log.hpp"
#include "selfplay/segment_index.hpp"
#include "senet/result.hpp"

namespace senet {

/// The name of the file that grows.
inline constexpr std::string_view kGrowingFile = "games.senet";
/// The greatest number of a file: this one is never closed.
inline constexpr std::uint32_t kMaxSegment = 1u << 16;

/// The closed file with this number, from 1 on, and its index.
std::filesystem::path segment_file(const std::filesystem::path& folder, std::uint32_t number);
std::filesystem::path index_file(const std::filesystem::path& folder, std::uint32_t number);
/// Whether a file of this name is an index.
bool is_index_name(std::string_view name);

/// What a folder has of a closed file.
struct SegmentFiles {
  bool log = false, index = false;
};
/// By number.
std::map<std::uint32_t, SegmentFiles> segments_in(const std::filesystem::path& folder);
/// Whether it has a file of games at all.
bool has_game_log(const std::filesystem::path& folder);

/// A place in the game log of a run, as checkpoints have it: the number of the files before it,
/// and the bytes before it in its file. So they ascend with the log, and in a log of one file they
/// are the positions in that file.
class LogPosition {
 public:
  constexpr LogPosition() = default;
  constexpr explicit LogPosition(std::uint64_t value) : value_(value) {}
  /// In the file with this number.
  constexpr LogPosition(std::uint32_t number, std::uint64_t offset)
      : value_((std::uint64_t{number - 1} << kOffsetBits) | offset) {}

  constexpr std::uint64_t value() const { return value_; }
  constexpr std::uint32_t number() const {
    return static_cast<std::uint32_t>(value_ >> kOffsetBits) + 1;
  }
  constexpr std::uint64_t offset() const {
    return value_ & ((std::uint64_t{1} << kOffsetBits) - 1);
  }

  constexpr auto operator<=>(const LogPosition&) const = default;

 private:
  static constexpr int kOffsetBits = 48;
  std::uint64_t value_ = 0;
};

struct GameLogSettings {
  /// The growing file is closed when a game makes it larger than this; 0: never.
  std::uint64_t segment_bytes = 0;
  RecordLogSettings records = {};
};

/// A closed file of a game log.
struct LogSegment {
  std::uint32_t number;
  std::filesystem::path file;
  bool is_there;  // false: it was moved away, or cannot be read
  SegmentIndex index;
};

/// The log of a run folder, open for writing. Closes its file when it is large and begins another;
/// a process that is killed at any moment meanwhile loses nothing. Movable; used by one thread at a
/// time, except for is_in_place().
class GameLog {
 public:
  /// Opens the growing file (RecordLog::open()) and the indexes of the closed ones; reads only the
  /// growing file and closed files without a usable index, which get a new one.
  static Result<GameLog> open(const std::filesystem::path& folder, std::string_view game,
                              const GameLogSettings& settings);

  /// What opening the growing file found and did. A file that an interrupted process did not begin
  /// any more does not count as created.
  const RecoveryReport& recovery() const { return recovery_; }
  /// Whether there was no file of it when it was opened. Call before the first game.
  bool is_new() const { return recovery_.created && segments_.empty(); }
  /// What open() found of the closed files, a sentence each.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// As RecordLog::append(). A file that cannot be closed loses no game: it grows on, and the
  /// attempt is repeated later. See take_problem().
  Result<void> append(const GameRecord& record);
  /// As RecordLog::flush().
  Result<void> flush() { return log_.flush(); }
  /// As RecordLog::is_in_place(). May be called by any thread.
  bool is_in_place() const;

  /// Why the growing file could not be closed, or a closed one has no index; empty when nothing
  /// happened since the last call.
  std::string take_problem() { return std::exchange(problem_, {}); }

  /// Where the next record begins.
  LogPosition position() const { return {number_, log_.size()}; }
  /// Records in all files.
  std::uint64_t records() const;
  /// The closed files, in order.
  std::span<const LogSegment> segments() const { return segments_; }
  /// The growing file and its number.
  std::filesystem::path growing_file() const { return folder_ / kGrowingFile; }
  std::uint32_t number() const { return number_; }

 private:
  GameLog(std::filesystem::path folder, const GameLogSettings& settings, RecordLog log)
      : folder_(std::move(folder)),
        settings_(settings),
        log_(std::move(log)),
        recovery_(log_.recovery()),
        close_at_(settings.segment_bytes) {}
  static LogSegment open_segment(const std::filesystem::path& folder, std::uint32_t number,
                                 const SegmentFiles& found, std::string_view game,
                                 std::vector<std::string>& warnings);
  Result<void> close_file();

  std::filesystem::path folder_;
  GameLogSettings settings_;
  RecordLog log_;  // the growing file
  RecoveryReport recovery_;
  std::uint64_t close_at_;  // larger than this, the file is closed
  std::uint32_t number_ = 1;
  std::vector<LogSegment> segments_;
  SegmentIndex growing_;  // of the growing file, unless it grows for ever
  std::vector<std::string> warnings_;
  std::string problem_;
  // Held while the growing file is replaced.
  std::unique_ptr<std::mutex> replacing_ = std::make_unique<std::mutex>();
};

/// Reads a game log game by game, even while it is being written. Movable; used by one thread at a
/// time.
class GameLogReader {
 public:
  /// Opens a run folder, to read all of its files that are there in order, or one file. `position`:
  /// 0 for the start, or an earlier position(). Fails when there is no log.
  static Result<GameLogReader> open(const std::filesystem::path& log, std::uint64_t position = 0);

  /// As RecordReader::next(). In a folder it follows the writer into the next file.
  Result<bool> next(GameRecord& record);

  /// The file that is being read.
  const std::filesystem::path& path() const { return reader_.path(); }
  // As of RecordReader, for all files read so far.
  const std::string& game() const { return game_; }
  bool header_damaged() const { return header_damaged_ || reader_.header_damaged(); }
  std::uint64_t skipped_bytes() const { return skipped_bytes_ + reader_.skipped_bytes(); }
  std::uint64_t skipped_places() const { return skipped_places_ + reader_.skipped_places(); }
  SkippedRecords undecodable() const;
  Result<std::uint64_t> bytes_left() const { return reader_.bytes_left(); }

  /// Where the search for the next record starts: in a folder a LogPosition, in a file its bytes.
  std::uint64_t position() const {
    return folder_.empty() ? reader_.position() : LogPosition(number_, reader_.position()).value();
  }

 private:
  struct Opened {
    std::uint32_t number;
    RecordReader reader;
  };
  GameLogReader(std::filesystem::path folder, Opened opened)
      : folder_(std::move(folder)),
        number_(opened.number),
        reader_(std::move(opened.reader)),
        game_(reader_.game()) {}
  static Result<Opened> open_file(const std::filesystem::path& folder, LogPosition position);
  Result<bool> leave_file();

  std::filesystem::path folder_;  // empty: a file
  std::uint32_t number_;
  RecordReader reader_;
  std::string game_;
  // Of the files before.
  bool header_damaged_ = false;
  std::uint64_t skipped_bytes_ = 0, skipped_places_ = 0;
  SkippedRecords undecodable_;
};

}  // namespace senet
