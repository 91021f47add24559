#include "train_bridge/run_lock.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <absl/cleanup/cleanup.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>

namespace senet {
namespace {

constexpr const char* kLockFile = "lock";

// The process id in the lock file; 0 if there is none.
pid_t process_in(const std::filesystem::path& folder) {
  pid_t process = 0;
  std::ifstream(folder / kLockFile) >> process;
  return process > 0 ? process : 0;
}

// Whether the process has this file open, as far as this process may see it.
bool has_open(pid_t process, const struct stat& file) {
  std::error_code error;
  const std::filesystem::path descriptors = fmt::format("/proc/{}/fd", process);
  std::filesystem::directory_iterator at(descriptors, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    struct stat other {};
    if (::stat(at->path().c_str(), &other) == 0 && other.st_dev == file.st_dev &&
        other.st_ino == file.st_ino) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<FileHandle> lock_run(const std::filesystem::path& folder) {
  Result<FileHandle> file = FileHandle::open(folder / kLockFile, FileHandle::Mode::kReadWrite);
  if (!file) return file;
  const pid_t process = process_in(folder);
  const std::string user = process == 0 ? "another process" : fmt::format("process {}", process);
  if (auto locked = file->lock(user + ", which plays this run"); !locked) return locked.error();
  const std::string text = fmt::format("{}\n", getpid());
  if (auto cut = file->truncate(0); !cut) return cut.error();
  if (auto put = file->write_at(0, std::as_bytes(std::span(text))); !put) return put.error();
  return file;
}

RunPlayer player_of(const std::filesystem::path& folder) {
  const int lock = ::open((folder / kLockFile).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (lock < 0) return {};
  const absl::Cleanup close = [lock] { ::close(lock); };
  struct stat file {};
  if (::fstat(lock, &file) != 0 || ::flock(lock, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    return {};
  }
  const pid_t process = process_in(folder);
  return {.is_there = true, .process = process > 0 && has_open(process, file) ? process : 0};
}

}  // namespace senet
