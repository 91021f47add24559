// A crash-safe, append-only file of finished games as checksummed records, and its reader.
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
  /// Syncs to the disk after this many records; 0: only on flush(). In either case a killed process
  /// loses no appended record; a power failure loses the records that were not synced.
  std::uint32_t sync_every = 0;
  /// zstd level of each record, 1 to 19; 0 stores records uncompressed.
  int compression_level = 1;
};

/// What opening a log for writing found and did.
struct RecoveryReport {
  bool created = false;             // there was no log, or only an incomplete header
  std::uint64_t damaged_bytes = 0;  // damage in the middle; left in place, readers skip it
  std::uint64_t damaged_places = 0;
  std::uint64_t moved_bytes = 0;   // size of the damaged tail that was moved out of the log ...
  std::filesystem::path moved_to;  // ... to this file; empty when there was none
};

/// Intact records that a reader skips: they cannot be decoded, of a newer program or forged, or
/// break the rules of their game.
struct SkippedRecords {
  std::uint64_t count = 0;
  std::filesystem::path first_in;  // the file of the first ...
  std::uint64_t first_at = 0;      // ... and its position there, in bytes
  std::string first_reason;

  /// Adds those of a later part of the log.
  void add(const SkippedRecords& later) {
    const std::uint64_t before = count;
    if (before == 0) *this = later;
    count = before + later.count;
  }
};

/// Appends records to one file. Holds the file's lock, so only one process can write it at a time.
/// Movable; used by one thread at a time. After warm-up, append() allocates only within zstd, which
/// occasionally resizes its workspace when record sizes vary widely.
class RecordLog {
 public:
  /// Opens the log of `game` (at most GameRecord::kMaxText bytes), creating it when it is missing.
  /// Checks the whole log and moves a damaged tail (from a crash during a write) to
  /// `<path>.damaged-<offset>`. Fails, and leaves the file unchanged, when another writer has it
  /// open, when it is not a log of this game, or when the tail cannot be moved.
  static Result<RecordLog> open(const std::filesystem::path& path, std::string_view game,
                                const RecordLogSettings& settings);

  /// What open() found and did.
  const RecoveryReport& recovery() const { return recovery_; }

  /// Appends one record. On failure (disk full, a record that encode() rejects, a game in play,
  /// another game) the log is unchanged and later calls may succeed; but see flush().
  ///
  /// Fails, as flush() does, once the file has been moved or removed, or replaced by another one,
  /// where the record could not be found. The records of a removed file are first copied to
  /// `<path>.removed`, which the error names.
  Result<void> append(const GameRecord& record);

  /// Waits until all appended records are on the disk. After a failure, here or within append(),
  /// the system may have dropped data that was not yet on the disk: the log then rejects all calls
  /// until it is reopened.
  Result<void> flush();

  /// Whether the path still leads to the file. May be called by any thread.
  bool is_in_place() const { return file_.place() == FileHandle::Place::kAtPath; }

  /// Size of the valid log in bytes: the offset of the next record.
  std::uint64_t size() const { return end_; }
  /// Records in the log, including those found by open().
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
  Result<void> truncate_to_end();
  Result<void> check_place();

  FileHandle file_;
  std::string game_;
  RecordLogSettings settings_;
  FramePacker packer_;
  RecoveryReport recovery_;
  std::uint64_t end_ = 0;
  std::uint64_t records_ = 0;
  std::uint32_t unsynced_ = 0;      // records since the last flush
  bool has_torn_end_ = false;       // bytes of a failed append may follow end_
  bool lost_sync_ = false;          // a flush failed
  std::string lost_place_;          // why all calls fail after the file was moved or removed
  std::vector<std::byte> payload_;  // reused
  std::vector<std::byte> frame_;
};

/// Reads a log record by record, even while it is being written. Movable; used by one thread at a
/// time.
class RecordReader {
 public:
  /// Opens a log for reading at byte `position`: 0 for its start, an earlier position() to continue
  /// there, or any other offset, in which case reading starts at the next whole record. A damaged
  /// file header is tolerated when a good record follows it. Fails when the file is not a log.
  static Result<RecordReader> open(const std::filesystem::path& path, std::uint64_t position = 0);

  /// Reads the next good record into `record` (no allocation when it is large enough). False when
  /// there is none yet; call again when the log has grown. Skips intact records that cannot be
  /// decoded. Fails when the file cannot be read or became shorter.
  Result<bool> next(GameRecord& record);

  const std::filesystem::path& path() const { return file_.path(); }
  /// The log's game; empty when its header is damaged.
  const std::string& game() const { return game_; }
  bool header_damaged() const { return header_damaged_; }
  /// Where the search for the next record starts, in bytes from the start of the file.
  std::uint64_t position() const { return scanner_.position(); }
  /// Damaged bytes skipped so far, and the number of places. Starting in the middle of a record
  /// counts.
  std::uint64_t skipped_bytes() const { return scanner_.skipped_bytes(); }
  std::uint64_t skipped_places() const { return scanner_.skipped_places(); }
  /// Records skipped so far because they could not be decoded.
  const SkippedRecords& undecodable() const { return undecodable_; }
  /// Bytes after position() now: after next() returned false, an incomplete record or a damaged
  /// tail.
  Result<std::uint64_t> bytes_left() const;
  /// Whether the path that was opened still leads to the file.
  bool is_in_place() const { return file_.place() == FileHandle::Place::kAtPath; }

 private:
  RecordReader(FileHandle file, std::uint64_t position)
      : file_(std::move(file)), scanner_(position) {}

  FileHandle file_;
  FrameScanner scanner_;
  FrameUnpacker unpacker_;
  SkippedRecords undecodable_;
  std::string game_;
  bool header_damaged_ = false;
};

}  // namespace senet
