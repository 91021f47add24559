// Finds the whole and unharmed frames of a log file, one after the other, and finds its way back
// after damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "selfplay/file_handle.hpp"
#include "selfplay/record_frame.hpp"

namespace senet {

/// Walks over a file that may grow meanwhile. Where no frame stands, it looks for the next one
/// whose checksum matches and counts what it skipped. Belongs to one thread at a time.
class FrameScanner {
 public:
  /// Starts at `position`, which need not be the start of a frame.
  explicit FrameScanner(std::uint64_t position) : position_(position) {}

  /// Moves to the next good frame at or after position(); afterwards header() and stored() show it
  /// and position() is its end. False when there is none up to the present end of the file;
  /// position() stays, so that a frame which is only half written is found later. Fails when the
  /// file cannot be read or has become shorter than position().
  Result<bool> next(const FileHandle& file);

  const FrameHeader& header() const { return header_; }
  /// The stored bytes of the frame. Valid until the next call of next().
  std::span<const std::byte> stored() const { return stored_; }

  std::uint64_t position() const { return position_; }
  /// Damaged bytes between good frames so far, and in how many places.
  std::uint64_t skipped_bytes() const { return skipped_bytes_; }
  std::uint64_t skipped_places() const { return skipped_places_; }

 private:
  Result<bool> try_frame(const FileHandle& file, std::uint64_t offset);
  Result<bool> finish(Result<bool> good, std::uint64_t offset);
  Result<std::optional<std::uint64_t>> find_frame(const FileHandle& file, std::uint64_t offset);
  Result<std::optional<std::uint64_t>> find_magic(const FileHandle& file, std::uint64_t offset);
  Result<std::span<const std::byte>> bytes_at(const FileHandle& file, std::uint64_t offset,
                                              std::size_t count);

  std::uint64_t position_;
  std::uint64_t skipped_bytes_ = 0;
  std::uint64_t skipped_places_ = 0;
  FrameHeader header_;
  std::span<const std::byte> stored_;
  std::vector<std::byte> window_;  // window_[0, window_size_) is the file from window_start_
  std::uint64_t window_start_ = 0;
  std::size_t window_size_ = 0;
};

}  // namespace senet
