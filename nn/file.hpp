// Files as values: an open one that closes itself, a mapped one, and one that is replaced whole.
// Every failure is a value that names the file and the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "senet/result.hpp"

namespace senet {

/// Owns one POSIX file descriptor of a regular file; reads and writes all that was asked. Movable.
/// Belongs to one thread at a time.
class FileHandle {
 public:
  enum class Mode : std::uint8_t {
    kRead,       // an existing file
    kReadWrite,  // one that is made when missing
    kCreateNew,  // a new one: fails when the file is there
    kOverwrite,  // an empty one, whatever was there; for writing only
  };
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
  friend class MappedFile;
  FileHandle(int descriptor, std::filesystem::path path)
      : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;
  std::filesystem::path path_;
};

/// Owns one private read-only mapping of a whole regular file; empty when default-constructed,
/// moved from or when the file is empty. A program that replaces such a file must rename a new one
/// over it (see replace_file): a file cut short while it is mapped kills its reader with SIGBUS,
/// and no check here can prevent that.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& file);

  /// The file's bytes, valid while this object lives; the first one is page-aligned.
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

/// Writes a file so that no reader, and no power cut, ever sees half of it: `parts` one after the
/// other to a temporary file beside `file` (its name + ".<process id>.tmp"), flushes it to disk,
/// renames it over `file` and flushes the folder. On failure `file` is untouched and the temporary
/// file removed. One writer per file and process at a time.
Result<void> replace_file(const std::filesystem::path& file,
                          const std::vector<std::span<const std::byte>>& parts);

/// Waits until the names in the folder of `file` are on the disk, so that a new or renamed file is
/// found after a power failure. File systems that cannot flush a folder count as flushed.
Result<void> flush_folder_of(const std::filesystem::path& file);

}  // namespace senet
