#include "tools/gnubg/scratch_folder.hpp"

#include <fmt/core.h>
#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace senet {

Result<ScratchFolder> ScratchFolder::make(const std::string& prefix) {
  std::error_code error;
  const std::filesystem::path where = std::filesystem::temp_directory_path(error);
  if (error) return fail(fmt::format("there is no folder for scratch files: {}", error.message()));
  std::string name = (where / (prefix + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    return fail(fmt::format("cannot make a folder in {}: {}", where.string(),
                            std::generic_category().message(errno)));
  }
  return ScratchFolder(name);
}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  std::error_code unknown;
  std::filesystem::remove_all(path_, unknown);
}

}  // namespace senet
