// The frame of one record in a log file: a header with a checksum, then the payload, compressed
// where that makes it smaller. Also finds the intact frames of a file.
#pragma once

#include <zstd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/file.hpp"
#include "selfplay/record_codec.hpp"
#include "senet/result.hpp"

namespace senet {

// File header                             Frame (any number, no gaps)
//   0  u8[8] "SenetLog"                     0  u32 kFrameMagic ("SGR\x1a" in the file)
//   8  u16   kLogVersion                    4  u32 bits 0..30 stored bytes, bit 31 set: zstd
//  10  u16   bytes of the game's name       8  u64 XXH3-64 of the stored bytes, seeded with the
//  12  name                                        second word
//   +  u64   XXH3-64 of all before         16  stored bytes
// All numbers are little-endian.

inline constexpr std::uint16_t kLogVersion = 1;
inline constexpr std::uint32_t kFrameMagic = 0x1a524753;
inline constexpr std::size_t kFrameHeaderBytes = 16;

/// The file header of a log of `game`, which has at most GameRecord::kMaxText bytes.
std::vector<std::byte> file_header(std::string_view game);

struct FileHeader {
  std::string game;
  std::uint16_t version = kLogVersion;
  std::size_t bytes = 0;
};

/// Parses the header at the start of `bytes` (at least kMaxFileHeader of them, or the whole file).
/// Fails for other kinds of files and damaged headers, but not for other versions.
Result<FileHeader> parse_file_header(std::span<const std::byte> bytes);
inline constexpr std::size_t kMaxFileHeader = 12 + GameRecord::kMaxText + 8;

/// The fields of a frame header. parse_frame_header() gives nothing when `bytes` (at least
/// kFrameHeaderBytes) do not start with one.
struct FrameHeader {
  std::uint32_t stored_bytes = 0;
  bool compressed = false;
  std::uint64_t checksum = 0;

  std::size_t frame_bytes() const { return kFrameHeaderBytes + stored_bytes; }
};
std::optional<FrameHeader> parse_frame_header(std::span<const std::byte> bytes);

/// Whether `stored` (stored_bytes long) matches the header's checksum.
bool matches(const FrameHeader& header, std::span<const std::byte> stored);

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// Builds frames. Reuses its compression memory; used by one thread at a time.
class FramePacker {
 public:
  /// `level` is the zstd level; 0 stores payloads uncompressed.
  explicit FramePacker(int level);

  /// Writes the frame of `payload` (1 to kMaxPayload bytes) into `frame`, replacing its content.
  void pack(std::span<const std::byte> payload, std::vector<std::byte>& frame);

 private:
  std::unique_ptr<ZSTD_CCtx, FreeZstd> context_;
  int level_;
};

/// Unpacks frames. Reuses its memory; used by one thread at a time.
class FrameUnpacker {
 public:
  FrameUnpacker();

  /// The payload of a frame whose checksum matches: a view of `stored`, or of the unpacker's
  /// memory, valid until the next call. Fails when the content is not a zstd frame of at most
  /// kMaxPayload bytes.
  Result<std::span<const std::byte>> unpack(const FrameHeader& header,
                                            std::span<const std::byte> stored);

 private:
  std::unique_ptr<ZSTD_DCtx, FreeZstd> context_;
  std::vector<std::byte> payload_;
};

/// Iterates over the frames of a file that may be growing. Skips damaged bytes up to the next frame
/// whose checksum matches, and counts them. Used by one thread at a time.
///
/// Not every frame that a header announces can be hashed: a megabyte of forged headers announces
/// 256 GB. So frames that fail are paid for from a budget, kFreeBytes and kBytesPerSkipped for each
/// byte skipped so far, and what it does not cover is skipped without being hashed, as damage.
///
/// There are two budgets, so that damage that is no forgery costs no good frame. One is for frames
/// that are followed by another frame's magic or by the end of the file. All good frames are,
/// except just before damage; of the bad ones nearly only those with damaged content, which earn
/// more by being skipped than they cost. So this budget ends only under forged frames; it is then
/// the first good frame after them that may be lost, for skipping it earns enough for the next. The
/// other budget is for all other frames. Damaged lengths, which lead anywhere, use it up; a good
/// frame just before damage is lost only if it is also much larger than the damage so far.
class FrameScanner {
 public:
  /// Starts at `position`, which need not be the start of a frame.
  explicit FrameScanner(std::uint64_t position) : position_(position) {}

  /// Moves to the next good frame at or after position(). Returns true if there is one: header()
  /// and stored() then describe it, and position() is its end. Returns false when there is none
  /// before the current end of the file; position() then stays the same, so that a later call finds
  /// a frame that is half-written now. Fails when the file cannot be read or has become shorter
  /// than position().
  Result<bool> next(const FileHandle& file);

  const FrameHeader& header() const { return header_; }
  /// The stored bytes of the frame. Valid until the next call of next().
  std::span<const std::byte> stored() const { return stored_; }

  std::uint64_t position() const { return position_; }
  /// Damaged bytes between good frames so far, and the number of places.
  std::uint64_t skipped_bytes() const { return skipped_bytes_; }
  std::uint64_t skipped_places() const { return skipped_places_; }

  static constexpr std::uint64_t kFreeBytes = 4 * (kFrameHeaderBytes + kMaxPayload);
  static constexpr std::uint64_t kBytesPerSkipped = 8;
  /// Bytes of all frames hashed so far, good or not, and bytes read from the file.
  std::uint64_t hashed_bytes() const { return hashed_bytes_; }
  std::uint64_t read_bytes() const { return read_bytes_; }

 private:
  enum Follower : std::uint8_t { kOther, kFrameOrEnd };

  Result<bool> try_frame(const FileHandle& file, std::uint64_t offset);
  Result<bool> try_again(const FileHandle& file);
  static Follower follower_of(std::span<const std::byte> bytes);
  bool can_afford(const FrameHeader& announced, Follower follower, std::uint64_t offset) const;
  bool take_if_good(const FrameHeader& announced, Follower follower,
                    std::span<const std::byte> frame);
  bool finish(std::uint64_t offset);
  Result<std::optional<std::uint64_t>> find_frame(const FileHandle& file, std::uint64_t offset);
  Result<std::span<const std::byte>> bytes_at(const FileHandle& file, std::uint64_t offset,
                                              std::size_t least);

  std::uint64_t position_;
  std::uint64_t skipped_bytes_ = 0;
  std::uint64_t skipped_places_ = 0;
  std::array<std::uint64_t, 2> failed_bytes_{};  // hashed in vain, by Follower
  std::uint64_t hashed_bytes_ = 0;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t file_size_ = 0;  // when next() began
  FrameHeader header_;
  std::span<const std::byte> stored_;
  std::vector<std::byte> again_;   // the bytes of a frame that try_again() read
  std::vector<std::byte> window_;  // window_[0, window_size_) is the file from window_start_
  std::uint64_t window_start_ = 0;
  std::size_t window_size_ = 0;
};

}  // namespace senet
