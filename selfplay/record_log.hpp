// Finished games on disk: an append-only file of checksummed records that survives crashes, and its
// reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nn/file.hpp"
#include "selfplay/game_record.hpp"
#include "selfplay/record_frame.hpp"
#include "senet/result.hpp"

namespace senet {

struct RecordLogSettings {
  /// Waits for the disk after every so many records; 0: only when flush() is called. A killed
  /// process loses no appended record either way; a power failure loses those that were not
  /// flushed.
  std::uint32_t sync_every = 0;
  /// zstd level of each record, 1 to 19; 0 stores them as they are.
  int compression_level = 1;
};

/// What opening a log for writing found.
struct RecoveryReport {
  bool created = false;             // there was no log, or only the torn beginning of one
  std::uint64_t damaged_bytes = 0;  // in the middle; left where they are, readers skip them
  std::uint64_t damaged_places = 0;
  std::uint64_t moved_bytes = 0;   // damaged tail, moved out of the log ...
  std::filesystem::path moved_to;  // ... to this file; empty when there was none
};

/// Appends records to one file. Holds the file's lock, so that there is one writer at a time in all
/// processes. Movable; belongs to one thread at a time. After warming up, append() allocates
/// nothing of ours (zstd resizes its workspace now and then when sizes vary much).
class RecordLog {
 public:
  /// Opens the log of `game` (at most GameRecord::kMaxText bytes), making it when it is missing,
  /// checks all of it, and moves a damaged tail (a crash in the middle of a write) to
  /// `<path>.damaged-<offset>`. Fails, and leaves the file as it is, when another writer has it,
  /// when it is no log of this game, or when the tail cannot be moved.
  static Result<RecordLog> open(const std::filesystem::path& path, std::string_view game,
                                const RecordLogSettings& settings);

  /// What open() found and did.
  const RecoveryReport& recovery() const { return recovery_; }

  /// Appends one record. On failure (disk full, a record that encode() refuses, another game)
  /// nothing of it stays in the log, and later calls may succeed; but see flush().
  Result<void> append(const GameRecord& record);

  /// Waits until all appended records are on the disk. Once this has failed, here or within
  /// append(), the system may have dropped what was not yet on the disk: the log then refuses
  /// everything until it is opened anew.
  Result<void> flush();

  /// Bytes of good log: where the next record will stand.
  std::uint64_t size() const { return end_; }
  /// Records in the log, those found by open() included.
  std::uint64_t records() const { return records_; }

 private:
  RecordLog(FileHandle file, std::string_view game, const RecordLogSettings& settings)
      : file_(std::move(file)),
        game_(game),
        settings_(settings),
        packer_(settings.compression_level) {}

  Result<void> recover();
  Result<void> create_header();
  Result<void> move_tail(std::uint64_t file_size);
  Result<void> take_back();

  FileHandle file_;
  std::string game_;
  RecordLogSettings settings_;
  FramePacker packer_;
  RecoveryReport recovery_;
  std::uint64_t end_ = 0;
  std::uint64_t records_ = 0;
  std::uint32_t unsynced_ = 0;      // records since the last flush
  bool has_torn_end_ = false;       // bytes of a failed append may stand beyond end_
  bool lost_sync_ = false;          // a flush failed
  std::vector<std::byte> payload_;  // reused
  std::vector<std::byte> frame_;
};

/// Reads a log record by record, also while it is being written. Movable; belongs to one thread at
/// a time.
class RecordReader {
 public:
  /// Opens a log for reading at `position` bytes: 0 for its start, a position() of before to go on
  /// there, or anything else, in which case the next whole record after it comes first. A damaged
  /// file header is forgiven when a good record follows it. Fails when the file is no log.
  static Result<RecordReader> open(const std::filesystem::path& path, std::uint64_t position = 0);

  /// Reads the next good record into `record` (no allocation when it is large enough). False when
  /// there is none yet; call again when the log has grown. Fails when the file cannot be read or
  /// became shorter, and when an unharmed record cannot be decoded (a newer version); that one is
  /// then behind, and next() may be called again.
  Result<bool> next(GameRecord& record);

  /// The log's game; empty when its header is damaged.
  const std::string& game() const { return game_; }
  bool header_damaged() const { return header_damaged_; }
  /// Where the next record will be looked for, in bytes from the start of the file.
  std::uint64_t position() const { return scanner_.position(); }
  /// Damaged bytes passed over so far, and in how many places. A start in the middle of a record
  /// counts.
  std::uint64_t skipped_bytes() const { return scanner_.skipped_bytes(); }
  std::uint64_t skipped_places() const { return scanner_.skipped_places(); }
  /// Bytes beyond position() now: after next() has said false, a record in the making or a damaged
  /// tail.
  Result<std::uint64_t> bytes_left() const;

 private:
  RecordReader(FileHandle file, std::uint64_t position)
      : file_(std::move(file)), scanner_(position) {}

  FileHandle file_;
  FrameScanner scanner_;
  FrameUnpacker unpacker_;
  std::string game_;
  bool header_damaged_ = false;
};

}  // namespace senet
