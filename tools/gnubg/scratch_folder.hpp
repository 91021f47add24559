// A folder for a program that wants one, gone with its owner.
#pragma once

#include <filesystem>
#include <utility>

#include "senet/result.hpp"

namespace senet {

/// Owns a new folder under the system's folder for such things, and removes it with all that is in
/// it. Movable.
class ScratchFolder {
 public:
  /// Makes the folder; its name begins with `prefix`. Fails with the system's reason.
  static Result<ScratchFolder> make(const std::string& prefix);

  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace senet
