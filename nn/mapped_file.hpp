// A whole file as read-only memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "senet/result.hpp"

namespace senet {

/// Owns one private read-only mapping of a regular file; empty when default-constructed, moved from
/// or when the file is empty. Whoever replaces such a file must rename a new one over it (see
/// replace_file): a file cut short while it is mapped kills its reader with SIGBUS, and no check
/// here can prevent that.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& from) noexcept;
  MappedFile& operator=(MappedFile&& from) noexcept;
  ~MappedFile();

  /// Maps `file`. The reason names the file and what the system said.
  static Result<MappedFile> open(const std::filesystem::path& file);

  /// The file's bytes, valid while this object lives; the first one is page-aligned.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

}  // namespace senet
