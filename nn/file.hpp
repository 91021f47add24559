// Owned file handles, whole files in memory or mapped, and atomic replacement of files. Every error
// names the file and the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/aligned_vector.hpp"
#include "senet/result.hpp"

namespace senet {

/// The content of a file.
using FileBytes = AlignedVector<std::byte>;

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

  /// The whole file. Later changes of the file do not affect the copy.
  Result<FileBytes> read_all() const;

  /// Writes all of `from` at `offset`. On failure a part may have been written.
  Result<void> write_at(std::uint64_t offset, std::span<const std::byte> from);

  /// Writes all of `from` at the end of the file. On failure the file keeps its old end, so that a
  /// later call may succeed.
  Result<void> append(std::span<const std::byte> from);

  Result<void> truncate(std::uint64_t size);

  /// Waits until the content is on disk (fdatasync).
  Result<void> sync();

  /// Takes the exclusive lock on the file (flock); fails if another open handle, which the error
  /// calls `user`, has it for more than a moment: who only asks whether a file is locked takes its
  /// lock for a moment.
  Result<void> lock(std::string_view user = "another writer");

  /// Where the file is now. Any thread may call it.
  enum class Place : std::uint8_t {
    kAtPath,     // also where the system does not know
    kElsewhere,  // only under other names: it was moved
    kRemoved,    // it has no name any more and ends with this handle
  };
  Place place() const;

  const std::filesystem::path& path() const { return path_; }

 private:
  friend class MappedFile;
  FileHandle(int descriptor, std::filesystem::path path)
      : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;
  std::filesystem::path path_;
};

/// The whole of a regular file.
Result<FileBytes> read_whole_file(const std::filesystem::path& file);

/// Owns one private read-only mapping of a whole regular file. Empty if default-constructed, moved
/// from or if the file is empty. Truncating a mapped file kills its reader with SIGBUS, which no
/// check here can prevent: only for large files in our own cache folder, which processes share in
/// memory and which are only ever replaced (see replace_file). Files that users handle are read
/// (read_whole_file).
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

/// The name of the file that replace_file() replaces by way of `temporary`; empty for the names
/// that it does not use.
std::string replaced_name(const std::filesystem::path& temporary);

/// Flushes the folder of `file` to disk, so that a new or renamed file survives a power failure.
/// Succeeds on file systems that cannot flush a folder.
Result<void> flush_folder_of(const std::filesystem::path& file);

}  // namespace senet
