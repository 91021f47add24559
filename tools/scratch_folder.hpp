// A temporary folder that is removed with its owner.
#pragma once

#include <fmt/core.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "senet/result.hpp"

namespace senet {

/// Owns a new folder in the system's temporary directory. The destructor removes it with all its
/// contents. Movable.
class ScratchFolder {
 public:
  /// Creates the folder; its name begins with `prefix`. Fails with the system's error.
  static Result<ScratchFolder> make(const std::string& prefix) {
    std::error_code error;
    const auto where = std::filesystem::temp_directory_path(error);
    if (error) return fail("no usable temporary directory: " + error.message());
    std::string name = where / (prefix + "XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) {
      return fail(fmt::format("cannot make a folder in {}: {}", where.string(),
                              std::generic_category().message(errno)));
    }
    return ScratchFolder(name);
  }

  const std::filesystem::path& path() const { return *path_; }

 private:
  struct Remove {
    void operator()(const std::filesystem::path* path) const {
      std::error_code ignored;
      std::filesystem::remove_all(*path, ignored);
      delete path;
    }
  };
  explicit ScratchFolder(const std::string& name) : path_(new std::filesystem::path(name)) {}

  std::unique_ptr<const std::filesystem::path, Remove> path_;
};

}  // namespace senet
