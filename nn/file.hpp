// Owned file handles, mapped files and atomic replacement of files. Every error names the file and
// the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "senet/result.hpp"

namespace senet {

/// Owns one POSIX file descriptor of a regular file. Reads and writes complete requests. Movable.
/// Belongs to one thread at a time.
class FileHandle {
 public:
  enum class Mode : std::uint8_t {
    kRead,       // an existing file
    kReadWrite,  // created if missing
    kCreateNew,  // a new file; fails if it exists
    kOverwrite,  // truncated or created; for writing only
  };
  static Result<FileHandle> open(const std::filesystem::path& path, Mode mode);

  FileHandle(FileHandle&& other) noexcept;
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();

  /// The current size in bytes.
  Result<std::uint64_t> size() const;

  /// Fills `to` from `offset`. Returns the number of bytes read, which is smaller than to.size()
  /// only at the end of the file.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> to) const;

  /// Writes all of `from` at `offset`. On failure a part may have been written.
  Result<void> write_at(std::uint64_t offset, std::span<const std::byte> from);

  Result<void> truncate(std::uint64_t size);

  /// Waits until the content is on disk (fdatasync).
  Result<void> sync();

  /// Takes the exclusive lock on the file (flock) without waiting; fails if another open handle has
  /// it.
  Result<void> lock();

  const std::filesystem::path& path() const { return path_; }

 private:
  friend class MappedFile;
  FileHandle(int descriptor, std::filesystem::path path)
      : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;
  std::filesystem::path path_;
};

/// Owns one private read-only mapping of a whole regular file. Empty if default-constructed, moved
/// from or if the file is empty. A program that replaces such a file must rename a new one over it
/// (see replace_file): truncating a mapped file kills its reader with SIGBUS, which no check here
/// can prevent.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& file);

  /// The file's bytes, page-aligned. Valid while this object exists.
  std::span<const std::byte> bytes() const {
    return {data_.get(), data_ ? data_.get_deleter().size : 0};
  }

 private:
  struct Unmap {
    std::size_t size;
    void operator()(const std::byte* data) const;
  };
  std::unique_ptr<const std::byte, Unmap> data_;
};

/// Replaces a file atomically, so that neither a reader nor a power failure leaves a partial file:
/// writes `parts` in order to a temporary file next to `file` (its name + ".<process id>.<thread
/// id>.tmp"), flushes it to disk, renames it over `file` and flushes the folder. On failure `file`
/// is unchanged and the temporary file is removed. Several threads and processes may replace the
/// same file: the last one wins.
Result<void> replace_file(const std::filesystem::path& file,
                          const std::vector<std::span<const std::byte>>& parts);

/// Flushes the folder of `file` to disk, so that a new or renamed file survives a power failure.
/// Succeeds on file systems that cannot flush a folder.
Result<void> flush_folder_of(const std::filesystem::path& file);

}  // namespace senet
