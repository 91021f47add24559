#include "nn/replace_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

namespace senet {
namespace {

Error fail_with_errno(const std::string& file, const char* what) {
  return fail(fmt::format("{}: {}: {}", file, what,
                          std::error_code(errno, std::generic_category()).message()));
}

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

Result<void> write_temporary(const std::string& name,
                             std::initializer_list<std::span<const std::byte>> parts) {
  const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return fail_with_errno(name, "cannot create");
  bool written = true;
  for (const std::span<const std::byte> part : parts)
    written = written && write_all(descriptor, part);
  // The bytes must be on disk before the name points to them.
  written = written && ::fsync(descriptor) == 0;
  Result<void> done;
  if (!written) done = fail_with_errno(name, "cannot write");
  if (::close(descriptor) != 0 && done) done = fail_with_errno(name, "cannot close");
  return done;
}

}  // namespace

Result<void> replace_file(const std::filesystem::path& file,
                          std::initializer_list<std::span<const std::byte>> parts) {
  const std::string temporary = fmt::format("{}.{}.tmp", file.string(), ::getpid());
  Result<void> done = write_temporary(temporary, parts);
  if (done && std::rename(temporary.c_str(), file.c_str()) != 0) {
    done = fail_with_errno(file.string(), "cannot rename to");
  }
  if (!done) {
    ::unlink(temporary.c_str());
    return done;
  }
  return flush_folder_of(file);
}

Result<void> flush_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return fail_with_errno(folder.string(), "cannot open");
  Result<void> done;
  // Some file systems cannot flush a folder and say EINVAL: the name is then as safe as it gets
  // there.
  if (::fsync(descriptor) != 0 && errno != EINVAL)
    done = fail_with_errno(folder.string(), "cannot flush");
  ::close(descriptor);
  return done;
}

}  // namespace senet
