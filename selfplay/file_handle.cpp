#include "selfplay/file_handle.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace senet {
namespace {

Error system_failure(const std::filesystem::path& path, std::string_view doing) {
  const int number = errno;
  return fail(fmt::format("{}: cannot {}: {}", path.string(), doing,
                          std::generic_category().message(number)));
}

int flags_of(FileHandle::Mode mode) {
  // O_NONBLOCK: a pipe given by mistake is refused instead of waited for; files do not care.
  constexpr int kAlways = O_CLOEXEC | O_NONBLOCK;
  switch (mode) {
    case FileHandle::Mode::kRead:
      return kAlways | O_RDONLY;
    case FileHandle::Mode::kReadWrite:
      return kAlways | O_RDWR | O_CREAT;
    case FileHandle::Mode::kCreateNew:
      return kAlways | O_RDWR | O_CREAT | O_EXCL;
  }
  return kAlways | O_RDONLY;
}

}  // namespace

Result<FileHandle> FileHandle::open(const std::filesystem::path& path, Mode mode) {
  const int descriptor = ::open(path.c_str(), flags_of(mode), 0644);
  if (descriptor < 0) return system_failure(path, "open");
  FileHandle file(descriptor, path);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return system_failure(path, "open");
  if (!S_ISREG(status.st_mode))
    return fail(fmt::format("{}: is not a regular file", path.string()));
  return file;
}

FileHandle::FileHandle(FileHandle&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::uint64_t> FileHandle::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return system_failure(path_, "ask for its size");
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::size_t> FileHandle::read_at(std::uint64_t offset, std::span<std::byte> to) const {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t got =
        ::pread(descriptor_, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_failure(path_, "read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<void> FileHandle::write_at(std::uint64_t offset, std::span<const std::byte> from) {
  std::size_t done = 0;
  while (done < from.size()) {
    const ssize_t put = ::pwrite(descriptor_, from.data() + done, from.size() - done,
                                 static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_failure(path_, "write");
    done += static_cast<std::size_t>(put);
  }
  return {};
}

Result<void> FileHandle::truncate(std::uint64_t size) {
  while (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    if (errno != EINTR) return system_failure(path_, "truncate");
  }
  return {};
}

Result<void> FileHandle::sync() {
  while (::fdatasync(descriptor_) != 0) {
    if (errno != EINTR) return system_failure(path_, "flush to the disk");
  }
  return {};
}

Result<void> FileHandle::lock() {
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return fail(fmt::format("{}: is in use by another writer", path_.string()));
    }
    if (errno != EINTR) return system_failure(path_, "lock");
  }
  return {};
}

}  // namespace senet
