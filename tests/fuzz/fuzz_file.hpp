// A file in memory, for targets whose code reads files.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "tests/fuzz/fuzz_target.hpp"

namespace senet {

/// The process has it for as long as it runs; its content changes.
class FuzzFile {
 public:
  FuzzFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    promise(descriptor_ >= 0, "there is a file in memory");
  }

  /// Any program code can open it under this name.
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  /// Replaces the content; with a larger `size`, zeros follow `bytes`.
  void set(std::span<const std::byte> bytes, std::size_t size = 0) const {
    const bool is_set =
        ::ftruncate(descriptor_, 0) == 0 &&
        ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) ==
            static_cast<ssize_t>(bytes.size()) &&
        (size <= bytes.size() || ::ftruncate(descriptor_, static_cast<off_t>(size)) == 0);
    promise(is_set, "the file in memory takes all bytes");
  }

 private:
  const int descriptor_;
};

}  // namespace senet
