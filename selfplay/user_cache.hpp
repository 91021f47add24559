// The user's folder for files that can be built again.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace senet {

/// $XDG_CACHE_HOME/senet, else ~/.cache/senet (XDG Base Directory Specification). Empty if the
/// environment has neither XDG_CACHE_HOME nor HOME.
inline std::filesystem::path user_cache_folder() {
  const auto folder_in = [](const char* name) -> std::filesystem::path {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  // The specification ignores relative paths.
  if (const auto cache = folder_in("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "senet";
  const auto home = folder_in("HOME");
  return home.empty() ? home : home / ".cache" / "senet";
}

}  // namespace senet
