#include "nn/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace senet {
namespace {

Error system_failure(const std::filesystem::path& path, std::string_view doing) {
  const int number = errno;
  return fail(fmt::format("{}: cannot {}: {}", path.string(), doing,
                          std::generic_category().message(number)));
}

constexpr std::array kFlags = {O_RDONLY, O_RDWR | O_CREAT, O_RDWR | O_CREAT | O_EXCL,
                               O_WRONLY | O_CREAT | O_TRUNC};  // by FileHandle::Mode

}  // namespace

Result<FileHandle> FileHandle::open(const std::filesystem::path& path, Mode mode) {
  // O_NONBLOCK: opening a pipe by mistake fails instead of waiting. Regular files ignore it.
  const int flags = kFlags[static_cast<std::size_t>(mode)] | O_CLOEXEC | O_NONBLOCK;
  const int descriptor = ::open(path.c_str(), flags, 0644);
  if (descriptor < 0) return system_failure(path, mode == Mode::kOverwrite ? "create" : "open");
  FileHandle file(descriptor, path);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return system_failure(path, "open");
  if (!S_ISREG(status.st_mode)) {
    return fail(fmt::format("{}: is not a regular file", path.string()));
  }
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
  if (::fstat(descriptor_, &status) != 0) return system_failure(path_, "get its size");
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

Result<FileBytes> FileHandle::read_all() const {
  const Result<std::uint64_t> length = size();
  if (!length) return length.error();
  FileBytes bytes;
  try {
    bytes.resize(*length);
  } catch (const std::exception&) {
    return fail(fmt::format("{}: {} bytes do not fit into memory", path_.string(), *length));
  }
  const Result<std::size_t> got = read_at(0, bytes);
  if (!got) return got.error();
  bytes.resize(*got);  // it may have become shorter
  return bytes;
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

Result<void> FileHandle::append(std::span<const std::byte> from) {
  const Result<std::uint64_t> end = size();
  if (!end) return end.error();
  auto written = write_at(*end, from);
  if (!written) static_cast<void>(truncate(*end));
  return written;
}

Result<void> FileHandle::truncate(std::uint64_t size) {
  const auto failed = TEMP_FAILURE_RETRY(::ftruncate(descriptor_, static_cast<off_t>(size)));
  return failed != 0 ? system_failure(path_, "truncate") : Result<void>();
}

Result<void> FileHandle::sync() {
  const auto failed = TEMP_FAILURE_RETRY(::fdatasync(descriptor_));
  return failed != 0 ? system_failure(path_, "flush to the disk") : Result<void>();
}

Result<void> FileHandle::lock(std::string_view user) {
  constexpr int kTries = 3;
  for (int i = 1; TEMP_FAILURE_RETRY(::flock(descriptor_, LOCK_EX | LOCK_NB)) != 0; ++i) {
    if (errno != EWOULDBLOCK) return system_failure(path_, "lock");
    if (i == kTries) return fail(fmt::format("{}: is in use by {}", path_.string(), user));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return {};
}

FileHandle::Place FileHandle::place() const {
  struct stat ours {
  }, named{};
  if (::fstat(descriptor_, &ours) != 0) return Place::kAtPath;
  if (::stat(path_.c_str(), &named) == 0) {
    if (named.st_dev == ours.st_dev && named.st_ino == ours.st_ino) return Place::kAtPath;
  } else if (errno != ENOENT && errno != ENOTDIR) {
    return Place::kAtPath;
  }
  return ours.st_nlink == 0 ? Place::kRemoved : Place::kElsewhere;
}

Result<FileBytes> read_whole_file(const std::filesystem::path& file) {
  const Result<FileHandle> handle = FileHandle::open(file, FileHandle::Mode::kRead);
  return handle ? handle->read_all() : handle.error();
}

void MappedFile::Unmap::operator()(const std::byte* data) const {
  ::munmap(const_cast<std::byte*>(data), size);
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& file) {
  const Result<FileHandle> handle = FileHandle::open(file, FileHandle::Mode::kRead);
  if (!handle) return handle.error();
  const Result<std::uint64_t> size = handle->size();
  if (!size) return size.error();
  MappedFile mapped;
  if (*size == 0) return mapped;
  // The mapping remains valid when the file is closed.
  void* const address = ::mmap(nullptr, *size, PROT_READ, MAP_PRIVATE, handle->descriptor_, 0);
  if (address == MAP_FAILED) return system_failure(file, "map");
  mapped.data_ = {static_cast<const std::byte*>(address), Unmap{*size}};
  return mapped;
}

Result<void> replace_file(const std::filesystem::path& file,
                          const std::vector<std::span<const std::byte>>& parts) {
  const std::size_t thread = std::hash<std::thread::id>{}(std::this_thread::get_id());
  const std::string temporary = fmt::format("{}.{}.{:x}.tmp", file.string(), ::getpid(), thread);
  const auto write = [&]() -> Result<void> {
    Result<FileHandle> to = FileHandle::open(temporary, FileHandle::Mode::kOverwrite);
    if (!to) return to.error();
    std::uint64_t end = 0;
    for (const std::span<const std::byte> part : parts) {
      if (auto written = to->write_at(end, part); !written) return written;
      end += part.size();
    }
    // The bytes must be on disk before the name points to them.
    if (auto synced = to->sync(); !synced) return synced;
    if (std::rename(temporary.c_str(), file.c_str()) == 0) return {};
    return system_failure(file, "replace");
  };
  if (auto written = write(); !written) {
    ::unlink(temporary.c_str());
    return written;
  }
  return flush_folder_of(file);
}

std::string replaced_name(const std::filesystem::path& temporary) {
  constexpr std::string_view kEnd = ".tmp", kDecimal = "0123456789", kHex = "0123456789abcdef";
  std::string name = temporary.filename().string();
  if (!name.ends_with(kEnd)) return {};
  name.resize(name.size() - kEnd.size());
  for (const std::string_view digits : {kHex, kDecimal}) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos || dot + 1 == name.size()) return {};
    if (name.find_first_not_of(digits, dot + 1) != std::string::npos) return {};
    name.resize(dot);
  }
  return name;
}

Result<void> flush_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return system_failure(folder, "open");
  Result<void> done;
  // Some file systems cannot flush a folder and return EINVAL; nothing more can be done there.
  if (::fsync(descriptor) != 0 && errno != EINVAL) done = system_failure(folder, "flush");
  ::close(descriptor);
  return done;
}

}  // namespace senet
