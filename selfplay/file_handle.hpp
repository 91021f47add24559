// An open file as a value: closes itself, reads and writes all that was asked, and tells failures
// as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "senet/result.hpp"

namespace senet {

/// Owns one POSIX file descriptor of a regular file. Movable. Belongs to one thread at a time.
/// Every failure names the file and the system's reason.
class FileHandle {
 public:
  enum class Mode { kRead, kReadWrite, kCreateNew };  // kCreateNew fails when the file is there

  /// Opens an existing regular file (kRead), one that is made when missing (kReadWrite), or a new
  /// one.
  static Result<FileHandle> open(const std::filesystem::path& path, Mode mode);

  FileHandle(FileHandle&& other) noexcept;
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();

  /// Bytes in the file now.
  Result<std::uint64_t> size() const;

  /// Fills `to` from `offset`; returns how many bytes there were, fewer than asked only at the end
  /// of file.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> to) const;

  /// Writes all of `from` at `offset`. On failure a part may have been written.
  Result<void> write_at(std::uint64_t offset, std::span<const std::byte> from);

  Result<void> truncate(std::uint64_t size);

  /// Waits until the content is on the disk (fdatasync).
  Result<void> sync();

  /// Takes the lock that only one open file handle at a time can hold (flock); never waits.
  Result<void> lock();

  const std::filesystem::path& path() const { return path_; }

 private:
  FileHandle(int descriptor, std::filesystem::path path)
      : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;
  std::filesystem::path path_;
};

}  // namespace senet
