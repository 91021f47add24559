// The lock of a run folder: only one process plays a run, and others find out which.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "nn/file.hpp"

namespace senet {

/// Takes the lock of a run folder: its file `lock`, with the id of the process that has it. The
/// file stays when the run ends; a lock ends with its process. Fails when another process plays the
/// run, which the error names.
Result<FileHandle> lock_run(const std::filesystem::path& folder);

/// The process that plays a run.
struct RunPlayer {
  bool is_there = false;  // the folder is locked
  /// 0 if the process cannot be recognised from here: it is in another container, or another user
  /// has started it.
  pid_t process = 0;

  bool operator==(const RunPlayer&) const = default;
};

/// Looks for the process that has the lock. Its id is the one in the file `lock`, but only if that
/// process has the file open: ids are used again.
RunPlayer player_of(const std::filesystem::path& folder);

}  // namespace senet
