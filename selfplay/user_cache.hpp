// The user's folder for files that can be built again.
#pragma once

#include <filesystem>

namespace senet {

/// $XDG_CACHE_HOME/senet, else ~/.cache/senet (XDG Base Directory Specification). Empty if the
/// environment has neither XDG_CACHE_HOME nor HOME.
std::filesystem::path user_cache_folder();

}  // namespace senet
