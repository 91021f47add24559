// A temporary folder for a test, deleted by its destructor, and functions for whole files.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace senet {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    // Prefers memory: on a disk thousands of small files and flushes would be slow, and no test can
    // check what a power failure leaves anyway.
    for (const std::filesystem::path& where :
         {std::filesystem::path("/dev/shm"), std::filesystem::temp_directory_path()}) {
      std::string name = (where / "senet-test-XXXXXX").string();
      if (::mkdtemp(name.data()) == nullptr) continue;
      path_ = name;
      return;
    }
    ADD_FAILURE() << "cannot make a temporary folder";
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code unknown;
    std::filesystem::remove_all(path_, unknown);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }
  /// The number of files in it now.
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(path_),
                         std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

/// The contents of a file; empty if there is none.
inline std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(text).str();
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

inline std::vector<std::byte> read_file(const std::filesystem::path& path) {
  const std::string text = text_of(path);
  std::vector<std::byte> bytes(text.size());
  std::ranges::copy(std::as_bytes(std::span(text)), bytes.begin());
  return bytes;
}

inline void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file) ADD_FAILURE() << "cannot write " << path;
}

}  // namespace senet
